"""Input of the wrong kind or form: refused with a code of ours, and nothing is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.files import FilesConnector
from prov_ledger.errors import ProvLedgerError, Refused
from tests.ledger.worlds import QUOTE, World, make_world, refused

HALF = "half \ud800 character"
HUGE = 10**5000
#: Every kind of thing that a caller may hand over by mistake.
WRONG: dict[str, object] = {
    "none": None,
    "number": 7,
    "huge number": HUGE,
    "fraction": 0.5,
    "not a number": float("nan"),
    "truth": True,
    "bytes": b"\xff\xfe",
    "empty text": "",
    "blank text": " \t",
    "half a character": HALF,
    "a zero character": "\0",
    "a long text": "x" * 3_000_000,
    "line breaks": "a\nb> .\n<x> <y> <z",
    "empty list": [],
    "list of numbers": [1, 2],
    "list of nothing": [None],
    "list of lists": [[[]]],
    "set": {"a"},
    "empty mapping": {},
    "mapping with numbers": {1: 2},
    "mapping with unknown keys": {"unheard": "of"},
    "mapping of mappings": {"fact": {"fact": {}}},
    "object": object(),
    "type": str,
}
Call = Callable[[World, object], object]
VERBS: dict[str, Call] = {
    "declare_fact.name": lambda w, x: w.ledger.declare_fact(x, "date"),
    "declare_fact.type": lambda w, x: w.ledger.declare_fact("due", x),
    "agent.name": lambda w, x: w.ledger.agent(x),
    "agent.roles": lambda w, x: w.ledger.agent("reader", x),
    "collection.name": lambda w, x: w.ledger.collection(x),
    "collection.governed_by": lambda w, x: w.ledger.collection("c", governed_by=x),
    "collection.indifferent_to": lambda w, x: w.ledger.collection("c", indifferent_to=x),
    "source.native": lambda w, x: w.ledger.source(native=x, title="T"),
    "source.title": lambda w, x: w.ledger.source(native="n", title=x),
    "source.connector": lambda w, x: w.ledger.source(native="n", title="T", connector=x),
    "source.authority": lambda w, x: w.ledger.source(native="n", title="T", authority=x),
    "source.collection": lambda w, x: w.ledger.source(native="n", title="T", collection=x),
    "source.governed_by": lambda w, x: w.ledger.source(native="n", title="T", governed_by=x),
    "source.indifferent_to": lambda w, x: w.ledger.source(native="n", title="T", indifferent_to=x),
    "source.came_from": lambda w, x: w.ledger.source(native="n", title="T", came_from=x),
    "rename.source": lambda w, x: w.ledger.rename(x, "n", "2026-06-01T00:00:00Z"),
    "rename.native": lambda w, x: w.ledger.rename(w.source, x, "2026-06-01T00:00:00Z"),
    "rename.since": lambda w, x: w.ledger.rename(w.source, "n", x),
    "revision.source": lambda w, x: w.ledger.revision(x, data="d", label="v2"),
    "revision.data": lambda w, x: w.ledger.revision(w.source, data=x, label="v2"),
    "revision.label": lambda w, x: w.ledger.revision(w.source, data="d", label=x),
    "revision.media_type": lambda w, x: w.ledger.revision(w.source, data="d", label="v2", media_type=x),
    "revision.published": lambda w, x: w.ledger.revision(w.source, data="d", label="v2", published=x),
    "revision.scope": lambda w, x: w.ledger.revision(w.source, data="d", label="v2", scope=x),
    "revision.relation": lambda w, x: w.ledger.revision(w.source, data="d", label="v2", relation=x),
    "revision.relation.replaces": lambda w, x: w.ledger.revision(
        w.source, data="d", label="v2", relation={"replaces": x, "from": "2026-06-01"}
    ),
    "revision.relation.from": lambda w, x: w.ledger.revision(
        w.source, data="d", label="v2", relation={"replaces": w.revision, "from": x}
    ),
    "scope.of": lambda w, x: w.ledger.scope(x, [{"fact": "region", "in": ["DE"]}]),
    "scope.scope": lambda w, x: w.ledger.scope(w.revision, x),
    "scope.condition": lambda w, x: w.ledger.scope(w.revision, [x]),
    "scope.fact": lambda w, x: w.ledger.scope(w.revision, [{"fact": x, "in": ["DE"]}]),
    "scope.in": lambda w, x: w.ledger.scope(w.revision, [{"fact": "region", "in": x}]),
    "scope.in.value": lambda w, x: w.ledger.scope(w.revision, [{"fact": "order", "in": [x]}]),
    "scope.from": lambda w, x: w.ledger.scope(w.revision, [{"fact": "purchase_date", "from": x}]),
    "scope.min": lambda w, x: w.ledger.scope(w.revision, [{"fact": "total", "min": x}]),
    "evidence.revision": lambda w, x: w.ledger.evidence(x, quote=QUOTE),
    "evidence.quote": lambda w, x: w.ledger.evidence(w.revision, quote=x),
    "evidence.prefix": lambda w, x: w.ledger.evidence(w.revision, quote="returned", prefix=x),
    "evidence.cell": lambda w, x: w.ledger.evidence(w.revision, cell=x),
    "evidence.cell.row": lambda w, x: w.ledger.evidence(w.revision, cell={"row": x, "column": "c"}),
    "evidence.cell.column": lambda w, x: w.ledger.evidence(w.revision, cell={"row": 1, "column": x}),
    "evidence.indifferent_to": lambda w, x: w.ledger.evidence(w.revision, quote="may", indifferent_to=x),
    "check.source": lambda w, x: w.ledger.check(x, "current"),
    "check.outcome": lambda w, x: w.ledger.check(w.source, x),
    "retire.source": lambda w, x: w.ledger.retire(x, "2026-06-01"),
    "retire.from": lambda w, x: w.ledger.retire(w.source, x),
    "authority.level": lambda w, x: w.ledger.authority(w.source, x),
    "claim.says": lambda w, x: w.conclude(x),
    "claim.support": lambda w, x: w.conclude(support=x),
    "claim.support.group": lambda w, x: w.conclude(support=[x]),
    "claim.support.member": lambda w, x: w.conclude(support=[[x]]),
    "claim.transformation": lambda w, x: w.conclude(transformation=x),
    "claim.transformation.kind": lambda w, x: w.conclude(transformation={"kind": x}),
    "claim.transformation.by": lambda w, x: w.conclude(transformation={"kind": "compute", "by": x}),
    "claim.transformation.note": lambda w, x: w.conclude(transformation={"kind": "select", "note": x}),
    "claim.question": lambda w, x: w.conclude(question=x),
    "claim.question.text": lambda w, x: w.conclude(question={"text": x}),
    "claim.question.facts": lambda w, x: w.conclude(question={"text": "q", "facts": x}),
    "claim.question.fact": lambda w, x: w.conclude(question={"text": "q", "facts": {"order": x}}),
    "claim.question.number": lambda w, x: w.conclude(question={"text": "q", "facts": {"total": x}}),
    "claim.bound_to": lambda w, x: w.conclude(bound_to=x),
    "claim.narrow": lambda w, x: w.conclude(narrow=x),
    "claim.exposure": lambda w, x: w.conclude(exposure=x),
    "claim.by": lambda w, x: w.conclude(by=x),
    "claim.purpose": lambda w, x: w.conclude(purpose=x),
    "supersede.old": lambda w, x: w.ledger.supersede(x, **claim_parts(w)),
    "supersede.reason": lambda w, x: w.ledger.supersede(w.claim, reason=x, **claim_parts(w)),
    "retract.claim": lambda w, x: w.ledger.retract(x),
    "retract.reason": lambda w, x: w.ledger.retract(w.claim, reason=x),
    "contradict.claims": lambda w, x: w.ledger.contradict(x),
    "grant.who": lambda w, x: w.ledger.grant(x, w.source),
    "grant.read": lambda w, x: w.ledger.grant("reader", x),
    "grant.until": lambda w, x: w.ledger.grant("reader", w.source, until=x),
    "grant.for_purpose": lambda w, x: w.ledger.grant("reader", w.source, for_purpose=x),
    "revoke.who": lambda w, x: w.ledger.revoke(x, w.source),
    "revoke.read": lambda w, x: w.ledger.revoke("reader", x),
    "member.who": lambda w, x: w.ledger.member(x, "group:g"),
    "member.of": lambda w, x: w.ledger.member("reader", x),
    "deny.source": lambda w, x: w.ledger.deny(x),
    "deny.reason": lambda w, x: w.ledger.deny(w.source, x),
    "allow.source": lambda w, x: w.ledger.allow(x),
    "remind.claims": lambda w, x: w.ledger.remind(x, 100),
    "remind.budget": lambda w, x: w.ledger.remind([w.claim], x),
    "remind.thread": lambda w, x: w.ledger.remind([w.claim], 100, thread=x),
    "packet.reminder": lambda w, x: w.ledger.packet(x),
    "resolve.ids": lambda w, x: w.ledger.resolve(x),
    "resolve.principal": lambda w, x: w.ledger.resolve([w.claim], principal=x),
    "resolve.facts": lambda w, x: w.ledger.resolve([w.claim], facts=x),
    "resolve.fact": lambda w, x: w.ledger.resolve([w.claim], facts={"region": x}),
    "resolve.date": lambda w, x: w.ledger.resolve([w.claim], facts={"question_date": x}),
    "resolve.purpose": lambda w, x: w.ledger.resolve([w.claim], purpose=x),
    "resolve.now": lambda w, x: w.ledger.resolve([w.claim], now=x),
    "resolve.as_of": lambda w, x: w.ledger.resolve([w.claim], as_of=x),
    "resolve.min_authority": lambda w, x: w.ledger.resolve([w.claim], min_authority=x),
    "resolve.max_age": lambda w, x: w.ledger.resolve([w.claim], max_age=x),
    "show.native_or_id": lambda w, x: w.ledger.show(x),
    "show.on": lambda w, x: w.ledger.show(w.source, on=x),
    "sparql.text": lambda w, x: w.ledger.sparql(x),
    "sparql.text_columns": lambda w, x: w.ledger.sparql("SELECT ?s { ?s a pl:Claim }", text_columns=x),
    "sync.collection": lambda w, x: w.ledger.sync(FilesConnector(w.folder.parent / "empty"), collection=x),
}


def claim_parts(world: World) -> dict[str, object]:
    return {
        "says": "Corrected.",
        "support": [world.evidence],
        "transformation": {"kind": "select"},
        "question": {"text": "How long?"},
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "empty").mkdir()
    return make_world(folder / "ledger")


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_argument_is_refused_with_a_code_or_taken_for_what_it_is(world: World, verb: str) -> None:
    messages = []
    for kind, value in WRONG.items():
        before = world.state()
        message = message_of(lambda value=value: VERBS[verb](world, value))
        if message is not None:
            messages.append(message)
            assert world.state() == before, (verb, kind)
        elif verb in ("supersede.reason", "retract.reason", "deny.reason"):
            return_to_start(world, verb)
    assert len(messages) >= 8
    assert max(map(len, messages)) < 2000
    assert not any("\ud800" in message for message in messages)


def message_of(call: Callable[[], object]) -> str | None:
    """With what a call is refused; None where it is not. Any error that is not ours goes on."""
    try:
        call()
    except ProvLedgerError as error:
        return error.message
    return None


def return_to_start(world: World, verb: str) -> None:
    """After a correction, a retraction or a denial the world needs a claim that stands, and its source."""
    if verb == "deny.reason":
        try:
            world.ledger.allow(world.source)
        except Refused:
            return
    else:
        world.claim = world.conclude()


def test_what_was_taken_still_verifies(world: World) -> None:
    report = world.ledger.verify()
    assert report.valid, report.findings[:3]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x80" * 10, "Grüße".encode("latin-1")])
def test_a_quote_from_bytes_that_are_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        source = ledger.source(native="n", title="T")
        revision = ledger.revision(source, data=data, label="v1")
        head = ledger.tree_head()
        with pytest.raises(ProvLedgerError) as refusal:
            ledger.evidence(revision, quote="text")
        assert refusal.value.code in ("bad_input", "quote_not_found")
        assert ledger.tree_head() == head
        assert ledger.show(revision).data == data


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda w: w.conclude(support=w.evidence), "bad_input"),
        (lambda w: w.conclude(support=None), "incomplete"),
        (lambda w: w.conclude(None), "incomplete"),
        (lambda w: w.conclude(transformation={"kind": "select", "by": "region"}), "bad_input"),
        (lambda w: w.conclude(question={"text": "q", "unheard": 1}), "bad_input"),
        (lambda w: w.conclude(support=[HALF]), "malformed_id"),
        (lambda w: w.conclude(HALF), "bad_input"),
        (lambda w: w.ledger.source(native=HALF, title="T"), "bad_input"),
        (lambda w: w.ledger.resolve(w.claim), "bad_input"),
        (lambda w: w.ledger.resolve([w.claim], facts={"region": HALF}), "bad_fact"),
        (lambda w: w.ledger.resolve([w.claim], facts={"total": HUGE}), "bad_fact"),
        (lambda w: w.ledger.agent("reader", "agent"), "bad_input"),
        (lambda w: w.ledger.remind([w.claim], HUGE), "bad_input"),
        (lambda w: w.ledger.sparql("SELECT * { ?s ?p"), "bad_query"),
        (lambda w: w.ledger.source(native="n", title="T", came_from="src_0"), "malformed_id"),
    ],
)
def test_the_code_says_what_is_wrong(world: World, call: Callable[[World], object], code: str) -> None:
    before = world.state()
    with pytest.raises(ProvLedgerError) as refusal:
        call(world)
    assert refusal.value.code == code
    assert world.state() == before


def test_a_budget_in_which_no_packet_fits_is_refused_with_the_smallest_that_does(world: World) -> None:
    before = world.state()
    message = message_of(lambda: world.ledger.remind([world.claim], 1, thread="small"))
    assert message is not None
    assert world.state() == before
    smallest = int(message.rpartition(" ")[2])
    assert world.ledger.remind([world.claim], smallest).text != ""
    assert message_of(lambda: world.ledger.remind([world.claim], smallest - 1)) is not None


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
@pytest.mark.parametrize("verb", ["deny", "allow", "hold", "release", "retract"])
def test_a_blank_reason_is_refused(tmp_path: Path, verb: str, blank: str) -> None:
    world = make_world(tmp_path / "ledger")
    if verb in ("allow", "release"):
        getattr(world.ledger, {"allow": "deny", "release": "hold"}[verb])(world.source)
    before = world.state()
    on = world.claim if verb == "retract" else world.source
    assert refused(lambda: getattr(world.ledger, verb)(on, reason=blank)) == "bad_input"
    assert world.state() == before
    getattr(world.ledger, verb)(on)
