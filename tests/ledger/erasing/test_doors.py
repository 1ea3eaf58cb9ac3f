"""What was erased does not come back through any door."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger.connectors.files import FilesConnector
from prov_ledger.errors import Refused
from tests.ledger.worlds import World, make_world

TEXT = "Seen by Oda Quist of 5 Long Lane, Bremen, on Monday. The parcel was wet."
NAME = "Oda Quist of 5 Long Lane, Bremen"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    made.source = made.ledger.source(native="notes", title="Notes")
    made.revision = made.ledger.revision(made.source, data=TEXT, label="1")
    yield made
    made.ledger.close()


def refused(world: World, source: str, data: str, media_type: str = "text/plain") -> str | None:
    try:
        world.ledger.revision(source, data=data, media_type=media_type, label="again")
    except Refused as refusal:
        return refusal.code
    return None


def test_the_same_bytes_are_refused_in_every_source(world: World) -> None:
    other = world.ledger.source(native="other", title="Other")
    world.ledger.erase([world.revision])

    assert refused(world, world.source, TEXT) == "erased_bytes"
    assert refused(world, other, TEXT, "text/markdown") == "erased_bytes"
    assert refused(world, other, TEXT + " ") is None


def test_a_refusal_leaves_the_ledger_as_it_was(world: World) -> None:
    world.ledger.erase([world.revision])
    before = world.state()

    assert refused(world, world.source, TEXT) == "erased_bytes"

    assert world.state() == before


def test_a_long_span_is_refused_in_its_source_alone(world: World) -> None:
    other = world.ledger.source(native="other", title="Other")
    world.ledger.erase([world.ledger.evidence(world.revision, quote=NAME)])

    assert refused(world, world.source, f"New page.\n{NAME}") == "erased_bytes"
    assert refused(world, world.source, f"<p>New page. <b>{NAME}</b></p>", "text/html") == "erased_bytes"
    assert refused(world, world.source, f'note,x\n"{NAME}",1\n', "text/csv") == "erased_bytes"
    assert refused(world, world.source, f"New page.\n{NAME[:-1]}") is None
    assert refused(world, other, f"New page.\n{NAME}") is None


def test_a_short_span_is_known_by_the_whole_page_alone(world: World) -> None:
    world.ledger.erase([world.ledger.evidence(world.revision, quote="Oda Quist")])

    assert refused(world, world.source, TEXT) == "erased_bytes"
    assert refused(world, world.source, "Oda Quist again") is None


def test_evidence_that_went_with_its_page_does_not_close_the_source_to_its_sentences(world: World) -> None:
    world.ledger.evidence(world.revision, quote=NAME)
    world.ledger.erase([world.revision])

    assert refused(world, world.source, f"New page. {NAME}") is None


def test_it_is_taken_in_again_once_its_fingerprint_has_expired(world: World) -> None:
    world.ledger.erase([world.revision], recognised_for="P1Y")
    world.clock.now += timedelta(days=364)
    assert refused(world, world.source, TEXT) == "erased_bytes"

    world.clock.now += timedelta(days=1)

    assert refused(world, world.source, TEXT) is None


def test_a_sync_skips_it_and_says_so(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "case.txt").write_text(TEXT + " It was a case.")
    (folder / "rules.txt").write_text("Parcels are replaced.")
    connector = FilesConnector(folder, "*.txt")
    assert world.ledger.sync(connector).revisions == 2
    case = world.ledger.show("case.txt").source
    world.ledger.erase([case])

    report = world.ledger.sync(FilesConnector(folder, "*.txt"))

    assert (report.sources, report.revisions, report.skipped) == (0, 0, {"erased": 1})
    with pytest.raises(Refused):
        world.ledger.show("case.txt")
    (folder / "case.txt").unlink()
    assert world.ledger.sync(FilesConnector(folder, "*.txt")).changes == 0
    assert world.ledger.verify().findings == ()
