"""A sync over what expired or was erased brings none of it back, swept or not, and takes in what is new."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.files import FilesConnector
from prov_ledger.connectors.git import GitConnector
from prov_ledger.errors import Refused
from prov_ledger.ledger.taking import SyncReport
from tests.connectors.small_repositories import Repo
from tests.ledger.worlds import Clock, refused

CASE = "Seen by Oda Quist of 5 Long Lane, Bremen, on Monday. The parcel was wet."
NEXT = "The complaint was settled, and the parcel replaced."


@dataclass
class Feed:
    """A page in a folder or a repository, with a ledger that took it in."""

    ledger: Ledger
    clock: Clock
    folder: Path
    repo: Repo | None
    source: str = ""

    def write(self, name: str, text: str | None) -> None:
        """Write a page, or remove it."""
        if text is None:
            (self.folder / name).unlink()
        else:
            (self.folder / name).write_text(text)
        if self.repo is not None:
            self.repo.commit()

    def sync(self) -> SyncReport:
        if self.repo is None:
            return self.ledger.sync(FilesConnector(self.folder, "*.txt"))
        with GitConnector(self.folder, path_glob="*.txt") as connector:
            return self.ledger.sync(connector)

    def shown(self) -> str | None:
        """What the ledger shows of the page."""
        try:
            return self.ledger.show("case.txt").data.decode()
        except Refused:
            return None

    def law(self) -> tuple[SyncReport, str | None]:
        """What a sync says and what is shown then; a second one brings nothing new."""
        report, shown = self.sync(), self.shown()
        assert self.sync().changes == 0
        assert self.ledger.verify().findings == ()
        return report, shown


@pytest.fixture(params=["files", "git"])
def feed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Feed]:
    folder = tmp_path / "pages"
    folder.mkdir()
    repo = Repo(folder) if request.param == "git" else None
    if repo is not None:
        repo.git("init", "--quiet", "--initial-branch=main")
    clock = Clock(datetime.now(UTC))
    with Ledger.init(tmp_path / "ledger", clock=clock) as ledger:
        made = Feed(ledger, clock, folder, repo)
        made.write("rules.txt", "Parcels are replaced.")
        made.write("case.txt", CASE)
        made.sync()
        made.source = ledger.show("case.txt").source
        yield made


def expire(feed: Feed, **limits: str) -> None:
    feed.ledger.retention(feed.source, **limits)
    feed.clock.now += timedelta(days=31)


#: How the page goes, and whether its source goes with it.
WAYS: dict[str, Callable[[Feed], object]] = {
    "its bytes expired": lambda f: expire(f, bytes_for="P1M"),
    "its bytes expired and were swept": lambda f: (expire(f, bytes_for="P1M"), f.ledger.sweep()),
    "its revision was erased": lambda f: f.ledger.erase([f.ledger.show("case.txt").revision]),
    "its source expired": lambda f: expire(f, metadata_for="P1M"),
    "its source expired and was swept": lambda f: (expire(f, metadata_for="P1M"), f.ledger.sweep()),
    "its source was erased": lambda f: f.ledger.erase([f.source]),
}


@pytest.fixture(params=WAYS)
def gone(request: pytest.FixtureRequest, feed: Feed) -> Feed:
    WAYS[request.param](feed)
    assert feed.shown() is None
    return feed


def test_a_page_as_it_was_is_not_taken_in_again(gone: Feed) -> None:
    before = gone.sync()
    assert (before.sources, before.revisions, before.retired) == (0, 0, 0)
    gone.write("rules.txt", "Parcels are replaced at once.")
    report, shown = gone.law()
    assert (report.sources, report.revisions, shown) == (0, 1, None)


def test_a_page_that_was_touched_and_put_back_is_skipped(gone: Feed) -> None:
    gone.write("case.txt", NEXT)
    gone.write("case.txt", CASE)
    report, shown = gone.law()
    assert report.skipped == {"erased": 1}
    assert shown == (None if gone.repo is None else NEXT)


def test_a_new_state_of_it_is_taken_in(gone: Feed) -> None:
    gone.write("case.txt", NEXT)
    report, shown = gone.law()
    assert (report.revisions, report.skipped, shown) == (1, {}, NEXT)
    is_there = gone.ledger.show("case.txt").source == gone.source
    assert report.sources == (0 if is_there else 1)


@pytest.mark.parametrize("way", [way for way in WAYS if not way.endswith("expired")])
def test_the_same_page_under_another_name_is_not_taken_in_once_it_was_swept(feed: Feed, way: str) -> None:
    gone = feed
    WAYS[way](gone)
    gone.write("case.txt", None)
    gone.write("other.txt", CASE)
    gone.law()
    with pytest.raises(Refused):
        gone.ledger.show("other.txt")


def test_a_page_that_is_removed_ends_quietly(gone: Feed) -> None:
    gone.write("case.txt", None)
    report, shown = gone.law()
    assert (report.sources, report.revisions, shown) == (0, 0, None)


def test_bytes_that_expired_are_refused_before_the_sweep_as_after_it(gone: Feed) -> None:
    page = {"data": CASE, "label": "again"}
    source = gone.ledger.source(
        native="case.txt", title="Case", connector="files" if gone.repo is None else "git"
    )
    assert refused(lambda: gone.ledger.revision(source, **page)) == "erased_bytes"
