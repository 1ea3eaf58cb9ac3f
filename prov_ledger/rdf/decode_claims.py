"""Evidence with its retrieval, claims, reminders, from nodes."""

from typing import cast

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue
from prov_ledger.rdf.decoder import (
    Decoder,
    Properties,
    decode_value,
    flag,
    instant_of,
    integer,
    local,
    text,
    text_or_none,
)
from prov_ledger.rdf.writer import A, pl, prov
from prov_ledger.vocab import EARL, OA, PL


def read_context(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a context record."""
    permission = d.nodes[d.node(p, pl("permission"))]
    outcomes: dict[str, tuple[str, str | None]] = {}
    for rendered in p[pl("check")]:
        check = d.nodes[d.name(rendered)]
        result = d.nodes[d.node(check, f"<{EARL}result>")]
        kind = next(local(t) for t in check[A] if t.startswith(f"<{PL}"))
        outcome = d.one(result, f"<{EARL}outcome>")[len(EARL) + 1 : -1]
        outcomes[kind] = (outcome, text_or_none(result, "reason"))
    return r.ContextRecord(
        node,
        d.node(p, prov("wasAssociatedWith")),
        d.node(permission, pl("principal")),
        d.node_or_none(permission, pl("purpose")),
        "permit",
        text(permission, "policyVersion"),
        instant_of(d.one(p, prov("endedAtTime"))),
        outcomes["AuthorityCheck"],
        outcomes["ApplicabilityCheck"],
    )


def read_evidence(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a evidence record."""
    return r.EvidenceRecord(
        node,
        d.node(p, prov("wasQuotedFrom")),
        selector_of(d.nodes[f"{node}#selector"]),
        text(p, "quoteCommitment"),
        d.node(p, prov("wasGeneratedBy")),
        d.scope_at(f"{node}#scope"),
        d.facts(p, pl("indifferentTo")),
    )


def selector_of(p: Properties) -> r.Selector:
    """The span or cell that a node selects."""
    if f"<{OA}start>" in p:
        return r.TextPosition(integer(p, f"<{OA}start>"), integer(p, f"<{OA}end>"))
    return r.CellPosition(integer(p, pl("row")), integer(p, pl("column")), integer(p, pl("table")))


def read_claim(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a claim record."""
    activity = d.nodes[f"{node}#activity"]
    association = d.nodes[f"{node}#association"]
    kind = cast(r.TransformationKind, local(d.one(association, prov("hadPlan"))))
    return r.ClaimRecord(
        node,
        text(p, "statementCommitment"),
        _justifications(d, p),
        frozenset(d.name(value) for value in activity.get(prov("used"), ())),
        r.Transformation(kind, d.facts(activity, pl("by")), text_or_none(activity, "noteCommitment")),
        _question(d, d.nodes[f"{node}#question"]),
        d.node(activity, prov("wasAssociatedWith")),
        instant_of(d.one(activity, prov("endedAtTime"))),
        d.facts(p, pl("boundTo")),
        d.scope_at(f"{node}#scope"),
    )


def _justifications(d: Decoder, p: Properties) -> tuple[tuple[r.Node, ...], ...]:
    found: dict[int, dict[int, r.Node]] = {}
    for rendered in p[prov("qualifiedDerivation")]:
        name = d.name(rendered)
        justification, _, member = name.rpartition("#d")[2].partition(".")
        found.setdefault(int(justification), {})[int(member)] = d.node(d.nodes[name], prov("entity"))
    return tuple(tuple(members[i] for i in sorted(members)) for _, members in sorted(found.items()))


def _question(d: Decoder, p: Properties) -> r.Question:
    facts: dict[str, FactValue | SealedValue] = {}
    for rendered in sorted(p.get(pl("given"), ())):
        name = d.name(rendered)
        given = d.nodes[name]
        fact = d.fact(d.one(given, pl("onFact")))
        if pl("commitment") in given:
            facts[fact] = SealedValue(name, text(given, "commitment"))
        else:
            facts[fact] = decode_value(d.one(given, pl("value")))
    return r.Question(text(p, "textCommitment"), facts)


def _used(d: Decoder, p: Properties) -> frozenset[r.Node]:
    return frozenset(d.name(value) for value in p.get(prov("used"), ()))


def read_restatement(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a restatement record."""
    return r.RestatementRecord(
        node,
        d.node(p, pl("about")),
        text(p, "statementCommitment"),
        _used(d, p),
        d.node(p, prov("wasAssociatedWith")),
        instant_of(d.one(p, prov("endedAtTime"))),
    )


def read_supersession(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a supersession record."""
    return r.SupersessionRecord(
        d.node(p, pl("old")),
        d.node(p, pl("new")),
        text_or_none(p, "reasonCommitment"),
        flag(p, "reaffirmed"),
    )


def read_retraction(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a retraction record."""
    return r.RetractionRecord(d.node(p, pl("about")), text_or_none(p, "reasonCommitment"))


def read_contradiction(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a contradiction record."""
    first, second = sorted(d.name(value) for value in p[pl("between")])
    return r.ContradictionRecord((first, second))


def read_thread(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a thread record."""
    readers = frozenset(d.name(value) for value in p.get(pl("reader"), ()))
    return r.ThreadRecord(node, text(p, "nameCommitment"), d.node(p, pl("owner")), readers)


def read_reminder(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a reminder record."""
    items = {}
    for rendered in p.get(pl("item"), ()):
        item = d.nodes[d.name(rendered)]
        items[integer(item, pl("position"))] = d.node(item, pl("claim"))
    return r.ReminderRecord(
        node,
        tuple(items[position] for position in sorted(items)),
        integer(p, pl("budget")),
        d.node(p, prov("wasAttributedTo")),
        instant_of(d.one(p, prov("generatedAtTime"))),
        d.node_or_none(p, pl("inThread")),
    )
