"""The decision against the slow and obvious model, on random stories."""

import os
import tempfile
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from living import Living
from obvious import Answer, Model
from retelling import Decided, decide_all
from stories import (
    ACCESS,
    CROWDED,
    DECIDING,
    DOUBTING,
    REMOVING,
    REVISING,
    REWORDING,
    Plot,
    Query,
    ask_about,
    plots,
    queries,
    read_plot,
)
from told import Ask, Claim, Evidence, Story

from prov_ledger.model.slots import Decision, Slot

WORLDS = int(os.environ.get("OBVIOUS_WORLDS", "1000"))

#: Where a folder costs no disk; durable writes are tested elsewhere.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


def asked_ids(story: Story) -> list[str]:
    return [t.step.name for t in story.told if isinstance(t.step, Evidence | Claim)]


def differences(answer: Answer, decided: Decided) -> list[str]:
    """Where the model and the decision do not say the same."""
    d = decided.decision
    pairs = {"verdict": (answer.verdict, d.verdict)}
    if answer.verdict == d.verdict != "withheld":
        pairs |= {
            "decided_by": (answer.decided_by, d.decided_by),
            "missing": (answer.missing, frozenset(d.missing)),
            "superseded_by": (answer.superseded_by, d.superseded_by),
            "quotes": (answer.quotes, frozenset(d.citations)),
            "words": (answer.words, d.words),
            "candidates": (answer.candidates, decided.candidates),
            "unconsidered": (answer.unconsidered, frozenset(d.unconsidered)),
        }
        if answer.verdict == "citable":
            pairs["same_question"] = (answer.same_question, d.same_question)
            pairs |= open_ends(answer, d)
    return [f"{name}: model {a}, ledger {b}" for name, (a, b) in pairs.items() if a != b]


def open_ends(answer: Answer, d: Decision) -> dict[str, tuple[object, object]]:
    """Assumed ends, where the justifications that stand agree about them."""
    stand = {bool(ends) for ends in answer.open_ends}
    if len(stand) != 1:
        return {}
    pairs: dict[str, tuple[object, object]] = {"assumed_open": (stand == {True}, d.assumed_open)}
    if stand == {True} and len(answer.open_ends) == 1:
        pairs["last_confirmed"] = (min(answer.open_ends[0]), d.last_confirmed)
    return pairs


def disagreements(story: Story, ask: Ask, ids: Iterable[str]) -> list[str]:
    model, found = Model(story, ask), decide_all(story, ask, ids)
    return [f"{id} {line}" for id in found for line in differences(model.slot(id), found[id])]


def shown(story: Story, ask: Ask, found: list[str]) -> str:
    lines = [f"{t.place} {t.at:%m-%dT%H} {t.step}" for t in story.told]
    return "\n".join(["", f"zone {story.zone}, governed by {story.governed_by}", *lines, str(ask), *found])


def assert_agreed(plot: Plot, asked: list[Query]) -> None:
    """The ledger decides each question about a plot as the model does."""
    story = read_plot(plot)
    for query in asked:
        ask = ask_about(story, query, grants=False)
        found = disagreements(story, ask, asked_ids(story))
        if found:
            note(shown(story, ask, found))
        assert not found


@settings(max_examples=WORLDS, deadline=None, suppress_health_check=list(HealthCheck), derandomize=False)
@given(plots(DECIDING + REWORDING, 14), st.lists(queries, min_size=2, max_size=4))
def test_a_decision_is_that_of_the_obvious_model(plot: Plot, asked: list[Query]) -> None:
    assert_agreed(plot, asked)


@settings(max_examples=WORLDS // 4, deadline=None, suppress_health_check=list(HealthCheck))
@given(plots(REVISING, 14), st.lists(queries, min_size=2, max_size=4))
def test_a_decision_among_many_revisions_is_that_of_the_obvious_model(plot: Plot, asked: list[Query]) -> None:
    assert_agreed(plot, asked)


@settings(max_examples=WORLDS // 4, deadline=None, suppress_health_check=list(HealthCheck))
@given(plots(DOUBTING, 8), st.lists(queries, min_size=2, max_size=4))
def test_a_decision_among_revisions_that_may_govern_is_that_of_the_obvious_model(
    plot: Plot, asked: list[Query]
) -> None:
    assert_agreed(plot, asked)


@settings(max_examples=WORLDS // 4, deadline=None, suppress_health_check=list(HealthCheck))
@given(plots(DECIDING + REWORDING + REMOVING * 2, 16), st.lists(queries, min_size=2, max_size=4))
def test_a_decision_about_what_goes_is_that_of_the_obvious_model(plot: Plot, asked: list[Query]) -> None:
    assert_agreed(plot, asked)


@settings(max_examples=WORLDS // 4, deadline=None, suppress_health_check=list(HealthCheck))
@given(plots(CROWDED, 10), st.lists(queries, min_size=2, max_size=4))
def test_a_decision_beside_pages_that_are_gone_is_that_of_the_obvious_model(
    plot: Plot, asked: list[Query]
) -> None:
    assert_agreed(plot, asked)


def slot_differences(answer: Answer, slot: Slot, names: dict[str, str]) -> list[str]:
    """Where the model and a slot do not say the same; ids in words of the story."""
    decision = Decision(
        slot.id,
        slot.verdict,
        slot.decided_by,
        slot.missing,
        slot.unconsidered,
        names.get(slot.superseded_by or ""),
        tuple(names[q.evidence] for q in slot.quotes),
        None if slot.words is None else slot.words == "shown",
        slot.same_question,
        slot.assumed_open,
        slot.last_confirmed,
    )
    candidates = frozenset(names[c.id] for c in slot.candidates if c.id.startswith("ev_"))
    found = differences(answer, Decided(decision, candidates))
    if slot.verdict == "withheld" and slot != Slot(slot.id, "withheld", "search", historical=slot.historical):
        found.append("a withheld slot holds more than its verdict")
    return found


@settings(max_examples=WORLDS // 12, deadline=None, suppress_health_check=list(HealthCheck))
@given(plots(DECIDING + ACCESS + REMOVING, 18), st.lists(queries, min_size=3, max_size=6))
def test_a_ledger_resolves_as_the_obvious_model_does(plot: Plot, asked: list[Query]) -> None:
    teller = plot.teller()
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        Living(Path(folder, "ledger"), plot.zone, plot.governed_by, teller.story.sorts) as living,
    ):
        for draft in plot.drafts:
            teller.now += timedelta(hours=draft.wait)
            step = teller.read(draft)
            if step is not None and living.tell(step, teller.now):
                teller.tell(step)
                # Whatever is kept of an answer must not outlive what it followed from.
                ask = ask_about(teller.finished(), asked[0], grants=True)
                living.resolve(ask, asked_ids(teller.finished()))
        story, names = teller.finished(), {id: name for name, id in living.ids.items()}
        for query in asked:
            ask = ask_about(story, query, grants=True)
            model = Model(story, ask)
            for name, slot in living.resolve(ask, asked_ids(story)).items():
                found = slot_differences(model.slot(name), slot, names)
                if found:
                    note(shown(story, ask, [name, *found]))
                assert not found
