"""What is written against ``Ledger`` runs against ``Client``: the same sentences on both."""

import inspect
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import cast

import pytest
from served_ledgers import serving

from prov_ledger import Ledger, ProvLedgerError, Refused
from prov_ledger.checks.findings import NO_ENTRY
from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.client import Client
from prov_ledger.errors import QueryError, ShapeViolation
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.service.verbs import VERBS

PAGE = "# Returns\n\nGoods may be returned within 60 days.\n\nShipping is free above 50 EUR.\n"
QUOTE = "Goods may be returned within 60 days."
FACTS = {"purchase_date": "date", "total": {"number": "EUR"}, "order": {"code": "personal"}}
_NUMBERS = itertools.count(1)


@dataclass
class Handles:
    """One new tenant, in the hands of whoever is named: directly, or through the service."""

    folder: Path
    tenant: str
    address: str | None
    stack: ExitStack
    keys: dict[str, str] = field(default_factory=dict)

    def as_(self, agent: str) -> Ledger:
        if self.address is None:
            opened = Ledger.open(self.folder, tenant=self.tenant, agent=agent)
            return self.stack.enter_context(opened)
        with Ledger.open(self.folder, tenant=self.tenant) as ledger:
            id = ledger.find_agent(agent) or ledger.agent(agent)
        keys = ApiKeys(self.folder)
        token = keys.create(self.tenant, id)[1]
        keys.close()
        client = Client(self.address, token=token, tenant=self.tenant)
        return cast(Ledger, self.stack.enter_context(client))


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("served") / "ledger"
    Ledger.init(folder, tenant="first").close()
    with serving(folder) as address:
        yield folder, address


@pytest.fixture(params=["ledger", "client"])
def handles(request: pytest.FixtureRequest, ledgers: tuple[Path, str]) -> Iterator[Handles]:
    folder, address = ledgers
    tenant = f"t{next(_NUMBERS)}"
    Ledger.init(folder, tenant=tenant, facts=FACTS, zone="Europe/Vienna").close()
    with ExitStack() as stack:
        yield Handles(folder, tenant, address if request.param == "client" else None, stack)


@pytest.fixture
def curator(handles: Handles) -> Ledger:
    return handles.as_("curator")


def _page(ledger: Ledger) -> tuple[str, str, str]:
    source = ledger.source(native="wiki:returns", title="Returns policy")
    revision = ledger.revision(source, data=PAGE, media_type="text/markdown", label="12")
    return source, revision, ledger.evidence(revision, quote=QUOTE)


def _claim(ledger: Ledger, evidence: str, says: str = "You have 60 days.") -> str:
    return ledger.claim(
        says=says,
        support=[evidence],
        transformation={"kind": "select"},
        question={"text": "How long may I return it?", "facts": {}},
    )


def test_a_claim_is_made_and_resolved(curator: Ledger) -> None:
    source, revision, evidence = _page(curator)
    slot = curator.resolve([_claim(curator, evidence), "cl_nonsense"])
    assert [one.verdict for one in slot] == ["citable", "malformed"]
    quote = slot[0].quotes[0]
    assert (quote.quote, quote.source, quote.revision, quote.title) == (
        QUOTE,
        source,
        revision,
        "Returns policy",
    )
    assert slot[0].statement == "You have 60 days."
    assert slot[0].last_confirmed is not None
    assert slot[0].last_confirmed.tzinfo is not None


def test_the_same_again_gives_the_same_id(curator: Ledger) -> None:
    _, revision, evidence = _page(curator)
    assert curator.evidence(revision, quote=QUOTE) == evidence


def test_dates_numbers_and_instants_go_as_python_values(curator: Ledger) -> None:
    source = curator.source(native="a", title="A")
    scope = [{"fact": "purchase_date", "from": date(2026, 6, 1), "until": "open"}]
    published = datetime(2026, 6, 1, tzinfo=UTC)
    revision = curator.revision(source, data=PAGE, label="1", scope=scope, published=published)
    evidence = curator.evidence(revision, quote=QUOTE)
    verdicts = [
        curator.resolve([evidence], facts={"purchase_date": day})[0].verdict
        for day in (date(2026, 7, 2), date(2026, 4, 12))
    ]
    assert verdicts == ["citable", "not_yet"]
    assert curator.show(source, on=date(2026, 6, 2)).published == published


