"""Every refusal leaves the ledger as it was, alone and within a batch."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prov_ledger.model.ids import mint_id
from tests.ledger.worlds import QUOTE, World, conclude, make_world, refused

Step = Callable[[], object]
Call = Callable[[World], object]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    yield made
    made.ledger.close()


def correct(world: World, old: str, **given: object) -> str:
    parts: dict[str, object] = {
        "says": "Corrected.",
        "support": [world.evidence],
        "transformation": {"kind": "select"},
        "question": {"text": "How long?"},
    }
    return world.ledger.supersede(old, **{**parts, **given})  # type: ignore[arg-type]


def rest_on_what_it_supersedes(world: World) -> Step:
    resting = conclude(world.ledger, "Rests.", [world.claim])
    return lambda: correct(world, world.claim, support=[resting])


def correct_twice(world: World) -> Step:
    correct(world, world.claim)
    return lambda: correct(world, world.claim)


def rest_on_a_reminder(world: World) -> Step:
    packet = world.ledger.remind([world.claim], 200)
    return lambda: world.conclude(support=[packet.id])


def quote_what_stands_twice(world: World) -> Step:
    source = world.ledger.source(native="twice", title="T")
    revision = world.ledger.revision(source, data="may or may not", label="1")
    return lambda: world.ledger.evidence(revision, quote="may")


def period(from_: str, until: str) -> list[dict[str, object]]:
    return [{"fact": "purchase_date", "from": from_, "until": until}]


def scoped(world: World, from_: str, until: str, native: str) -> str:
    source = world.ledger.source(native=native, title=native)
    scope = period(from_, until)
    return world.ledger.evidence(
        world.ledger.revision(source, data=native, label="1", scope=scope), quote=native
    )


def rest_on_periods_apart(world: World) -> Step:
    june, july = (
        scoped(world, "2026-06-01", "2026-07-01", "june"),
        scoped(world, "2026-07-01", "2026-08-01", "july"),
    )
    return lambda: world.conclude(support=[june, july])


def widen(world: World) -> Step:
    june = scoped(world, "2026-06-01", "2026-07-01", "june")
    return lambda: world.conclude(support=[june], narrow=period("2026-05-01", "2026-07-01"))


def name_twice(world: World) -> Step:
    for connector in ("one", "two"):
        source = world.ledger.source(native="same", title="Same", connector=connector)
        world.ledger.revision(source, data="text", label="1")
    return lambda: world.ledger.show("same")


REFUSALS: list[tuple[str, Call]] = [
    ("malformed_id", lambda w: w.conclude(support=["ev_0000000000000000zz"])),
    ("malformed_id", lambda w: w.ledger.retract("claim 7")),
    ("unknown_id", lambda w: w.conclude(support=[mint_id("ev")])),
    ("unknown_id", lambda w: w.ledger.evidence(mint_id("rev"), quote=QUOTE)),
    ("unknown_id", lambda w: w.conclude(by="a stranger")),
    ("denied", lambda w: w.ledger.source(native="n", title="T", by="a stranger")),
    ("denied", lambda w: w.ledger.sparql("ASK { ?s ?p ?o }", by="a stranger")),
    ("incomplete", lambda w: w.conclude(support=[])),
    ("incomplete", lambda w: w.conclude(support=[[]])),
    ("incomplete", lambda w: w.conclude("")),
    ("incomplete", lambda w: w.conclude(question={"text": ""})),
    ("incomplete", lambda w: w.conclude(transformation={})),
    ("incomplete", lambda w: w.conclude(bound_to=["region"])),
    ("incomplete", lambda w: w.ledger.evidence(w.revision)),
    ("incomplete", lambda w: w.ledger.agent("new agent", [])),
    ("incomplete", lambda w: w.ledger.source(native=" ", title="T")),
    ("not_evidence", lambda w: w.conclude(support=[w.source])),
    ("not_evidence", lambda w: w.conclude(support=[w.revision])),
    ("not_evidence", rest_on_a_reminder),
    ("cycle", rest_on_what_it_supersedes),
    ("stale_head", correct_twice),
    ("undeclared_fact", lambda w: w.conclude(question={"text": "q", "facts": {"regoin": "DE"}})),
    ("undeclared_fact", lambda w: w.ledger.scope(w.revision, [{"fact": "nobody", "in": ["x"]}])),
    ("bad_fact", lambda w: w.conclude(question={"text": "q", "facts": {"total": "much"}})),
    ("bad_fact", lambda w: w.ledger.retire(w.source, "2026-06-01T12:00:00")),
    ("bad_fact", lambda w: w.ledger.collection("c", governed_by="region")),
    ("bad_scope", lambda w: w.ledger.scope(w.revision, period("2026-07-01", "2026-06-01"))),
    ("bad_scope", lambda w: w.ledger.scope(w.revision, period("2026-07-01", "2026-07-01"))),
    ("bad_scope", lambda w: w.ledger.scope(w.revision, [])),
    ("bad_scope", rest_on_periods_apart),
    ("widened_scope", widen),
    ("empty_quote", lambda w: w.ledger.evidence(w.revision, quote="")),
    ("quote_not_found", lambda w: w.ledger.evidence(w.revision, quote="not there")),
    ("ambiguous_quote", quote_what_stands_twice),
    ("bad_cell", lambda w: w.ledger.evidence(w.revision, cell={"row": 1, "column": "c"})),
    ("ambiguous_title", name_twice),
    ("not_found", lambda w: w.ledger.revoke("nobody", w.source)),
    ("not_found", lambda w: w.ledger.member("new member", "group:new group", left=True)),
    ("bad_input", lambda w: w.ledger.grant("new reader", "no id", for_purpose="new purpose")),
    ("already_exists", lambda w: w.ledger.declare_fact("region", "date")),
]


#: Those that record something first, and then give the step to be refused.
PREPARED: tuple[Callable[[World], Step], ...] = (
    rest_on_what_it_supersedes,
    correct_twice,
    rest_on_a_reminder,
    rest_on_periods_apart,
    widen,
    quote_what_stands_twice,
    name_twice,
)


def prepared(world: World, call: Call) -> Step:
    return next((prepare(world) for prepare in PREPARED if prepare is call), lambda: call(world))


@pytest.mark.parametrize(("code", "call"), REFUSALS)
def test_a_refusal_has_its_code_and_leaves_the_ledger_unchanged(world: World, code: str, call: Call) -> None:
    step = prepared(world, call)
    before = world.state()
    assert refused(step) == code
    assert world.state() == before
    assert world.ledger.verify().valid


@pytest.mark.parametrize(("code", "call"), REFUSALS)
def test_a_refusal_within_a_batch_is_undone_alone(world: World, code: str, call: Call) -> None:
    step = prepared(world, call)
    with world.ledger.batch():
        kept = world.conclude("Before the refusal.")
        assert refused(step) == code
        also = world.conclude("After the refusal.")
    assert [slot.verdict for slot in world.ledger.resolve([kept, also])] == ["citable", "citable"]
    report = world.ledger.verify()
    assert report.valid, report.findings


def test_names_that_a_refused_verb_brought_are_not_kept_by_the_batch(world: World) -> None:
    with world.ledger.batch():
        before = world.ledger.tree_head().size
        assert refused(lambda: world.ledger.member("new", "group:new", left=True)) == "not_found"
        assert refused(lambda: world.ledger.source(native="n", title="T", by="stranger")) == "denied"
        assert world.ledger.tree_head().size == before
    assert world.ledger._session.find_name("agent", "stranger") is None


def test_the_graph_does_not_take_in_what_a_batch_may_undo(world: World) -> None:
    def write() -> None:
        with world.ledger.batch():
            world.conclude("Undone.")
            assert refused(lambda: world.ledger.sparql("ASK { ?s ?p ?o }")) == "bad_input"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert world.ledger.verify().valid
