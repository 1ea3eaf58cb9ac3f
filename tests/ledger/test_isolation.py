"""Every kind of id of one tenant, put to every verb of another: as if it had never been minted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import ProvLedgerError
from prov_ledger.model.ids import mint_id
from prov_ledger.rdf.terms import Iri
from prov_ledger.store.port import Rows
from tests.ledger.worlds import FACTS, QUOTE, Clock, make_world, refused

TEXTS = (QUOTE, "Return policy", "returns", "EU customers", "How long may goods", "ann", "handbook", "chat-7")
Call = Callable[[Ledger, str], object]
_CLAIM: dict[str, object] = {
    "says": "So it is.",
    "transformation": {"kind": "select"},
    "question": {"text": "Is it?"},
}
#: Each verb that takes an id, in each place where it takes one.
CALLS: dict[str, list[Call]] = {
    "access": [lambda x, id: x.access([id])],
    "agent_name": [lambda x, id: x.agent_name(id)],
    "allow": [lambda x, id: x.allow(id)],
    "authority": [lambda x, id: x.authority(id, "informal")],
    "bind": [lambda x, id: x.bind([], [id])],
    "certificate": [lambda x, id: x.certificate(id)],
    "check": [lambda x, id: x.check(id, "current")],
    "check_answer": [lambda x, id: x.check_answer(f"So it is [{id}].")],
    "claim": [
        lambda x, id: x.claim(support=[id], **_CLAIM),  # type: ignore[arg-type]
        lambda x, id: x.claim(support=[own(x)], exposure=[id], **_CLAIM),  # type: ignore[arg-type]
    ],
    "contradict": [lambda x, id: x.contradict([own_claim(x), id])],
    "deny": [lambda x, id: x.deny(id)],
    "disclosures": [lambda x, id: x.disclosures(ids=[id])],
    "erase": [lambda x, id: x.erase([id])],
    "evidence": [lambda x, id: x.evidence(id, quote="x")],
    "explain": [lambda x, id: x.explain(id)],
    "grant": [lambda x, id: x.grant("reader", id)],
    "has_entry": [lambda x, id: x.has_entry(3, id)],
    "hold": [lambda x, id: x.hold(id)],
    "join_texts": [
        lambda x, id: x.join_texts(Rows(("a",), ((Iri(x.base + id),),)), ["a"]),
        lambda x, id: x.join_texts(Rows(("a",), ((Iri(f"https://prov-ledger.invalid/other/{id}"),),)), ["a"]),
    ],
    "mentions": [lambda x, id: x.mentions(id)],
    "named_query": [
        lambda x, id: x.named_query("how_concluded", {"claim": id}),
        lambda x, id: x.named_query("rests_on", {"revision": id}),
    ],
    "packet": [lambda x, id: x.packet(id)],
    "plan_erasure": [lambda x, id: x.plan_erasure([id])],
    "provenance": [lambda x, id: x.provenance(id)],
    "reaffirm": [lambda x, id: x.reaffirm([id])],
    "release": [lambda x, id: x.release(id)],
    "remind": [lambda x, id: x.remind([id], 100)],
    "rename": [lambda x, id: x.rename(id, "other", "2026-01-01T00:00:00Z")],
    "resolve": [lambda x, id: x.resolve([id]), lambda x, id: x.resolve([id], as_of="2026-06-02T00:00:00Z")],
    "restate": [
        lambda x, id: x.restate(id, says="So.", exposure=[own(x)]),
        lambda x, id: x.restate(own_claim(x), says="So.", exposure=[id]),
    ],
    "retention": [lambda x, id: x.retention(id, bytes_for="P1Y")],
    "retire": [lambda x, id: x.retire(id, "2026-01-01T00:00:00Z")],
    "retract": [lambda x, id: x.retract(id)],
    "revision": [
        lambda x, id: x.revision(id, data="New text.", label="v2"),
        lambda x, id: x.revision(own_source(x), data="New text.", label="v2", relation={"corrects": id}),
    ],
    "revoke": [lambda x, id: x.revoke("reader", id)],
    "roles_of": [lambda x, id: x.roles_of(id)],
    "run_erasure": [lambda x, id: x.run_erasure(id)],
    "scope": [lambda x, id: x.scope(id, [{"fact": "region", "in": ["EU"]}])],
    "show": [lambda x, id: x.show(id)],
    "source": [lambda x, id: x.source(native="copy", title="Copy", came_from=id)],
    "sparql": [
        lambda x, id: x.sparql(f"SELECT ?p ?o {{ <{x.base}{id}> ?p ?o }}"),
        lambda x, id: x.sparql(f"SELECT ?p ?o {{ <https://prov-ledger.invalid/other/{id}> ?p ?o }}"),
    ],
    "supersede": [
        lambda x, id: x.supersede(id, support=[own(x)], **_CLAIM),  # type: ignore[arg-type]
        lambda x, id: x.supersede(own_claim(x), support=[id], **_CLAIM),  # type: ignore[arg-type]
    ],
    "traces": [lambda x, id: x.traces(id)],
}
#: What takes no id; names of agents, threads, groups and collections are told apart by tenant below.
_WITHOUT_IDS = """
    agent backup base batch catch_up changes check_may close collection confirm_grants declare_fact
    drop_search_index entries facts find find_agent forget_disclosures held holds init is_founder
    keep_search_index keyed_hash last_entry leaves list_collections list_grants list_sources list_threads
    load member names_version narrowed open passing_hash rebuild retention_rules rotate_keys sensitive
    snapshot snapshot_age_s snapshots sweep sync thread tool_result tree_head validate verify
