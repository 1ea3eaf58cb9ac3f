"""Commands that capture a whole source system: ``sync git``, ``sync files``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
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

commands = Commands("sync", "Capture a git history or a folder.")


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
