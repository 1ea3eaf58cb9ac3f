"""What a conclusion may be derived from anew: the nearest first, and so many at most."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger.checks.candidates import MOST_CANDIDATES
from prov_ledger.cli.render import slot_lines
from prov_ledger.mcp import outputs, rendering
from prov_ledger.model.slots import Candidate, Slot
from tests.ledger.worlds import World, make_world

LINES = [f"Rule {n:03} holds for everything that is sold here." for n in range(3 * MOST_CANDIDATES)]
CITED = 30


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A claim on a line of a page of which there is a later state."""
    world = make_world(tmp_path / "ledger")
    world.source = world.ledger.source(native="rules", title="Rules")
    page = world.ledger.revision(world.source, data="\n".join(LINES), label="1")
    world.evidence = world.ledger.evidence(page, quote=LINES[CITED])
    world.claim = world.conclude()
    world.clock.now += timedelta(days=1)
    world.revision = world.ledger.revision(world.source, data="\n".join(LINES), label="2")
    yield world
    world.ledger.close()


def capture(world: World, lines: list[int]) -> dict[int, str]:
    with world.ledger.batch():
        return {n: world.ledger.evidence(world.revision, quote=LINES[n]) for n in lines}


def slot_of(world: World, id: str) -> Slot:
    """The slot on which both readers agree."""
    said = []
    for reader in ("memory", "sparql"):
        world.ledger._reader = reader
        said += world.ledger.resolve([id])
    assert said[0] == said[1]
    return said[0]


def test_the_nearest_are_listed_and_that_there_are_more_is_said(world: World) -> None:
    taken = capture(world, list(range(len(LINES))))
    slot = slot_of(world, world.claim)
    near = sorted(taken, key=lambda n: (abs(n - CITED), n))[:MOST_CANDIDATES]
    assert slot.candidates == tuple(Candidate(taken[n]) for n in near)
    assert slot.more_candidates


def test_as_many_as_are_listed_at_most_are_no_more(world: World) -> None:
    taken = capture(world, list(range(MOST_CANDIDATES)))
    slot = slot_of(world, world.claim)
    assert {x.id for x in slot.candidates} == set(taken.values())
    assert not slot.more_candidates


def test_a_state_without_evidence_is_listed_behind_what_was_taken(world: World) -> None:
    taken = capture(world, list(range(MOST_CANDIDATES - 1)))
    beside = world.ledger.revision(
        world.source, data="\n".join(LINES), label="2, signed", relation={"parallel": world.revision}
    )
    slot = slot_of(world, world.claim)
    assert len(slot.candidates) == len(taken) + 1
    assert slot.candidates[-1] == Candidate(beside, "same")
    assert not slot.more_candidates
    capture(world, [MOST_CANDIDATES])
    slot = slot_of(world, world.claim)
    assert beside not in {x.id for x in slot.candidates}
    assert slot.more_candidates


def test_what_governs_is_nearer_than_what_does_not(world: World) -> None:
    scope = [{"fact": "question_date", "from": "2026-01-01", "until": "open"}]
    old = world.ledger.revision(
        world.source, data="\n".join(LINES[::-1]), label="0", published="2026-01-01T00:00:00Z"
    )
    provision = world.ledger.evidence(old, quote=LINES[CITED], scope=scope)
    taken = capture(world, [0])
    found = [x.id for x in slot_of(world, world.claim).candidates]
    assert found.index(taken[0]) < found.index(provision)


def test_the_evidence_of_a_head_is_bounded_too(world: World) -> None:
    taken = capture(world, list(range(MOST_CANDIDATES + 1)))
    parts = {"transformation": {"kind": "combine"}, "question": {"text": "What holds?"}}
    world.ledger.supersede(world.claim, says="All holds.", support=list(taken.values()), **parts)  # type: ignore[arg-type]
    slot = slot_of(world, world.claim)
    assert (slot.verdict, len(slot.candidates), slot.more_candidates) == ("superseded", MOST_CANDIDATES, True)


def test_what_is_gone_is_not_counted(world: World) -> None:
    taken = capture(world, list(range(MOST_CANDIDATES + 1)))
    world.ledger.erase([taken[MOST_CANDIDATES]])
    assert not slot_of(world, world.claim).more_candidates


def test_a_person_and_a_model_are_told_that_there_are_more(world: World) -> None:
    capture(world, list(range(MOST_CANDIDATES + 1)))
    slot = slot_of(world, world.claim)
    told = "\n".join(rendering.slot_lines(outputs.decided(slot)))
    assert f"{slot.candidates[-1].id}, and more" in told
    assert f"{slot.candidates[-1].id}, and there are more" in "\n".join(slot_lines(slot, 10_000))
    assert "more" not in "\n".join(slot_lines(replace(slot, more_candidates=False), 10_000))