"""
WITHOUT_IDS = frozenset(_WITHOUT_IDS.split())


@dataclass
class Two:
    """Two tenants of one ledger; ``ids`` are of the other one, by what they are."""

    here: Ledger
    other: Ledger
    ids: dict[str, str]
    plan: str

    def heads(self) -> tuple[object, object]:
        return self.here.tree_head(), self.other.tree_head()


_OWN: dict[int, tuple[str, str, str]] = {}


def own_source(ledger: Ledger) -> str:
    return _OWN[id(ledger)][0]


def own(ledger: Ledger) -> str:
    return _OWN[id(ledger)][1]


def own_claim(ledger: Ledger) -> str:
    return _OWN[id(ledger)][2]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder: Path = tmp_path_factory.mktemp("isolation") / "ledger"
    clock = Clock()
    world = make_world(folder, tenant="other")
    other = world.ledger
    other.collection("handbook")
    erased = other.source(native="gone", title="Gone", collection="handbook")
    other.revision(erased, data="This goes.", label="v1")
    erasure = other.erase([erased]).id
    other.grant("ann", world.source, for_purpose="support")
    other.member("ann", "group:desk")
    reminder = other.remind([world.claim], 200, thread="chat-7").id
    other.resolve([world.claim])
    journal = other._tenant.journal
    found = {entry.kind: entry.id for entry in journal.entries()}
    entities = {id.partition("_")[0]: id for id, role, *_ in journal.references() if role == "origin"}
    ids = {
        "source": world.source,
        "revision": world.revision,
        "evidence": world.evidence,
        "claim": world.claim,
        "reminder": reminder,
        "erased source": erased,
        "erasure": erasure,
        "entry": found["claim"],
        **{prefix: entities[prefix] for prefix in ("agt", "grp", "col", "pur")},
    }
    plan = other.plan_erasure([world.source]).hash
    here = Ledger.init(folder, tenant="here", facts=FACTS, clock=clock)
    source = here.source(native="own", title="Own")
    evidence = here.evidence(here.revision(source, data="Our own text.", label="v1"), quote="own text")
    claim = here.claim(support=[evidence], **_CLAIM)  # type: ignore[arg-type]
    _OWN[id(here)] = (source, evidence, claim)
    yield Two(here, other, ids, plan)
    here.close()
    other.close()


def outcome(ledger: Ledger, call: Call, id: str) -> str:
    """What a call says, with the id taken out."""
    try:
        said = repr(call(ledger, id))
    except ProvLedgerError as error:
        said = f"{error.code}: {error.message}"
    return said.replace(id, "ID")


KINDS = (
    *("source", "revision", "evidence", "claim", "reminder", "erased source", "erasure", "entry"),
    *("agt", "grp", "col", "pur"),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", sorted(CALLS))
def test_an_id_of_another_tenant_is_as_one_that_was_never_minted(two: Two, verb: str, kind: str) -> None:
    foreign = two.ids[kind]
    never = mint_id(foreign.partition("_")[0])
    for call in CALLS[verb]:
        heads = two.heads()
        told = outcome(two.here, call, foreign)
        assert told == outcome(two.here, call, never)
        assert not [text for text in TEXTS if text in told]
        assert two.heads() == heads


@pytest.mark.parametrize(("verb", "kind"), [("resolve", "claim"), ("show", "revision"), ("explain", "claim")])
def test_the_same_calls_tell_its_own_tenant_of_it(two: Two, verb: str, kind: str) -> None:
    told = outcome(two.other, CALLS[verb][0], two.ids[kind])
    assert [text for text in TEXTS if text in told]


def test_a_plan_of_another_tenant_is_no_plan_here(two: Two) -> None:
    told = outcome(two.here, CALLS["run_erasure"][0], two.plan)
    assert told == outcome(two.here, CALLS["run_erasure"][0], "0" * 64)


def test_names_of_another_tenant_stand_for_nothing_here(two: Two) -> None:
    assert two.here.find_agent("ann") is None
    assert two.other.find_agent("ann") is not None
    assert refused(lambda: two.here.thread("chat-7")) == "unknown_id"
    assert refused(lambda: two.here.changes("chat-7", since="2020-01-01T00:00:00Z")) == "unknown_id"
    assert two.here.disclosures(reader="ann", thread="chat-7") == []
    for call in (lambda x: x.show("returns"), lambda x: x.show("Return policy")):
        with pytest.raises(ProvLedgerError):
            call(two.here)
    assert two.here.find("goods returned").evidence == ()
    assert two.here.keyed_hash("agent", "ann") != two.other.keyed_hash("agent", "ann")


def test_every_public_verb_is_tried_or_takes_no_id() -> None:
    public = {name for name in dir(Ledger) if not name.startswith("_")}
    assert CALLS.keys() | WITHOUT_IDS == public
    assert not CALLS.keys() & WITHOUT_IDS
