"""From canonical N-Quads, or from rows of a graph, back to records.

``Nodes`` maps a node's name (base IRI removed) to its predicates and rendered objects; both a leaf
and the answer of a graph store become one, so a record is decoded the same way from either.
"""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import cast

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactKind, FactType, FactValue, SealedValue
from prov_ledger.model.scopes import Among, Bound, Condition, Edge, Period, Range, Scope
from prov_ledger.model.times import parse_instant
from prov_ledger.rdf.encode import pl, prov
from prov_ledger.rdf.nquads import parse_term
from prov_ledger.rdf.terms import Literal
from prov_ledger.vocab import EARL, OA, PL, RDF_TYPE, XSD

Properties = dict[str, list[str]]
Nodes = dict[str, Properties]

_A = f"<{RDF_TYPE}>"
_PL = len(PL) + 1
_EDGES = {pl("open"): Edge.OPEN, pl("unknown"): Edge.UNKNOWN, pl("assumedOpen"): Edge.ASSUMED_OPEN}


def nodes_of_leaf(leaf: bytes, base: str) -> Nodes:
    """Group the lines of a leaf by subject; ``leaf`` is what ``encode_entry`` wrote for this base."""
    tail = len(f" <{base}graph> .")
    cut = len(base) + 1
    nodes: Nodes = {}
    for line in leaf.decode().splitlines():
        subject, predicate, rest = line.split(" ", 2)
        nodes.setdefault(subject[cut:-1], {}).setdefault(predicate, []).append(rest[:-tail])
    return nodes


def nodes_of_rows(rows: Iterable[tuple[str, str, str]], base: str) -> Nodes:
    """Group rendered (subject, predicate, object) rows by subject."""
    cut = len(base) + 1
    nodes: Nodes = {}
    for subject, predicate, value in rows:
        nodes.setdefault(subject[cut:-1], {}).setdefault(predicate, []).append(value)
    return nodes


class Decoder:
    """Decodes the records among a set of nodes of one tenant."""

    def __init__(self, nodes: Nodes, base: str) -> None:
        self.nodes = nodes
        self._cut = len(base) + 1
        self._fact = len(base) + len("fact/") + 1

    def name(self, rendered: str) -> r.Node:
        """The name of a rendered node of this tenant; the tenant itself is ``*``."""
        name = rendered[self._cut : -1]
        return "*" if name == "tenant" else name

    def fact(self, rendered: str) -> str:
        """The name of a fact."""
        return rendered[self._fact : -1]

    def one(self, p: Properties, predicate: str) -> str:
        """The only object of a predicate."""
        return p[predicate][0]

    def node(self, p: Properties, predicate: str) -> r.Node:
        """The only object, as a node name."""
        return self.name(p[predicate][0])

    def node_or_none(self, p: Properties, predicate: str) -> r.Node | None:
        """The only object as a node name, or None."""
        values = p.get(predicate)
        return self.name(values[0]) if values else None

    def facts(self, p: Properties, predicate: str) -> frozenset[str]:
        """All objects as names of facts."""
        return frozenset(self.fact(value) for value in p.get(predicate, ()))

    def scope_at(self, node: r.Node) -> Scope | None:
        """The scope stated at a node, or None when nothing is stated there."""
        p = self.nodes.get(node)
        if p is None:
            return None
        inner = [self.name(value) for value in p.get(pl("condition"), ())]
        return Scope(tuple(self._condition(self.nodes[name]) for name in sorted(inner, key=_by_number)))

    def _condition(self, p: Properties) -> Condition:
        fact = self.fact(self.one(p, pl("onFact")))
        kind = self.one(p, _A)
        if kind == pl("Period"):
            return Period(fact, _bound(self.one(p, pl("from"))), _bound(self.one(p, pl("until"))))
        if kind == pl("Range"):
            low, low_in = _limit(p, "min", "above")
            high, high_in = _limit(p, "max", "below")
            return Range(fact, low, low_in, high, high_in)
        values: set[FactValue | SealedValue] = {decode_value(v) for v in p.get(pl("value"), ())}
        for rendered in p.get(pl("sealedValue"), ()):
            name = self.name(rendered)
            values.add(SealedValue(name, text_of(self.one(self.nodes[name], pl("commitment")))))
        return Among(fact, frozenset(values))


def _by_number(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.rpartition("#")[2].split(".")[1:])