def test_bytes_come_back_as_they_went(curator: Ledger) -> None:
    source = curator.source(native="a", title="A")
    data = bytes(range(256)) * 40
    revision = curator.revision(source, data=data, label="1", media_type="application/octet-stream")
    shown = curator.show(revision)
    assert (shown.data, shown.source, shown.label) == (data, source, "1")


def test_a_reader_gets_what_was_granted_and_nothing_else(handles: Handles, curator: Ledger) -> None:
    source, _, evidence = _page(curator)
    reader = handles.as_("amira")
    assert reader.resolve([evidence])[0].verdict == "withheld"
    curator.grant("amira", source, until=date(2999, 1, 1))
    assert reader.resolve([evidence])[0].verdict == "citable"
    curator.revoke("amira", source)
    assert reader.resolve([evidence])[0].verdict == "withheld"


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("malformed_id", lambda ledger: ledger.explain("cl_0000000000000000ab")),
        ("malformed_id", lambda ledger: ledger.revision("src_x", data="a", label="1")),
        ("undeclared_fact", lambda ledger: ledger.resolve(["ev_x"], facts={"purchase_day": "2026-01-01"})),
        ("bad_fact", lambda ledger: ledger.resolve(["ev_x"], facts={"purchase_date": "soon"})),
        ("bad_input", lambda ledger: ledger.resolve("ev_x")),
        ("bad_input", lambda ledger: ledger.source(native=3, title="A")),
        ("incomplete", lambda ledger: ledger.reaffirm()),
    ],
)
def test_what_is_refused_has_its_code(curator: Ledger, code: str, call: Callable[[Ledger], object]) -> None:
    with pytest.raises(ProvLedgerError) as refused:
        call(curator)
    assert refused.value.code == code


def test_a_role_that_is_lacking_is_named(handles: Handles) -> None:
    with pytest.raises(Refused, match=r"^'source' needs the role curator: ") as refused:
        handles.as_("amira").source(native="a", title="A")
    assert refused.value.code == "denied"


@pytest.mark.parametrize(
    ("verb", "call"),
    [
        ("verify", lambda ledger: ledger.verify()),
        ("rebuild", lambda ledger: ledger.rebuild()),
        ("release", lambda ledger: ledger.release("collection:a")),
    ],
)
def test_what_was_called_is_what_the_refusal_names(
    handles: Handles, verb: str, call: Callable[[Ledger], object]
) -> None:
    with pytest.raises(ProvLedgerError, match=rf"^'{verb}' needs one of the roles ") as refused:
        call(handles.as_("amira"))
    assert refused.value.code == "denied"


def test_a_claim_is_corrected_and_explained(curator: Ledger) -> None:
    _, _, evidence = _page(curator)
    old = _claim(curator, evidence)
    new = curator.supersede(
        old,
        says="You have 60 days, counted from delivery.",
        support=[evidence],
        transformation={"kind": "select"},
        question={"text": "How long may I return it?", "facts": {}},
        reason="more precise",
    )
    slot = curator.resolve([old])[0]
    assert (slot.verdict, slot.superseded_by) == ("superseded", new)
    assert slot.candidates[0].id == evidence
    account = curator.explain(old)
    assert (account.then.verdict, account.now.verdict) == ("citable", "superseded")
    assert account.support.members[0][0].id == evidence
    assert [event.kind for event in account.since][-1] == "superseded"
    curator.retract(new)
    assert curator.resolve([new])[0].verdict == "retracted"


def test_a_packet_a_thread_and_a_checked_answer(handles: Handles, curator: Ledger) -> None:
    source, _, evidence = _page(curator)
    claim = _claim(curator, evidence)
    curator.grant("amira", source)
    made = curator.remind([claim], budget=200, thread="chat-7", readers=["amira"])
    reader = handles.as_("amira")
    assert reader.packet(made.id).text == made.text
    assert [slot.id for slot in reader.thread("chat-7")] == [claim]
    checked = reader.check_answer("You have 60 days [c1]. And 90 more.", thread="chat-7", strict=True)
    assert (checked.allowed, checked.cited, len(checked.uncited)) == (False, (claim,), 1)
    before = datetime.now(UTC)
    curator.retract(claim)
    assert [fallen.id for fallen in reader.changes("chat-7", before)] == [claim]


def test_found_evidence_and_passages(curator: Ledger) -> None:
    _, revision, evidence = _page(curator)
    found = curator.find("returned days", limit=5)
    assert [one.id for one in found.evidence] == [evidence]
    assert [one.revision for one in curator.find("shipping").passages] == [revision]


