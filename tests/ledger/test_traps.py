"""Ways in which systems of this kind have failed, each tried on a whole ledger."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.authz.port import Answer, ReadRequest
from prov_ledger.errors import ProvLedgerError, QueryError, Refused
from prov_ledger.model.ids import mint_id
from tests.ledger.worlds import OTHER, PAGE, QUOTE, START, World, conclude, make_world, refused

TABLE = "tier,fee\nbasic,9\nplus,19\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    yield made
    made.ledger.close()


def verdict(world: World, id: str, **given: object) -> str:
    return world.ledger.resolve([id], **given)[0].verdict  # type: ignore[arg-type]


def page(world: World, text: str, native: str = "page", **given: object) -> str:
    source = world.ledger.source(native=native, title=native)
    return str(world.ledger.revision(source, data=text, label="v1", **given))  # type: ignore[arg-type]


def test_01_a_made_up_evidence_id_supports_nothing(world: World) -> None:
    before = world.state()
    assert refused(lambda: world.conclude(support=["ev_0000000000000000zz"])) == "malformed_id"
    assert refused(lambda: world.conclude(support=[mint_id("ev")])) == "unknown_id"
    assert refused(lambda: world.conclude(support=[world.evidence, mint_id("ev")])) == "unknown_id"
    assert world.state() == before


def test_02_an_id_of_another_tenant_is_unknown(world: World) -> None:
    with Ledger.init(world.folder, tenant="other") as other:
        assert refused(lambda: conclude(other, "Says.", [world.evidence])) == "unknown_id"
        assert refused(lambda: other.evidence(world.revision, quote=QUOTE)) == "unknown_id"
        assert refused(lambda: other.source(native="n", title="T", came_from=world.source)) == "unknown_id"
        slots = other.resolve([world.claim, mint_id("cl")])
        assert [slot.verdict for slot in slots] == ["withheld", "withheld"]


def test_03_evidence_about_another_order_or_region_does_not_apply(world: World) -> None:
    about = [{"fact": "order", "in": ["88-1417"]}, {"fact": "region", "in": ["DE"]}]
    evidence = world.ledger.evidence(page(world, "Order refunded."), quote="Order refunded.", scope=about)
    claim = world.conclude(support=[evidence])
    right = {"order": "88-1417", "region": "DE"}
    assert verdict(world, claim, facts=right) == "citable"
    assert verdict(world, claim, facts={**right, "order": "88-1418"}) == "not_applicable"
    assert verdict(world, claim, facts={**right, "region": "AT"}) == "not_applicable"


@pytest.mark.parametrize("other", ["https://a/b?page=2", "https://a/b#c", "https://a/b?page=1#c"])
def test_04_addresses_that_differ_in_query_or_fragment_are_two_sources(world: World, other: str) -> None:
    first = world.ledger.source(native="https://a/b?page=1", title="A")
    assert world.ledger.source(native=other, title="A") != first


def test_05_a_passage_that_stands_twice_needs_its_surroundings(world: World) -> None:
    revision = page(world, "One fee. Two fee.")
    assert refused(lambda: world.ledger.evidence(revision, quote="fee")) == "ambiguous_quote"
    first = world.ledger.evidence(revision, quote="fee", prefix="One ")
    assert world.ledger.evidence(revision, quote="fee", prefix="Two ") != first
    assert world.ledger.evidence(revision, quote="fee", suffix=". Two") == first


def test_06_positions_count_code_points(world: World) -> None:
    revision = page(world, "\U0001f600 café: 60 days\r\n")
    evidence = world.ledger.evidence(revision, quote="60 days")
    (slot,) = world.ledger.resolve([evidence])
    assert [quote.quote for quote in slot.quotes] == ["60 days"]
    found = world.ledger.sparql(
        f"ASK {{ <{world.ledger.base}{evidence}> oa:hasSelector ?s . ?s oa:start 8 }}"
    )
    assert found is True


def test_07_the_end_of_a_quote_is_outside(world: World) -> None:
    evidence = world.ledger.evidence(page(world, "ab"), quote="a")
    ask = f"ASK {{ <{world.ledger.base}{evidence}> oa:hasSelector ?s . ?s oa:start 0 ; oa:end 1 }}"
    assert world.ledger.sparql(ask) is True


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("", "empty_quote"),
        (" \n", "empty_quote"),
        ("Goods can be returned within 60 days.", "quote_not_found"),
        ("goods may be returned within 60 days.", "quote_not_found"),
        ("Goods may be returned  within 60 days.", "quote_not_found"),
    ],
)
def test_08_an_empty_or_paraphrased_quote_is_refused(world: World, quote: str, code: str) -> None:
    before = world.state()
    assert refused(lambda: world.ledger.evidence(world.revision, quote=quote)) == code
    assert world.state() == before


def test_13_a_weaker_source_does_not_supersede_a_stronger_one(world: World) -> None:
    blog = world.ledger.source(native="blog", title="Blog", authority="informal")
    revision = world.ledger.revision(blog, data="Now 90 days.", label="post")
    evidence = world.ledger.evidence(revision, quote="Now 90 days.")
    parts = {
        "says": "90 days.",
        "support": [evidence],
        "transformation": {"kind": "select"},
        "question": {"text": "How long?"},
    }
    before = world.state()
    assert refused(lambda: world.ledger.supersede(world.claim, **parts)) == "lower_authority"
    assert world.state() == before


def test_15_a_packet_never_raises_a_status(world: World) -> None:
    packet = world.ledger.remind([world.claim], 400)
    assert "unverified until resolved" in packet.text
    world.ledger.retract(world.claim)
    assert "retracted" in world.ledger.packet(packet.id).text
    assert refused(lambda: world.conclude(support=[packet.id])) == "not_evidence"


def test_16_a_reader_who_is_not_named_is_the_one_of_the_handle(world: World) -> None:
    world.ledger.agent("clerk")
    with Ledger.open(world.folder, agent="clerk", clock=world.clock) as clerk:
        assert clerk.resolve([world.claim])[0].verdict == "withheld"
        assert refused(lambda: clerk.show(world.revision)) == "unknown_id"
        assert refused(lambda: clerk.grant("clerk", world.source)) == "unknown_id"
        assert refused(lambda: clerk.grant("clerk", "*")) == "denied"


def test_18_a_title_is_not_shown_after_access_was_revoked(world: World) -> None:
    world.ledger.grant("clerk", world.source)
    packet = world.ledger.remind([world.claim], 400)
    assert "Return policy" in world.ledger.packet(packet.id, principal="clerk").text
    world.ledger.revoke("clerk", world.source)
    assert "Return policy" not in world.ledger.packet(packet.id, principal="clerk").text
    assert refused(lambda: world.ledger.show("returns", by="clerk")) == "unknown_id"


def test_19_a_permission_ends_at_its_limit(world: World) -> None:
    world.ledger.grant("clerk", world.source, until=START + timedelta(hours=1))
    assert verdict(world, world.claim, principal="clerk") == "citable"
    world.clock.step(3599)
    assert verdict(world, world.claim, principal="clerk") == "citable"
    world.clock.step(1)
    assert verdict(world, world.claim, principal="clerk") == "withheld"


@pytest.mark.parametrize(("table", "column"), [("entry", "leaf"), ("payload", "chunks")])
def test_20_an_audit_sees_one_changed_byte(world: World, table: str, column: str) -> None:
    import sqlite3

    world.ledger.close()
    with sqlite3.connect(world.folder / "tenants" / "default" / "ledger.sqlite") as file:
        row, data = file.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid DESC").fetchone()
        changed = data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]
        file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
    file.close()
    with Ledger.open(world.folder, clock=world.clock) as ledger:
        try:
            valid = ledger.verify().valid
        except ProvLedgerError:
            valid = False
        assert not valid


def test_23_a_cell_comes_with_its_header(world: World) -> None:
    revision = page(world, TABLE, media_type="text/csv")
    evidence = world.ledger.evidence(revision, cell={"row": {"tier": "plus"}, "column": "fee"})
    (slot,) = world.ledger.resolve([evidence])
    assert [(quote.quote, quote.header_path) for quote in slot.quotes] == [("19", ("fee",))]


def test_24_a_policy_answers_for_the_date_of_the_question(world: World) -> None:
    period = [{"fact": "purchase_date", "from": "2026-06-01", "until": "2027-01-01"}]
    evidence = world.ledger.evidence(page(world, "60 days.", scope=period), quote="60 days.")
    dates = {"2026-05-31": "not_yet", "2026-06-01": "citable", "2026-12-31": "citable", "2027-01-01": "ended"}
    found = {date: verdict(world, evidence, facts={"purchase_date": date}) for date in dates}
    assert found == dates


def test_26_a_missing_bound_is_not_always(world: World) -> None:
    period = [{"fact": "purchase_date", "from": "2026-06-01"}]
    evidence = world.ledger.evidence(page(world, "60 days.", scope=period), quote="60 days.")
    assert verdict(world, evidence, facts={"purchase_date": "2030-01-01"}) == "unknown"
    assert verdict(world, evidence) == "unknown"


def test_27_a_newer_version_ends_the_default_scope_of_the_one_before(world: World) -> None:
    assert verdict(world, world.claim) == "citable"
    world.clock.step(86_400)
    world.ledger.revision(world.source, data=PAGE.replace("60", "30"), label="v2", media_type="text/markdown")
    world.clock.step(86_400)
    assert verdict(world, world.claim) == "ended"


@pytest.mark.parametrize("sentinel", ["9999-12-31", "0001-01-01", "9999-12-31T23:59:59Z"])
def test_28_a_sentinel_is_no_date(world: World, sentinel: str) -> None:
    before = world.state()
    period = [{"fact": "purchase_date", "from": "2026-06-01", "until": sentinel}]
    assert refused(lambda: world.ledger.scope(world.revision, period)) == "bad_fact"
    assert refused(lambda: world.ledger.grant("clerk", "*", until=sentinel)) == "bad_fact"
    assert world.state() == before


def test_29_a_date_that_an_instant_cuts_in_two_is_unknown(world: World) -> None:
    period = [{"fact": "purchase_date", "from": "2026-06-01T12:00:00Z", "until": "open"}]
    evidence = world.ledger.evidence(page(world, "60 days.", scope=period), quote="60 days.")
    found = [
        verdict(world, evidence, facts={"purchase_date": f"2026-0{day}"}) for day in ("5-31", "6-01", "6-02")
    ]
    assert found == ["not_yet", "unknown", "citable"]


class Careless:
    """An authoriser whose answers lack one, come twice, or are turned round."""

    policy_version = "careless-1"

    def __init__(self, how: str) -> None:
        self.how = how

    def authorise(self, requests: list[ReadRequest]) -> list[Answer]:
        answers = [Answer(request.source, True) for request in requests]
        if self.how == "short":
            return answers[:-1]
        if self.how == "doubled":
            return [*answers, answers[0]]
        return answers[::-1]


@pytest.mark.parametrize("how", ["short", "doubled", "reversed"])
def test_30_a_batch_of_answers_that_does_not_fit_withholds_all(world: World, how: str) -> None:
    other = world.ledger.evidence(page(world, "Another page."), quote="Another page.")
    world.ledger.close()
    with Ledger.open(world.folder, clock=world.clock, authoriser=Careless(how)) as ledger:
        found = [slot.verdict for slot in ledger.resolve([world.evidence, other])]
    assert found == ["withheld", "withheld"]


def test_31_a_past_state_is_shown_by_the_permissions_of_today(world: World) -> None:
    world.ledger.grant("clerk", world.source)
    world.clock.step(3600)
    past = world.clock.now
    world.clock.step(3600)
    world.ledger.revoke("clerk", world.source)
    (slot,) = world.ledger.resolve([world.claim], principal="clerk", as_of=past)
    assert (slot.verdict, slot.historical) == ("withheld", True)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { \\u0053ERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { #\nSeRvIcE SILENT <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "INSERT DATA { <a:a> <b:b> <c:c> }",
        "DROP ALL",
        "LOAD <file:///etc/passwd>",
    ],
)
def test_33_a_query_cannot_leave_its_dataset_or_change_it(world: World, query: str) -> None:
    before = world.state()
    with pytest.raises(QueryError):
        world.ledger.sparql(query)
    assert world.state() == before
    assert world.ledger.verify().valid


def test_33_no_graph_but_that_of_the_tenant_is_read(world: World) -> None:
    for graph in ("GRAPH ?g { ?s ?p ?o }", f"GRAPH <{world.ledger.base}index> {{ ?s ?p ?o }}"):
        try:
            found = world.ledger.sparql(f"ASK {{ {graph} FILTER(?g != <{world.ledger.base}graph>) }}")
        except QueryError:
            found = False
        assert found is False


def test_34_validation_sees_the_tenant_graph_and_conforms_only_if_it_is_whole(world: World) -> None:
    report = world.ledger.validate()
    assert report.conforms
    from prov_ledger.checks.conformance import validate_graph

    lines = b"".join(world.ledger._tenant.graph.current().dump()).splitlines(keepends=True)
    cut = [line for line in lines if b"statementCommitment" not in line]
    assert len(cut) < len(lines)
    assert not validate_graph(b"".join(cut)).conforms


def test_36_of_two_corrections_of_one_head_the_second_is_told(world: World) -> None:
    other = world.ledger.evidence(world.revision, quote=OTHER)

    def correct() -> str:
        return world.ledger.supersede(
            world.claim,
            says="Corrected.",
            support=[other],
            transformation={"kind": "select"},
            question={"text": "How long?"},
        )

    correct()
    before = world.state()
    with pytest.raises(Refused) as refusal:
        correct()
    assert refusal.value.code == "stale_head"
    assert world.state() == before
