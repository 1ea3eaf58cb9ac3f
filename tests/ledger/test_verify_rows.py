"""Rows by which entries are found are not hashed; ``verify`` compares each with what the leaves call for."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector
from prov_ledger.errors import Corrupt
from prov_ledger.ledger.auditing import Auditor
from prov_ledger.rdf.decode import decode_entry
from tests.connectors.small_repositories import Repo
from tests.ledger.worlds import OTHER, PAGE, START, make_world
from tests.random_worlds import RandomLedger

_ABOUT = (
    "DELETE FROM reference WHERE role LIKE 'about:%' "
    "AND target IN (SELECT sequence FROM entry WHERE kind = '{}')"
)
_KINDS = (
    "scope", "title", "native", "authority", "retire", "revision", "check", "deny", "allow", "evidence",
    "claim", "supersede", "reaffirm", "retract", "restate", "contradict", "remind", "collection", "agent",
)  # fmt: skip
_ORIGINS = ("agt", "grp", "col", "pur", "src", "rev", "ev", "cl", "rem", "ent")
_LOOKUPS = ("agent", "group", "collection", "purpose", "thread", "native", "title")
_OTHER = "(SELECT id FROM lookup AS x WHERE x.kind = lookup.kind AND x.id <> lookup.id LIMIT 1)"
_LAST = "sequence = (SELECT max(sequence) FROM lookup AS x WHERE x.kind = lookup.kind)"
_FIRST = "sequence = (SELECT min(sequence) FROM entry WHERE kind = '{}')"
EDITS = (
    *(_ABOUT.format(kind) for kind in _KINDS),
    *(f"DELETE FROM reference WHERE role = 'origin' AND kind = '{kind}'" for kind in _ORIGINS),
    *(f"DELETE FROM lookup WHERE kind = '{kind}'" for kind in _LOOKUPS),
    *(
        f"UPDATE lookup SET id = {_OTHER} WHERE kind = '{kind}' AND {_LAST}"
        for kind in ("agent", "native", "title")
    ),
    *(f"UPDATE lookup SET token = zeroblob(16) WHERE kind = '{kind}'" for kind in _LOOKUPS),
    *(f"UPDATE entry SET kind = 'claim' WHERE {_FIRST.format(kind)}" for kind in ("evidence", "context")),
    "UPDATE lookup SET since_us = 0 WHERE kind = 'title'",
    "UPDATE lookup SET since_us = since_us + 1 WHERE kind = 'native'",
    "INSERT INTO lookup SELECT kind, zeroblob(16), sequence, id, since_us FROM lookup WHERE kind = 'agent'",
    "INSERT INTO reference SELECT id || '0', role, target, kind FROM reference WHERE role = 'origin'",
    "INSERT INTO reference SELECT id || '#claims', role, target, kind FROM reference WHERE id LIKE 'cl!_%' "
    "ESCAPE '!' AND role LIKE 'about:%'",
    "UPDATE reference SET kind = 'x' WHERE role = 'origin'",
    "UPDATE reference SET kind = NULL WHERE role = 'origin'",
    "UPDATE reference SET kind = 'x' WHERE role LIKE 'about:%'",
    "UPDATE reference SET target = 1 WHERE role = 'origin'",
    "UPDATE reference SET target = 1 WHERE role LIKE 'about:%'",
    "UPDATE reference SET kind = 'ev_0' WHERE role LIKE 'span:%'",
    "UPDATE reference SET target = 1 WHERE role LIKE 'span:%'",
    "DELETE FROM reference WHERE role LIKE 'payload:%'",
    "UPDATE reference SET target = (SELECT max(ticket) FROM payload) WHERE role LIKE 'payload:%'",
    "INSERT INTO reference SELECT id, 'payload:extra', target, NULL FROM reference "
    "WHERE role = 'payload:note'",
    "DELETE FROM rare WHERE kind = 'retract'",
    "UPDATE rare SET sequence = 1 WHERE kind = 'allow'",
    "UPDATE entry SET id = id || '0' WHERE sequence = 5",
    "UPDATE entry SET recorded_us = recorded_us + 1 WHERE sequence = (SELECT max(sequence) FROM entry)",
    "DELETE FROM payload WHERE ticket = (SELECT max(ticket) FROM payload WHERE field = 'statement')",
    "UPDATE entry SET leaf = NULL WHERE sequence = 7",
    "UPDATE entry SET leaf = NULL WHERE sequence = (SELECT max(sequence) FROM entry)",
    "UPDATE entry SET leaf = (SELECT leaf FROM entry WHERE sequence = 4) WHERE sequence = 5",
)
#: Kinds that, with the row of ``rare`` changed as well, would undo what an entry does.
DISGUISES = (
    ("retract", "deny"), ("retract", "check"), ("deny", "allow"), ("supersede", "reaffirm"),
    ("supersede", "claim"), ("revoke", "member"), ("member", "name"), ("grant", "check"), ("agent", "name"),
    ("reaffirm", "supersede"), ("context", "evidence"), ("scope", "check"), ("title", "check"),
    ("source", "name"),
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with an entry of every kind."""
    folder = tmp_path_factory.mktemp("rows") / "ledger"
    world = make_world(folder)
    ledger = world.ledger
    world.clock.step(86_400)
    ledger.revision(world.source, data=f"{PAGE}\nMore.\n", media_type="text/markdown", label="v2")
    world.claim = ledger.reaffirm([world.claim]).carried[world.claim]
    ledger.agent("ann")
    ledger.agent("ben")
    ledger.agent("ann", ["agent", "curator"])
    ledger.grant("ann", "*", for_purpose="support")
    ledger.grant("group:staff", "collection:terms")
    ledger.revoke("group:staff", "collection:terms")
    ledger.member("ann", "group:staff")
    ledger.member("ann", "group:staff", left=True)
    ledger.collection("policies", sensitive=True, reaffirm=True)
    ledger.source(native="returns", title="Returns")
    other = ledger.source(native="other", title="Other", collection="policies")
    ledger.rename(other, "renamed", START)
    ledger.authority(other, "informal")
    ledger.check(other, "current")
    ledger.deny(other, "disputed")
    ledger.allow(other, "settled")
    ledger.scope(world.revision, [{"fact": "region", "in": ["DE"]}])
    ledger.scope(world.evidence, [{"fact": "region", "in": ["DE"]}])
    with ledger.batch():
        further = ledger.evidence(world.revision, quote=OTHER)
    said = world.conclude("Shipping may be free.", support=[further])
    ledger.contradict([said, world.claim])
    ledger.restate(said, says="It may be free.", exposure=[further])
    ledger.remind([said], 200, thread="call-1")
    new = {"support": [further], "transformation": {"kind": "select", "note": "by the table"}}
    ledger.supersede(said, says="It is.", question={"text": "Is it?"}, **new)  # type: ignore[arg-type]
    ledger.retract(world.claim, reason="wrong")
    base = world.conclude("Once more.")
    ledger.retire(other, START)
    ledger.resolve([base], principal="ann")
    assert ledger.verify().valid
    ledger.close()
    return folder


