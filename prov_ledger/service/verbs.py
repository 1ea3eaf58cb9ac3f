"""The table of verbs: which methods of ``Ledger`` are offered, under which address, with which answer.

A new verb is one row here. Its route, its models, its place in the OpenAPI and in the tests of roles
follow from the row and from the method's own signature.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from prov_ledger.checks.conformance import Report
from prov_ledger.ledger.answering import CheckedAnswer
from prov_ledger.ledger.auditing import AuditReport
from prov_ledger.ledger.binding import Bound, Unbound
from prov_ledger.ledger.erasing.accounts import Account, Mention
from prov_ledger.ledger.erasing.manifest import Manifest
from prov_ledger.ledger.erasing.sweeping import SweepReport
from prov_ledger.ledger.erasure_verbs import Erased
from prov_ledger.ledger.explaining import Explanation, Fallen
from prov_ledger.ledger.finding import Found
from prov_ledger.ledger.listing import ListedCollection, ListedGrant, ListedSource, ListedThread
from prov_ledger.ledger.reaffirming import Reaffirmation
from prov_ledger.ledger.reminding import Packet
from prov_ledger.ledger.retaining import Hold, RetentionRule
from prov_ledger.ledger.showing import Shown
from prov_ledger.ledger.tool_results import ToolEvidence
from prov_ledger.model.facts import FactType
from prov_ledger.model.slots import Slot
from prov_ledger.vault.disclosures import Disclosure

Tag = Literal[
    "set up", "take in", "quote", "conclude", "correct", "let read", "withhold", "ask", "erase", "audit"
]

#: What a method returns where that is no type of its own: an id, nothing, or a count.
ID, NOTHING, COUNT = "id", "nothing", "count"


@dataclass(frozen=True, slots=True)
class Verb:
    """One method of ``Ledger`` at ``POST /v1/{tenant}/{path}``.

    ``role`` is its row in ``VERB_ROLES``, None where no role is needed. ``answers`` is the type that it
    returns, or ID, NOTHING, COUNT. ``again`` says what of the answer is kept for an Idempotency-Key and
    which method makes the answer anew from it: text is never kept. ``alone``: it takes no such key, since
    it is more than one durable step, each of which can be begun again.
    """

    method: str
    path: str
    tag: Tag
    answers: object
    role: str | None = None
    writes: bool = False
    again: tuple[str, str] | None = None
    example: Mapping[str, object] = field(default_factory=dict)
    alone: bool = False


_CLAIM: dict[str, object] = {
    "says": "You have 60 days to return it.",
    "support": ["ev_0000000000000000ab"],
    "transformation": {"kind": "select", "by": ["purchase_date"]},
    "question": {"text": "How long may I return it?", "facts": {"purchase_date": "2026-07-02"}},
}
_SCOPE = [{"fact": "purchase_date", "from": "2026-06-01", "until": "open"}]
_FACTS = {"purchase_date": "2026-07-02"}
_ERASURE = "era_0000000000000000ab"
_SOURCE, _REVISION, _CLAIM_ID = "src_0000000000000000ab", "rev_0000000000000000ab", "cl_0000000000000000ab"


def _write(method: str, path: str, tag: Tag, role: str, answers: object, **example: object) -> Verb:
    return Verb(method, path, tag, answers, role, True, None, example)


def _alone(method: str, path: str, role: str, answers: object, **example: object) -> Verb:
    return Verb(method, path, "erase", answers, role, True, None, example, alone=True)


def _read(method: str, path: str, answers: object, **example: object) -> Verb:
    return Verb(method, path, "ask", answers, example=example)


VERBS: tuple[Verb, ...] = (
    _write("declare_fact", "fact", "set up", "fact", NOTHING, name="purchase_date", type="date"),
    _write("agent", "agent", "set up", "agent", ID, name="support-bot", roles=["agent"]),
    _write("collection", "collection", "set up", "collection", ID, name="handbook"),
    _write("sensitive", "sensitive", "set up", "collection", NOTHING, collection="handbook"),
    _write("source", "source", "take in", "source", ID, native="wiki:returns", title="Returns policy"),
    _write(
        *("rename", "rename", "take in", "source", NOTHING),
        source=_SOURCE,
        native="wiki:returns-2",
        since="2026-06-01T00:00:00Z",
    ),
    _write(
        *("revision", "revision", "take in", "revision", ID),
        source=_SOURCE,
        data="Goods may be returned within 60 days.",
        label="12",
        scope=_SCOPE,
    ),
    _write("scope", "scope", "take in", "scope", NOTHING, of=_REVISION, scope=_SCOPE),
    _write("check", "check", "take in", "check", NOTHING, source=_SOURCE, outcome="current"),
    _write("authority", "authority", "take in", "authority", NOTHING, source=_SOURCE, level="official"),
    _write("retire", "retire", "take in", "retire", NOTHING, source=_SOURCE, **{"from": "2026-06-01"}),
    _write(
        *("tool_result", "tool-result", "take in", "revision", ToolEvidence),
        tool="order_status",
        arguments={"order": "88-1417"},
        result="shipped",
    ),
    _write("evidence", "evidence", "quote", "evidence", ID, revision=_REVISION, quote="within 60 days"),
    _write("bind", "bind", "quote", "evidence", list[Bound | Unbound], citations=[], documents=[_REVISION]),
    _write("claim", "claim", "conclude", "claim", ID, **_CLAIM),
    _write("contradict", "contradict", "conclude", "contradict", NOTHING, claims=[_CLAIM_ID, _CLAIM_ID]),
    Verb(
        *("remind", "remind", "conclude", Packet, "remind", True, ("id", "packet")),
        example={"claims": [_CLAIM_ID], "budget": 200, "thread": "chat-7"},
    ),
    _write("supersede", "supersede", "correct", "supersede", ID, old=_CLAIM_ID, **_CLAIM, reason="new rule"),
    _write(
        *("restate", "restate", "correct", "supersede", NOTHING),
        claim=_CLAIM_ID,
        says="60 days.",
        exposure=["ev_0000000000000000ab"],
    ),
    _write("reaffirm", "reaffirm", "correct", "supersede", Reaffirmation, claims=[_CLAIM_ID]),
    _write("retract", "retract", "correct", "retract", NOTHING, claim=_CLAIM_ID, reason="misread"),
    _write("grant", "grant", "let read", "grant", NOTHING, who="support-bot", read=_SOURCE),
    _write("revoke", "revoke", "let read", "revoke", NOTHING, who="support-bot", read=_SOURCE),
    _write("member", "member", "let read", "member", NOTHING, who="amira", of="group:support"),
    _write("deny", "deny", "withhold", "deny", NOTHING, source=_SOURCE, reason="under review"),
    _write("allow", "allow", "withhold", "deny", NOTHING, source=_SOURCE),
    _read("resolve", "resolve", list[Slot], ids=[_CLAIM_ID], facts=_FACTS),
    _read(
        *("check_answer", "answer", CheckedAnswer),
        text="You have 60 days [c1].",
        thread="chat-7",
        facts=_FACTS,
    ),
    _read("find", "find", Found, text="return days", facts=_FACTS),
    _read("thread", "thread", list[Slot], name="chat-7", facts=_FACTS),
    _read("changes", "changes", tuple[Fallen, ...], thread="chat-7", since="2026-06-01"),
    _read("packet", "packet", Packet, reminder="rem_0000000000000000ab"),
    _read("show", "show", Shown, native_or_id=_REVISION),
    _read("explain", "explain", Explanation, claim=_CLAIM_ID),
    _read("facts", "facts", list[FactType]),
    _read("list_sources", "list-sources", tuple[ListedSource, ...]),
    _read("list_collections", "list-collections", tuple[ListedCollection, ...]),
    _read("list_grants", "list-grants", tuple[ListedGrant, ...]),
    _read("list_threads", "list-threads", tuple[ListedThread, ...]),
    Verb("plan_erasure", "plan-erasure", "erase", Manifest, "erase", example={"ids": [_SOURCE]}),
    _alone("run_erasure", "run-erasure", "erase", Erased, plan="5f" * 32, reason="request 12"),
    _alone("erase", "erase", "erase", Erased, ids=[_SOURCE], reason="request 12"),
    Verb("certificate", "certificate", "erase", dict[str, JsonValue], "erase", example={"erasure": _ERASURE}),
    Verb("traces", "traces", "erase", tuple[str, ...], "erase", example={"text": "88-1417"}),
    Verb("access", "access", "erase", Account, "access", example={"ids": [_SOURCE]}),
    Verb("mentions", "mentions", "erase", tuple[Mention, ...], "access", example={"text": "88-1417"}),
    _write("hold", "hold", "erase", "hold", NOTHING, on=_SOURCE, reason="case 7"),
    _write("release", "release", "erase", "hold", NOTHING, on=_SOURCE, reason="closed"),
    Verb("holds", "holds", "erase", tuple[Hold, ...], "hold"),
    _write("retention", "retention", "erase", "retention", NOTHING, on=_SOURCE, bytes_for="P2Y"),
    Verb("retention_rules", "retention-rules", "erase", tuple[RetentionRule, ...], "retention"),
    _alone("sweep", "sweep", "sweep", SweepReport),
    Verb(
        "disclosures", "disclosures", "audit", list[Disclosure], "disclosures", example={"thread": "chat-7"}
    ),
    _alone("forget_disclosures", "forget-disclosures", "forget", COUNT, before="2025-01-01T00:00:00Z"),
    Verb("verify", "verify", "audit", AuditReport, "audit"),
    Verb("validate", "validate", "audit", Report, "audit"),
    Verb("rebuild", "rebuild", "audit", COUNT, "audit"),
)

#: Public methods of ``Ledger`` that are no routes, and why.
NOT_OFFERED: Mapping[str, str] = {
    "init": "whoever runs the service makes tenants",
    "open": "the service does that",
    "close": "the service does that",
    "base": "in every answer of an entity's address",
    "batch": "a request is one write; many go through bulk, each line by itself",
    "sync": "what a connector reads lies with whoever runs the service",
    "load": "the service does that at its start",
    "keep_search_index": "a place on the service's disk",
    "drop_search_index": "a place on the service's disk",
    "sparql": "the SPARQL protocol, at /v1/{tenant}/sparql",
    "named_query": "the SPARQL protocol, at /v1/{tenant}/sparql",
    **dict.fromkeys(
        ("backup", "rotate_keys", "confirm_grants"),
        "whoever keeps the ledger's files and keys does that",
    ),
    "tree_head": "GET /v1/{tenant}/tree-head",
    "provenance": "GET /v1/{tenant}/id/{id}",
    "entries": "GET /v1/{tenant}/entries",
    "leaves": "GET /v1/{tenant}/export",
    **dict.fromkeys(
        (
            "find_agent",
            "agent_name",
            "roles_of",
            "names_version",
            "is_founder",
            "narrowed",
            "check_may",
            "keyed_hash",
            "passing_hash",
            "last_entry",
            "has_entry",
            "held",
            "catch_up",
            "snapshots",
            "snapshot",
            "snapshot_age_s",
            "join_texts",
        ),
        "for interfaces, not for callers",
    ),
}
