"""Commands that capture a whole source system: ``sync git``, ``files``, ``http``, ``sql``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_pairs
from prov_ledger.connectors.files import FilesConnector
from prov_ledger.connectors.git import GitConnector
from prov_ledger.connectors.port import Connector

Progress = Callable[[int, int], None]
Glob = Annotated[
    str | None, typer.Option("--path", metavar="GLOB", help="Only these paths, such as 'policies/**/*.md'.")
]
Name = Annotated[
    str,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Tells apart what has the same paths: one name per repository, folder or branch of its own.",
    ),
]
Collection = Annotated[
    str | None, typer.Option(metavar="NAME", help="The collection of the sources that are new.")
]

commands = Commands("sync", "Capture a git history, a folder, pages of the web, a table.")


@commands.add("git", example="prov-ledger sync git ~/policies --branch main --path '*.md'")
def git(
    session: Session,
    repository: Annotated[str, typer.Argument(metavar="REPO|BUNDLE", help="A repository or a bundle.")],
    branch: Annotated[str | None, typer.Option(help="Default: the one checked out.")] = None,
    path: Glob = None,
    name: Name = "git",
    collection: Collection = None,
) -> None:
    """Capture a git history.

    Each path is a source; each change along the first parents is a revision of it. Runs of one name
    with other branches or globs add to the same sources, each change once.
    """
    _sync(session, GitConnector(Path(repository), branch, path, name), collection)


@commands.add("files", example="prov-ledger sync files ~/handbook")
def files(
    session: Session,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder.")],
    path: Glob = None,
    name: Name = "files",
    collection: Collection = None,
) -> None:
    """Capture a folder as it is now.

    Each file is a source; its bytes are a revision where they have changed.
    """
    _sync(session, FilesConnector(folder, path, name), collection)


@commands.add("http", example="prov-ledger sync http https://shop.example/returns")
def http(
    session: Session,
    urls: Annotated[
        list[str] | None, typer.Argument(metavar="URL...", help="Pages; none: all captured before.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Also read addresses that are not public.")
    ] = False,
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="For a site of your own: do not read its robots.txt.")
    ] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="For one page, redirects included.")] = 30,
    max_mib: Annotated[int, typer.Option(metavar="N", help="The largest page that is taken, in MiB.")] = 20,
    name: Name = "http",
    collection: Collection = None,
) -> None:
    """Capture pages of the web.

    Each exact address is a source; its bytes are a revision where they have changed, and every look is
    recorded as a check: current, gone or unreachable.
    """
    from prov_ledger.connectors.http import HttpConnector, Limits  # TLS takes 60 ms to load

    limits = Limits(size_bytes=max_mib << 20, seconds=timeout)
    connector = HttpConnector(
        urls or (), name, allow_private=allow_private, obey_robots=not ignore_robots, limits=limits
    )
    _sync(session, connector, collection)


@commands.add("sql", example="prov-ledger sync sql sqlite:///shop.db --table orders --key order_no")
def sql(
    session: Session,
    database: Annotated[
        str,
        typer.Argument(
            metavar="DSN",
            envvar="PROV_LEDGER_DSN",
            help="Address of the database, as SQLAlchemy writes it; read from PROV_LEDGER_DSN it stays "
            "out of the list of processes.",
        ),
    ],
    table: Annotated[str, typer.Option(metavar="TABLE", help="A table or view, also SCHEMA.TABLE.")],
    key: Annotated[list[str], typer.Option(metavar="COLUMN", help="What tells its rows apart; repeatable.")],
    about: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FACT=COLUMN", help="Which declared facts a row is about (default: its key's columns)."
        ),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Only these columns; repeatable.")
    ] = None,
    modified: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The time of a row's last change.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Record a check of each row that is as it was.")
    ] = False,
    name: Name = "sql",
    collection: Collection = None,
) -> None:
    """Capture the rows of a database table.

    Each row is a source that is about its key; each column a cell of it; a changed row is a revision.
    """
    from prov_ledger.connectors.sql import SqlConnector  # SQLAlchemy takes 0.3 s to load

    facts = {fact: str(told) for fact, told in parse_pairs(about or (), "--about").items()}
    connector = SqlConnector(
        database,
        table,
        key,
        about=facts or None,
        columns=column or None,
        modified=modified,
        checks=check,
        name=name,
    )
    _sync(session, connector, collection)


def _sync(session: Session, connector: Connector, collection: str | None) -> None:
    with session.open() as ledger, connector, _progress() as progress:
        report = ledger.sync(connector, collection=collection, progress=progress)
    session.emit(report, [report.summary()])


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on a terminal; None elsewhere, so that logs stay short."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # 50 ms that only a terminal needs
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(bar_width=None), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("sync")
        yield lambda done, total: bar.update(task, completed=done, total=total)