def test_results_of_tools_and_citations_are_bound(curator: Ledger) -> None:
    curator.grant("curator", "*")
    made = curator.tool_result("status", {"order": "88"}, "The order was shipped.", quote="shipped")
    assert curator.resolve([made.evidence])[0].quotes[0].quote == "shipped"
    _, revision, _ = _page(curator)
    citation = {
        "type": "char_location",
        "cited_text": QUOTE,
        "document_index": 0,
        "document_title": "Returns",
        "start_char_index": 11,
        "end_char_index": 11 + len(QUOTE),
    }
    (bound,) = curator.bind([citation], [revision])
    assert (type(bound).__name__, getattr(bound, "revision", None)) == ("Bound", revision)


def test_the_declared_facts_are_a_table(curator: Ledger) -> None:
    curator.declare_fact("region", "code")
    table = curator.facts()
    assert table.zone == "Europe/Vienna"
    assert table.get("total").unit == "EUR"
    assert [type_.name for type_ in table if type_.personal] == ["order"]


def test_the_ledger_is_verified_and_its_head_told(curator: Ledger) -> None:
    _page(curator)
    report, head = curator.verify(), curator.tree_head()
    assert (report.valid, report.entries, report.root) == (True, head.size, head.root.hex())


def test_a_source_is_denied_and_allowed(curator: Ledger) -> None:
    source, _, evidence = _page(curator)
    curator.deny(source, "under review")
    assert curator.resolve([evidence])[0].verdict == "withheld"
    curator.allow(source)
    assert curator.resolve([evidence])[0].verdict == "citable"


def test_an_erasure_is_planned_and_run(curator: Ledger) -> None:
    source, _, evidence = _page(curator)
    plan = curator.plan_erasure([source])
    erased = curator.run_erasure(plan.hash, reason="request 12")
    assert (erased.plan, source in plan.targets) == (plan.hash, True)
    assert curator.resolve([evidence])[0].verdict == "withheld"
    curator.certificate(erased.id).verify()


def test_an_entry_that_does_not_conform_brings_its_findings(
    curator: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verb writes such an entry: what finds something here stands in for newer shapes."""
    monkeypatch.setattr(EntryValidator, "check", lambda *_: (NO_ENTRY,))
    with pytest.raises(ShapeViolation) as refused:
        curator.agent("amira")
    assert refused.value.findings


def test_the_graph_is_asked_by_an_analyst(curator: Ledger) -> None:
    source, _, evidence = _page(curator)
    claim = _claim(curator, evidence)
    rows = curator.sparql("SELECT ?claim { ?claim a pl:Claim }", text_columns=["claim"])
    assert [[getattr(term, "value", None) or term.lexical for term in row] for row in rows.rows] == [
        [curator.base + claim, "You have 60 days."]
    ]
    assert curator.sparql("ASK { ?claim a pl:Claim }") is True
    alone = curator.named_query("single_source", {"source": source})
    assert [[term.value for term in row] for row in alone.rows] == [
        [curator.base + source, curator.base + claim]
    ]
    with pytest.raises(QueryError):
        curator.sparql("SELECT")


#: What a script can do with a ledger in its own process alone, each with the reason that is told.
_NOT_OVER_HTTP = ("batch", "sync", "keep_search_index", "drop_search_index")


@pytest.mark.parametrize("name", _NOT_OVER_HTTP)
def test_what_a_service_does_not_offer_is_refused_by_name(name: str, ledgers: tuple[Path, str]) -> None:
    client = Client(ledgers[1])
    call = client.batch().__enter__ if name == "batch" else getattr(client, name)
    with pytest.raises(Refused) as refused:
        call()
    assert refused.value.code == "not_supported"


def test_who_acts_cannot_be_said_by_an_argument(ledgers: tuple[Path, str]) -> None:
    with pytest.raises(Refused) as refused:
        Client(ledgers[1]).resolve(["ev_x"], principal="amira")
    assert refused.value.code == "not_supported"


def test_a_client_has_every_verb_of_the_table_as_the_ledger_has_it() -> None:
    for verb in VERBS:
        method = getattr(Client, verb.method)
        assert inspect.signature(method) == inspect.signature(getattr(Ledger, verb.method))
        keyed = verb.writes and not verb.alone
        assert method.over_http == (verb.path, keyed, not verb.alone)
