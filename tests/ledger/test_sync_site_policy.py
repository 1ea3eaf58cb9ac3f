"""Nine years of real policies in a ledger: every path shows the bytes that git had, for its own dates."""

import random
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector
from prov_ledger.errors import Refused
from prov_ledger.ledger.taking import SyncReport

RENAMED = [
    (
        "Policies/github-additional-product-terms.md",
        "Policies/github-terms-for-additional-products-and-features.md",
    ),
    ("Policies/github-privacy-statement.md", "Policies/privacy-policies/github-privacy-statement.md"),
]


class Git:
    """The same history, as git tells it."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone
        listed = self.run("log", "--first-parent", "--reverse", "--format=%H %ct", "main").decode().split()
        self.commits = [(int(when), name) for name, when in zip(listed[::2], listed[1::2], strict=True)]
        named = self.run("log", "--first-parent", "--format=", "--name-only", "-z", "-m", "main")
        self.paths = sorted({path.strip() for path in named.decode().split("\0") if path.strip()})

    def run(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.clone), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def at(self, path: str, day: date) -> bytes | None:
        """The bytes of a path at the end of a day in UTC, by the last commit until then."""
        end = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
        before = [name for when, name in self.commits if when < end.timestamp()]
        if not before or not self.run("ls-tree", before[-1], "--", path):
            return None
        return self.run("cat-file", "blob", f"{before[-1]}:{path}")

    def days(self) -> tuple[date, date]:
        first, last = self.commits[0][0], self.commits[-1][0]
        return datetime.fromtimestamp(first, UTC).date(), datetime.fromtimestamp(last, UTC).date()


@pytest.fixture(scope="module")
def bundle(shared: Path) -> Path:
    path = shared / "data" / "site-policy.bundle"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the folder of published test data")
    return path


@pytest.fixture(scope="module")
def history(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Git:
    clone = tmp_path_factory.mktemp("policies") / "clone"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(bundle), str(clone)], check=True)
    return Git(clone)


@pytest.fixture(scope="module")
def taken(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ledger, SyncReport]]:
    with (
        Ledger.init(tmp_path_factory.mktemp("policies") / "ledger") as ledger,
        GitConnector(bundle) as connector,
    ):
        yield ledger, ledger.sync(connector)


@pytest.fixture(scope="module")
def ledger(taken: tuple[Ledger, SyncReport]) -> Ledger:
    return taken[0]


def shown(ledger: Ledger, path: str, day: date) -> bytes | None:
    try:
        return ledger.show(path, on=day).data
    except Refused as refusal:
        if refusal.code not in ("unknown_id", "not_found"):
            raise
        return None


def statements(ledger: Ledger) -> int:
    kinds = [entry.kind for entry in ledger._tenant.journal.entries()]
    return len(kinds) - kinds.count("sync")


def test_every_change_of_the_history_is_taken_in(taken: tuple[Ledger, SyncReport]) -> None:
    report = taken[1]
    assert (report.sources, report.revisions, report.renamed, report.retired, report.returned) == (
        151,
        1179,
        4,
        88,
        1,
    )


@pytest.mark.parametrize("seed", range(4))
def test_any_path_at_any_date_has_the_bytes_of_git(ledger: Ledger, history: Git, seed: int) -> None:
    choose = random.Random(seed)
    first, last = history.days()
    span = (last - first).days
    found = 0
    for _ in range(60):
        path, day = choose.choice(history.paths), first + timedelta(days=choose.randrange(-3, span + 3))
        expected = history.at(path, day)
        assert shown(ledger, path, day) == expected, (path, day)
        found += expected is not None
    assert found


def test_every_path_that_is_there_now_has_its_bytes(ledger: Ledger, history: Git) -> None:
    last = history.days()[1]
    present = history.run("ls-tree", "-r", "-z", "--name-only", "main").decode().split("\0")[:-1]
    for path in present:
        assert shown(ledger, path, last) == history.at(path, last), path


@pytest.mark.parametrize(("old", "new"), RENAMED)
def test_a_renamed_path_answers_under_each_name_for_its_dates(
    ledger: Ledger, history: Git, old: str, new: str
) -> None:
    first, last = history.days()
    sources = set()
    for day in (first + timedelta(days=number) for number in range(0, (last - first).days, 150)):
        for path in (old, new):
            assert shown(ledger, path, day) == history.at(path, day)
            sources |= {ledger.show(path, on=day).source} if shown(ledger, path, day) is not None else set()
    assert len(sources) == 1


def test_paths_that_went_are_not_shown_after_and_returned_ones_are(ledger: Ledger, history: Git) -> None:
    changed = history.run("log", "--first-parent", "--no-renames", "--format=", "--name-status", "main")
    lines = [line.split("\t") for line in changed.decode().splitlines() if line]
    gone = [path for status, path in lines if status == "D"]
    returned = sorted({path for status, path in lines if status == "A" and path in gone})
    last = history.days()[1]
    for path in [*gone[::8], *returned]:
        assert shown(ledger, path, last) == history.at(path, last)


def test_a_second_run_records_nothing(ledger: Ledger, bundle: Path) -> None:
    head = ledger.tree_head()
    with GitConnector(bundle) as connector:
        assert ledger.sync(connector).changes == 0
    assert ledger.tree_head() == head


@pytest.mark.parametrize("cut", [{"branch": "main"}, {"path_glob": "Policies/**/*.md"}])
def test_another_cut_of_the_history_adds_nothing_but_its_place(
    ledger: Ledger, bundle: Path, cut: dict[str, str]
) -> None:
    size = statements(ledger)
    with GitConnector(bundle, **cut) as connector:
        report = ledger.sync(connector)
    assert (report.changes, report.sources) == (0, 0)
    assert report.known > 1000
    assert statements(ledger) == size


def test_the_ledger_of_the_history_verifies(ledger: Ledger) -> None:
    assert ledger.verify().valid