def text_of(literal: str) -> str:
    """The text of a rendered plain or typed literal."""
    if "\\" in literal:
        term = parse_term(literal)
        return term.lexical if isinstance(term, Literal) else ""
    return literal[1 : literal.rindex('"')]


def _local(rendered: str) -> str:
    return rendered[_PL:-1]


def instant_of(literal: str) -> datetime:
    """The instant of a rendered xsd:dateTime."""
    return parse_instant(text_of(literal))


def decode_value(literal: str) -> FactValue:
    """The typed value of a rendered literal: date, instant, decimal or text."""
    lexical, datatype = literal[1 : literal.rindex('"')], literal[literal.rindex('"') + 1 :]
    if datatype == f"^^<{XSD}dateTime>":
        return parse_instant(lexical)
    if datatype == f"^^<{XSD}date>":
        return date.fromisoformat(lexical)
    if datatype in (f"^^<{XSD}decimal>", f"^^<{XSD}integer>"):
        return Decimal(lexical)
    return text_of(literal)


def _bound(rendered: str) -> Bound:
    edge = _EDGES.get(rendered)
    return edge if edge is not None else cast(Bound, decode_value(rendered))


def _limit(p: Properties, inclusive: str, exclusive: str) -> tuple[Decimal | None, bool]:
    for name, including in ((inclusive, True), (exclusive, False)):
        if pl(name) in p:
            return cast(Decimal, decode_value(p[pl(name)][0])), including
    return None, True


def _text(p: Properties, name: str) -> str:
    return text_of(p[pl(name)][0])


def _text_or_none(p: Properties, name: str) -> str | None:
    values = p.get(pl(name))
    return text_of(values[0]) if values else None


def _flag(p: Properties, name: str) -> bool:
    return pl(name) in p