@pytest.fixture
def copied(written: Path, tmp_path: Path) -> Iterator[Ledger]:
    shutil.copytree(written, tmp_path / "ledger")
    with Ledger.open(tmp_path / "ledger") as ledger:
        yield ledger


def edit(path: Path, *statements: str) -> int:
    """Change the file behind the ledger's back; how many rows were changed."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            return sum(connection.execute(statement).rowcount for statement in statements)
    finally:
        connection.close()


def findings(ledger: Ledger) -> list[str]:
    return [str(found) for found in Auditor(ledger._tenant).verify().findings]


@pytest.mark.parametrize("statement", EDITS)
def test_each_edited_row_is_a_finding(copied: Ledger, statement: str) -> None:
    assert edit(copied._tenant.journal.path, statement) > 0
    assert findings(copied)


@pytest.mark.parametrize(("kind", "other"), DISGUISES)
def test_an_entry_under_another_kind_is_a_finding(copied: Ledger, kind: str, other: str) -> None:
    rare = (
        "DELETE FROM rare WHERE kind = '{}'"
        if other == "evidence"
        else f"UPDATE rare SET kind = '{other}' WHERE kind = '{{}}'"
    )
    entry = f"UPDATE entry SET kind = '{other}' WHERE kind = '{kind}'"
    assert edit(copied._tenant.journal.path, entry, rare.format(kind)) > 0
    assert any("is of the kind" in found for found in findings(copied))


def test_what_is_denied_is_read_from_every_leaf_whatever_its_kind_says(copied: Ledger) -> None:
    edit(
        copied._tenant.journal.path,
        "UPDATE entry SET kind = 'check' WHERE kind = 'retract'",
        "UPDATE rare SET kind = 'check' WHERE kind = 'retract'",
    )
    edit(copied._tenant.denials.path, "DELETE FROM denial WHERE kind = 'retraction'")
    assert any(found.startswith("denials") for found in findings(copied))


@pytest.mark.parametrize("seed", range(20))
def test_random_ledgers_are_valid(tmp_path: Path, seed: int) -> None:
    random = RandomLedger(tmp_path / "ledger", seed)
    random.grow(80)
    assert findings(random.ledger) == []
    random.close()


def test_a_synced_repository_is_valid(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    repo = Repo(tmp_path / "repo")
    repo.git("init", "--quiet", "--initial-branch=main")
    with Ledger.init(tmp_path / "ledger") as ledger:
        for round in range(4):
            repo.write("a.md", b"Round %d.\n" % (round // 2))
            repo.write(f"{round}.md", b"The same.\n")
            repo.commit()
            repo.git("mv", f"{round}.md", f"moved-{round}.md")
            repo.commit()
            repo.git("rm", "--quiet", "a.md")
            repo.commit()
            with GitConnector(repo.folder) as connector:
                ledger.sync(connector)
        assert findings(ledger) == []


def test_a_changed_disclosure_is_a_finding(copied: Ledger) -> None:
    assert edit(copied._tenant.disclosures.path, "UPDATE occasion SET reader = NULL") > 0
    assert any(found.startswith("disclosures") for found in findings(copied))


def test_a_file_of_disclosures_that_does_not_open_is_a_finding(copied: Ledger) -> None:
    path = copied._tenant.journal.path.with_name("disclosures.sqlite")
    path.write_bytes(b"no database " * 1000)
    assert any(found.startswith("disclosures") for found in findings(copied))


@pytest.mark.parametrize("damage", ["MANIFEST-*", "CURRENT", "*.sst"])
def test_a_damaged_graph_is_a_finding_and_can_be_rebuilt(copied: Ledger, tmp_path: Path, damage: str) -> None:
    copied.rebuild()
    copied._tenant.graph.close()
    damaged = list((tmp_path / "ledger").glob(f"tenants/default/graph/{damage}"))
    for path in damaged:
        path.write_bytes(b"not what was written")
    assert damaged
    assert any(found.startswith("graph") for found in findings(copied))
    assert copied.rebuild() == copied.tree_head().size
    assert findings(copied) == []


def test_an_empty_leaf_holds_no_entry() -> None:
    with pytest.raises(Corrupt):
        decode_entry(b"", "https://ledger.test/a/")
