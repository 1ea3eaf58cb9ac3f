"""A PostgreSQL server of the benchmark's own, and a plain schema in it with what a ledger holds.

Started in a folder of its own, on a Unix socket, by a user without rights; needs ``initdb`` and
``pg_ctl`` of any installed version, and psycopg.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psycopg
from psycopg.abc import Query

from prov_ledger import Ledger
from prov_ledger.readers.fold import Fold

_HERE = Path(__file__).parent
SCHEMA = (_HERE / "plain_schema.sql").read_bytes()
CLOSURE: Query = (_HERE / "plain_closure.sql").read_bytes()
#: Everything in memory, and the plan that suits fifty ids: the planner expects a closure a hundred times
#: as large, and would read whole tables for it.
_SETTINGS = """
shared_buffers = 1GB
work_mem = 64MB
jit = off
fsync = off
listen_addresses = ''
enable_hashjoin = off
enable_mergejoin = off
enable_seqscan = off
plan_cache_mode = force_generic_plan
"""
_BATCH = 10_000


def find_programs() -> Path | None:
    """The folder with ``initdb`` and ``pg_ctl``; None where there is none."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    found = shutil.which("initdb")
    places = [*reversed(debian), *([Path(found).parent] if found else [])]
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def server(programs: Path) -> Iterator[str]:
    """A running server; its connection string."""
    folder = Path(mkdtemp(prefix="pg"))
    user = _unprivileged()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), "-D", str(data), *arguments]
        name = user.pw_name if user is not None else None
        subprocess.run(command, user=name, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    try:
        run("initdb", "-U", "bench", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(f"{_SETTINGS}unix_socket_directories = '{folder}'\n")
        run("pg_ctl", "-w", "-s", "-l", str(folder / "log"), "start")
        try:
            yield f"host={folder} user=bench dbname=postgres"
        finally:
            run("pg_ctl", "-w", "-s", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom to run the server as, which refuses to be run by the superuser; None for whoever runs this."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def fill(connection: "psycopg.Connection[tuple[object, ...]]", ledger: Ledger, fold: Fold) -> None:
    """Put everything of a loaded ledger into the schema, texts opened."""
    connection.execute(SCHEMA)
    for table, rows in _tables(ledger, fold).items():
        with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:  # type: ignore[call-overload]
            for row in rows:
                copy.write_row(row)
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE")


def _tables(ledger: Ledger, fold: Fold) -> dict[str, Iterator[tuple[object, ...]]]:
    claims, evidence = fold.claims, fold.evidence
    revisions = [x for found in fold.revisions.values() for x in found.values()]
    quotes, statements = _texts(ledger, evidence, "quote"), _texts(ledger, claims, "statement")
    titles = _texts(ledger, fold.sources, "title")
    labels = _texts(ledger, (x.record.id for x in revisions), "label")
    return {
        "source": titles,
        "revision": (
            (id, x.record.source, label, x.record.published)
            for x, (id, label) in zip(revisions, labels, strict=True)
        ),
        "evidence": ((id, evidence[id].record.revision, quote) for id, quote in quotes),
        "claim": ((id, text, claims[id].record.made) for id, text in statements),
        "support": (
            (id, member)
            for id, x in claims.items()
            for member in dict.fromkeys(m for group in x.record.justifications for m in group)
        ),
        "exposure": ((id, member) for id, x in claims.items() for member in x.record.exposure),
        "supersession": ((old, x.record.new) for old, x in fold.supersessions.items()),
        "retraction": ((id,) for id in fold.retractions),
    }


def _texts(ledger: Ledger, ids: Iterable[str], field: str) -> Iterator[tuple[str, str]]:
    """The text of a field of each id, opened some at a time."""
    journal, sealer = ledger._tenant.journal, ledger._tenant.sealer
    for owners in _batches(ids):
        payloads = list(journal.payloads([(owner, field) for owner in owners]).values())
        opened = sealer.open_many(payloads)
        yield from ((x.owner, data.decode()) for x, data in zip(payloads, opened, strict=True))


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    waiting: list[str] = []
    for id in ids:
        waiting.append(id)
        if len(waiting) == _BATCH:
            yield waiting
            waiting = []
    yield waiting