def _integer(p: Properties, predicate: str) -> int:
    return int(text_of(p[predicate][0]))


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _tenant(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.TenantRecord(_text(p, "zone"), d.fact(d.one(p, pl("governedBy"))))


def _fact(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    kind = FactKind(_local(d.one(p, pl("factType"))))
    return r.FactRecord(
        FactType(
            _text(p, "factName"),
            kind,
            unit=_text_or_none(p, "unit"),
            zone=_text_or_none(p, "zone"),
            personal=_flag(p, "personal"),
        )
    )


def _roles(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    agent = d.node(p, pl("about"))
    roles = frozenset(r.Role(_snake(_local(value))) for value in p.get(pl("role"), ()))
    return r.AgentRecord(agent, _text(d.nodes[agent], "nameCommitment"), roles)


def _named(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.NameRecord(node, _text(p, "nameCommitment"))


def _collection(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    governed = p.get(pl("governedBy"))
    return r.CollectionRecord(
        d.node(p, pl("about")),
        d.fact(governed[0]) if governed else None,
        d.facts(p, pl("indifferentTo")),
        _flag(p, "sensitive"),
        _flag(p, "reaffirms"),
    )


def _source(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    governed = p.get(pl("governedBy"))
    return r.SourceRecord(
        node,
        _text(p, "connector"),
        _text(p, "nativeCommitment"),
        _text(p, "titleCommitment"),
        cast(r.Level, _local(d.one(p, pl("authority")))),
        d.node_or_none(p, pl("collection")),
        d.fact(governed[0]) if governed else None,
        d.facts(p, pl("indifferentTo")),
        d.node_or_none(p, pl("cameFrom")),
    )


def _native(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.NativeRecord(
        d.node(p, pl("about")), _text(p, "nativeCommitment"), instant_of(d.one(p, pl("since")))
    )


def _title(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.TitleRecord(d.node(p, pl("about")), _text(p, "titleCommitment"))


def _authority(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    since = p.get(pl("since"))
    level = cast(r.Level, _local(d.one(p, pl("authority"))))
    return r.AuthorityRecord(d.node(p, pl("about")), level, instant_of(since[0]) if since else None)


def _retirement(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.RetirementRecord(d.node(p, pl("about")), instant_of(d.one(p, pl("from"))))


def _revision(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.RevisionRecord(
        node,
        d.node(p, prov("specializationOf")),
        _text(p, "mediaType"),
        _integer(p, pl("sizeBytes")),
        _text(p, "contentCommitment"),
        _text(p, "labelCommitment"),
        instant_of(d.one(p, pl("published"))),
        instant_of(d.one(p, pl("retrieved"))),
        d.node(p, prov("wasGeneratedBy")),
        d.scope_at(f"{node}#scope"),
        _relation(d, p),
        d.node_or_none(p, prov("wasRevisionOf")),
    )


def _relation(d: Decoder, p: Properties) -> r.Relation | None:
    if pl("replaces") in p:
        start = _bound(d.one(p, pl("replacesFrom")))
        return r.Relation("replaces", d.node(p, pl("replaces")), start)
    if pl("corrects") in p:
        return r.Relation("corrects", d.node(p, pl("corrects")))
    if pl("parallelTo") in p:
        return r.Relation("parallel", d.node(p, pl("parallelTo")))
    return None


def _scope(d: Decoder, node: r.Node, p: Properties) -> r.Record | None:
    if not node.startswith("ent_"):
        return None
    return r.ScopeRecord(d.node(p, pl("about")), d.scope_at(node) or Scope(()))


def _context(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    permission = d.nodes[d.node(p, pl("permission"))]
    outcomes: dict[str, tuple[str, str | None]] = {}
    for rendered in p[pl("check")]:
        check = d.nodes[d.name(rendered)]
        result = d.nodes[d.node(check, f"<{EARL}result>")]
        kind = next(_local(t) for t in check[_A] if t.startswith(f"<{PL}"))
        outcome = d.one(result, f"<{EARL}outcome>")[len(EARL) + 1 : -1]
        outcomes[kind] = (outcome, _text_or_none(result, "reason"))
    return r.ContextRecord(
        node,
        d.node(p, prov("wasAssociatedWith")),
        d.node(permission, pl("principal")),
        d.node_or_none(permission, pl("purpose")),
        "permit",
        _text(permission, "policyVersion"),
        instant_of(d.one(p, prov("endedAtTime"))),
        outcomes["AuthorityCheck"],
        outcomes["ApplicabilityCheck"],
    )


def _evidence(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    s = d.nodes[f"{node}#selector"]
    selector: r.Selector
    if f"<{OA}start>" in s:
        selector = r.TextPosition(_integer(s, f"<{OA}start>"), _integer(s, f"<{OA}end>"))
    else:
        selector = r.CellPosition(
            _integer(s, pl("row")), _integer(s, pl("column")), _integer(s, pl("table"))
        )
    return r.EvidenceRecord(
        node,
        d.node(p, prov("wasQuotedFrom")),
        selector,
        _text(p, "quoteCommitment"),
        d.node(p, prov("wasGeneratedBy")),
        d.scope_at(f"{node}#scope"),
        d.facts(p, pl("indifferentTo")),
    )


def _claim(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    activity = d.nodes[f"{node}#activity"]
    association = d.nodes[f"{node}#association"]
    kind = cast(r.TransformationKind, _local(d.one(association, prov("hadPlan"))))
    return r.ClaimRecord(
        node,
        _text(p, "statementCommitment"),
        _justifications(d, p),
        frozenset(d.name(value) for value in activity.get(prov("used"), ())),
        r.Transformation(kind, d.facts(activity, pl("by")), _text_or_none(activity, "noteCommitment")),
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
            facts[fact] = SealedValue(name, _text(given, "commitment"))
        else:
            facts[fact] = decode_value(d.one(given, pl("value")))
    return r.Question(_text(p, "textCommitment"), facts)


def _used(d: Decoder, p: Properties) -> frozenset[r.Node]:
    return frozenset(d.name(value) for value in p.get(prov("used"), ()))


def _restatement(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.RestatementRecord(
        node,
        d.node(p, pl("about")),
        _text(p, "statementCommitment"),
        _used(d, p),
        d.node(p, prov("wasAssociatedWith")),
        instant_of(d.one(p, prov("endedAtTime"))),
    )


def _supersession(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.SupersessionRecord(
        d.node(p, pl("old")),
        d.node(p, pl("new")),
        _text_or_none(p, "reasonCommitment"),
        _flag(p, "reaffirmed"),
    )


def _retraction(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.RetractionRecord(d.node(p, pl("about")), _text_or_none(p, "reasonCommitment"))


def _grant(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    until = p.get(pl("until"))
    return r.GrantRecord(
        node,
        d.node(p, pl("who")),
        d.node(p, pl("read")),
        d.node_or_none(p, pl("purpose")),
        instant_of(until[0]) if until else None,
        _text_or_none(p, "maxAge"),
    )


def _revocation(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.RevocationRecord(tuple(sorted(d.name(value) for value in p.get(pl("ends"), ()))))


def _membership(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    left = pl("Leaving") in p[_A]
    return r.MembershipRecord(d.node(p, pl("member")), d.node(p, pl("group")), left)


def _check(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    result = d.nodes[d.node(p, f"<{EARL}result>")]
    outcome = cast(r.CheckOutcome, _local(d.one(result, pl("currency"))))
    at = instant_of(d.one(p, prov("endedAtTime")))
    return r.CheckRecord(node, d.node(p, pl("about")), outcome, at)


def _thread(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    readers = frozenset(d.name(value) for value in p.get(pl("reader"), ()))
    return r.ThreadRecord(node, _text(p, "nameCommitment"), d.node(p, pl("owner")), readers)


def _reminder(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    items = {}
    for rendered in p.get(pl("item"), ()):
        item = d.nodes[d.name(rendered)]
        items[_integer(item, pl("position"))] = d.node(item, pl("claim"))
    return r.ReminderRecord(
        node,
        tuple(items[position] for position in sorted(items)),
        _integer(p, pl("budget")),
        d.node(p, prov("wasAttributedTo")),
        instant_of(d.one(p, prov("generatedAtTime"))),
        d.node_or_none(p, pl("inThread")),
    )


def _denial(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    allowed = pl("Allowance") in p[_A]
    return r.DenialRecord(d.node(p, pl("about")), allowed, _text_or_none(p, "reasonCommitment"))


def _contradiction(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    first, second = sorted(d.name(value) for value in p[pl("between")])
    return r.ContradictionRecord((first, second))


def _sync(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    return r.SyncRecord(
        node,
        _text(p, "feedCommitment"),
        _text(p, "cursorCommitment"),
        d.node(p, prov("wasAssociatedWith")),
        instant_of(d.one(p, prov("endedAtTime"))),
    )


_DECODERS: dict[str, Callable[[Decoder, r.Node, Properties], r.Record | None]] = {
    pl("Tenant"): _tenant,
    pl("Fact"): _fact,
    pl("RoleStatement"): _roles,
    pl("Group"): _named,
    pl("Collection"): _named,
    pl("Purpose"): _named,
    pl("CollectionStatement"): _collection,
    pl("Source"): _source,
    pl("NativeStatement"): _native,
    pl("TitleStatement"): _title,
    pl("AuthorityStatement"): _authority,
    pl("Retirement"): _retirement,
    pl("Revision"): _revision,
    pl("ScopeStatement"): _scope,
    pl("Retrieval"): _context,
    pl("Evidence"): _evidence,
    pl("Claim"): _claim,
    pl("Restatement"): _restatement,
    pl("Supersession"): _supersession,
    pl("Retraction"): _retraction,
    pl("Grant"): _grant,
    pl("Revocation"): _revocation,
    pl("Membership"): _membership,
    pl("Leaving"): _membership,
    pl("CurrencyCheck"): _check,
    pl("Thread"): _thread,
    pl("Reminder"): _reminder,
    pl("Denial"): _denial,
    pl("Allowance"): _denial,
    pl("Contradiction"): _contradiction,
    pl("Synchronisation"): _sync,
}


def decode_statements(nodes: Nodes, base: str) -> list[r.Stated]:
    """Decode every record among the nodes, in the order of their node names."""
    decoder = Decoder(nodes, base)
    found: list[r.Stated] = []
    ended = []
    for node, p in sorted(nodes.items()):
        if pl("recordedUntil") in p:
            ended.append(node)
        for rendered in p.get(_A, ()):
            decode = _DECODERS.get(rendered)
            record = decode(decoder, node, p) if decode is not None else None
            if record is not None:
                found.append(r.Stated(node, record))
    if ended:
        found.append(r.Stated("", r.EndingRecord(tuple(ended))))
    return found


def decode_entry(leaf: bytes, base: str) -> r.Entry:
    """Decode the leaf of one entry; the inverse of ``encode_entry`` up to the order of statements."""
    nodes = nodes_of_leaf(leaf, base)
    header, p = next((n, p) for n, p in nodes.items() if pl("Entry") in p.get(_A, ()))
    cut = len(base) + 1
    statements = decode_statements(nodes, base)
    return r.Entry(
        header,
        int(text_of(p[pl("sequence")][0])),
        p[prov("wasAttributedTo")][0][cut:-1],
        instant_of(p[prov("generatedAtTime")][0]),
        tuple(
            r.Stated(f"{header}#ending", s.record) if isinstance(s.record, r.EndingRecord) else s
            for s in statements
        ),
    )
