"""From an entry to its leaf: canonical N-Quads, sorted, no blank node, canonical literals only.

The mapping follows PROV-O, Web Annotation (selectors) and EARL (check results); types of those
vocabularies are asserted beside our own, since stores run without a reasoner.
Source: RDF 1.1 N-Quads section 2; PROV-O section 3.
"""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import TypeVar

from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue, canonical
from prov_ledger.model.scopes import Among, Edge, Period, Range, Scope
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.terms import escape_literal
from prov_ledger.vocab import EARL, OA, PL, PROV, RDF_TYPE, XSD

R = TypeVar("R", bound=r.Record)
_A = f"<{RDF_TYPE}>"
_INTEGER = f"^^<{XSD}integer>"
_DATE_TIME = f"^^<{XSD}dateTime>"
_TRUE = f'"true"^^<{XSD}boolean>'


def pl(name: str) -> str:
    """Render one of our own terms as an N-Quads IRI."""
    return f"<{PL}{name}>"


def prov(name: str) -> str:
    """Render a PROV-O term as an N-Quads IRI."""
    return f"<{PROV}{name}>"


_IN = pl("recordedIn")
_AT = pl("recordedAt")
_ABOUT = pl("about")


def encode_instant(instant: datetime) -> str:
    """Render an instant as an xsd:dateTime in UTC."""
    return f'"{format_instant(instant)}"{_DATE_TIME}'


def encode_value(value: FactValue) -> str:
    """Render a typed value of a fact as a literal: date, dateTime, decimal or string."""
    if isinstance(value, datetime):
        return encode_instant(value)
    if isinstance(value, date):
        return f'"{value.isoformat()}"^^<{XSD}date>'
    if isinstance(value, Decimal):
        return f'"{canonical(value)}"^^<{XSD}decimal>'
    return f'"{escape_literal(value)}"'


class Writer:
    """Collects the lines of one entry; nodes are given without the base, objects already rendered."""

    def __init__(self, base: str, entry: r.Entry) -> None:
        self.base = base
        self.end = f" <{base}graph> .\n"
        self.entry = entry
        self.lines: list[str] = []
        self._in = self.node(entry.id)
        self._at = encode_instant(entry.recorded)

    def node(self, name: r.Node) -> str:
        """Render a node of this tenant; ``*`` is the tenant itself."""
        return f"<{self.base}{'tenant' if name == '*' else name}>"

    def fact(self, name: str) -> str:
        """Render the IRI of a declared fact."""
        return f"<{self.base}fact/{name}>"

    def put(self, subject: str, *pairs: tuple[str, str]) -> None:
        """Add one line per (predicate, object) about a rendered subject."""
        end = self.end
        self.lines += [f"{subject} {predicate} {value}{end}" for predicate, value in pairs]

    def many(self, subject: str, predicate: str, values: Iterable[str]) -> None:
        """Add one line per object."""
        end = self.end
        self.lines += [f"{subject} {predicate} {value}{end}" for value in values]

    def state(self, subject: str, *pairs: tuple[str, str]) -> None:
        """Add a statement of this entry: its lines, where and when it was recorded."""
        self.put(subject, *pairs, (_IN, self._in), (_AT, self._at))

    def text(self, text: str) -> str:
        """Render a plain string literal."""
        return f'"{escape_literal(text)}"'


def _put_scope(w: Writer, name: r.Node, about: r.Node, scope: Scope) -> None:
    subject = w.node(name)
    w.state(subject, (_A, pl("ScopeStatement")), (_ABOUT, w.node(about)))
    for number, condition in enumerate(scope.conditions, 1):
        inner = f"{name}.{number}"
        node = w.node(inner)
        w.put(subject, (pl("condition"), node))
        w.put(node, (pl("onFact"), w.fact(condition.fact)))
        if isinstance(condition, Period):
            w.put(
                node,
                (_A, pl("Period")),
                (pl("from"), _bound(condition.from_)),
                (pl("until"), _bound(condition.until)),
            )
        elif isinstance(condition, Range):
            w.put(node, (_A, pl("Range")), *_range(condition))
        else:
            w.put(node, (_A, pl("Among")))
            _put_among(w, inner, condition)


def _bound(bound: date | datetime | Edge) -> str:
    if isinstance(bound, Edge):
        return pl({Edge.OPEN: "open", Edge.UNKNOWN: "unknown", Edge.ASSUMED_OPEN: "assumedOpen"}[bound])
    return encode_value(bound)


def _range(condition: Range) -> list[tuple[str, str]]:
    pairs = []
    if condition.low is not None:
        pairs.append((pl("min" if condition.low_inclusive else "above"), encode_value(condition.low)))
    if condition.high is not None:
        pairs.append((pl("max" if condition.high_inclusive else "below"), encode_value(condition.high)))
    return pairs


def _put_among(w: Writer, name: r.Node, condition: Among) -> None:
    node = w.node(name)
    for value in condition.values:
        if isinstance(value, SealedValue):
            w.put(node, (pl("sealedValue"), w.node(value.node)))
            w.put(w.node(value.node), (_A, pl("SealedValue")), (pl("commitment"), w.text(value.commitment)))
        else:
            w.put(node, (pl("value"), encode_value(value)))


def _tenant(w: Writer, node: r.Node, x: r.TenantRecord) -> None:
    w.state(
        w.node("*"),
        (_A, pl("Tenant")),
        (pl("zone"), w.text(x.zone)),
        (pl("governedBy"), w.fact(x.governed_by)),
    )


def _fact(w: Writer, node: r.Node, x: r.FactRecord) -> None:
    t = x.type
    pairs = [(_A, pl("Fact")), (pl("factName"), w.text(t.name)), (pl("factType"), pl(t.kind.value))]
    if t.unit is not None:
        pairs.append((pl("unit"), w.text(t.unit)))
    if t.zone is not None:
        pairs.append((pl("zone"), w.text(t.zone)))
    if t.personal:
        pairs.append((pl("personal"), _TRUE))
    w.state(w.fact(t.name), *pairs)


def _agent(w: Writer, node: r.Node, x: r.AgentRecord) -> None:
    agent = w.node(x.id)
    w.put(agent, (_A, prov("Agent")), (_A, pl("Agent")), (pl("nameCommitment"), w.text(x.name)))
    w.state(w.node(node), (_A, pl("RoleStatement")), (_ABOUT, agent))
    w.many(w.node(node), pl("role"), (pl(_camel(role.value)) for role in x.roles))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


_NAMED = {
    "grp": (pl("Group"), prov("Agent")),
    "col": (pl("Collection"), prov("Collection")),
    "pur": (pl("Purpose"), prov("Entity")),
}


def _name(w: Writer, node: r.Node, x: r.NameRecord) -> None:
    types = [(_A, name) for name in _NAMED[x.id[:3]]]
    w.state(w.node(x.id), *types, (pl("nameCommitment"), w.text(x.name)))


def _collection(w: Writer, node: r.Node, x: r.CollectionRecord) -> None:
    pairs = [(_A, pl("CollectionStatement")), (_ABOUT, w.node(x.id))]
    if x.governed_by is not None:
        pairs.append((pl("governedBy"), w.fact(x.governed_by)))
    if x.sensitive:
        pairs.append((pl("sensitive"), _TRUE))
    if x.reaffirm:
        pairs.append((pl("reaffirms"), _TRUE))
    w.state(w.node(node), *pairs)
    w.many(w.node(node), pl("indifferentTo"), map(w.fact, x.indifferent_to))


def _source(w: Writer, node: r.Node, x: r.SourceRecord) -> None:
    pairs = [
        (_A, prov("Entity")),
        (_A, pl("Source")),
        (pl("connector"), w.text(x.connector)),
        (pl("nativeCommitment"), w.text(x.native)),
        (pl("titleCommitment"), w.text(x.title)),
        (pl("authority"), pl(x.authority)),
    ]
    if x.collection is not None:
        pairs.append((pl("collection"), w.node(x.collection)))
    if x.governed_by is not None:
        pairs.append((pl("governedBy"), w.fact(x.governed_by)))
    if x.derived_from is not None:
        pairs.append((pl("cameFrom"), w.node(x.derived_from)))
    w.state(w.node(node), *pairs)
    w.many(w.node(node), pl("indifferentTo"), map(w.fact, x.indifferent_to))


def _native(w: Writer, node: r.Node, x: r.NativeRecord) -> None:
    w.state(
        w.node(node),
        (_A, pl("NativeStatement")),
        (_ABOUT, w.node(x.source)),
        (pl("nativeCommitment"), w.text(x.native)),
        (pl("since"), encode_instant(x.since)),
    )


def _title(w: Writer, node: r.Node, x: r.TitleRecord) -> None:
    w.state(
        w.node(node),
        (_A, pl("TitleStatement")),
        (_ABOUT, w.node(x.source)),
        (pl("titleCommitment"), w.text(x.title)),
    )


def _authority(w: Writer, node: r.Node, x: r.AuthorityRecord) -> None:
    pairs = [(_A, pl("AuthorityStatement")), (_ABOUT, w.node(x.source)), (pl("authority"), pl(x.level))]
    if x.since is not None:
        pairs.append((pl("since"), encode_instant(x.since)))
    w.state(w.node(node), *pairs)


def _retirement(w: Writer, node: r.Node, x: r.RetirementRecord) -> None:
    w.state(
        w.node(node),
        (_A, pl("Retirement")),
        (_ABOUT, w.node(x.source)),
        (pl("from"), encode_instant(x.from_)),
    )


_PARALLEL = prov("alternateOf")


def _revision(w: Writer, node: r.Node, x: r.RevisionRecord) -> None:
    pairs = [
        (_A, prov("Entity")),
        (_A, pl("Revision")),
        (prov("specializationOf"), w.node(x.source)),
        (pl("mediaType"), w.text(x.media_type)),
        (pl("sizeBytes"), f'"{x.size_bytes}"{_INTEGER}'),
        (pl("contentCommitment"), w.text(x.content)),
        (pl("labelCommitment"), w.text(x.label)),
        (pl("published"), encode_instant(x.published)),
        (pl("retrieved"), encode_instant(x.retrieved)),
        (prov("wasGeneratedBy"), w.node(x.activity)),
    ]
    if x.previous is not None:
        pairs.append((prov("wasRevisionOf"), w.node(x.previous)))
    if x.relation is not None:
        pairs += _relation(w, x.relation)
    w.state(w.node(node), *pairs)
    w.put(
        w.node(x.activity),
        (_A, prov("Activity")),
        (_A, pl("Capture")),
        (prov("endedAtTime"), encode_instant(x.retrieved)),
        (prov("wasAssociatedWith"), w.node(w.entry.agent)),
    )
    if x.scope is not None:
        _put_scope(w, f"{x.id}#scope", x.id, x.scope)


def _relation(w: Writer, relation: r.Relation) -> list[tuple[str, str]]:
    other = w.node(relation.to)
    if relation.kind == "corrects":
        return [(pl("corrects"), other)]
    if relation.kind == "parallel":
        return [(pl("parallelTo"), other), (_PARALLEL, other)]
    start = relation.from_ if relation.from_ is not None else Edge.UNKNOWN
    return [(pl("replaces"), other), (pl("replacesFrom"), _bound(start))]


def _scope(w: Writer, node: r.Node, x: r.ScopeRecord) -> None:
    _put_scope(w, node, x.of, x.scope)


def _context(w: Writer, node: r.Node, x: r.ContextRecord) -> None:
    stem = node.partition("#")[0]
    permission = w.node(f"{stem}#permission")
    ended = (prov("endedAtTime"), encode_instant(x.retrieved))
    agent = (prov("wasAssociatedWith"), w.node(x.agent))
    w.state(
        w.node(node),
        (_A, prov("Activity")),
        (_A, pl("Retrieval")),
        ended,
        agent,
        (pl("permission"), permission),
    )
    w.put(
        permission,
        (_A, pl("PermissionContext")),
        (pl("principal"), w.node(x.principal)),
        (pl("decision"), pl(x.decision)),
        (pl("policyVersion"), w.text(x.policy_version)),
    )
    if x.purpose is not None:
        w.put(permission, (pl("purpose"), w.node(x.purpose)))
    for name, kind, outcome in (
        ("authority-check", "AuthorityCheck", x.authority),
        ("applicability-check", "ApplicabilityCheck", x.applicability),
    ):
        check = w.node(f"{stem}#{name}")
        result = f"{stem}#{name}.result"
        w.put(w.node(node), (pl("check"), check))
        w.put(check, (_A, prov("Activity")), (_A, pl(kind)), ended, (f"<{EARL}result>", w.node(result)))
        _put_result(w, result, outcome[0], outcome[1])


def _put_result(w: Writer, name: r.Node, outcome: str, reason: str | None) -> None:
    node = w.node(name)
    w.put(node, (_A, f"<{EARL}TestResult>"), (f"<{EARL}outcome>", f"<{EARL}{outcome}>"))
    if reason is not None:
        w.put(node, (pl("reason"), w.text(reason)))


def _evidence(w: Writer, node: r.Node, x: r.EvidenceRecord) -> None:
    subject, selector, revision = w.node(node), w.node(f"{x.id}#selector"), w.node(x.revision)
    w.state(
        subject,
        (_A, prov("Entity")),
        (_A, pl("Evidence")),
        (prov("wasQuotedFrom"), revision),
        (prov("wasDerivedFrom"), revision),
        (f"<{OA}hasSelector>", selector),
        (pl("quoteCommitment"), w.text(x.quote)),
        (prov("wasGeneratedBy"), w.node(x.context)),
    )
    w.many(subject, pl("indifferentTo"), map(w.fact, x.indifferent_to))
    s = x.selector
    if isinstance(s, r.TextPosition):
        w.put(
            selector,
            (_A, f"<{OA}TextPositionSelector>"),
            (f"<{OA}start>", f'"{s.start}"{_INTEGER}'),
            (f"<{OA}end>", f'"{s.end}"{_INTEGER}'),
        )
    else:
        w.put(
            selector,
            (_A, pl("CellSelector")),
            (pl("row"), f'"{s.row}"{_INTEGER}'),
            (pl("column"), f'"{s.column}"{_INTEGER}'),
            (pl("table"), f'"{s.table}"{_INTEGER}'),
        )
    if x.scope is not None:
        _put_scope(w, f"{x.id}#scope", x.id, x.scope)


def _claim(w: Writer, node: r.Node, x: r.ClaimRecord) -> None:
    subject = w.node(node)
    w.state(
        subject,
        (_A, prov("Entity")),
        (_A, pl("Claim")),
        (pl("statementCommitment"), w.text(x.statement)),
        (prov("wasGeneratedBy"), w.node(f"{x.id}#activity")),
        (pl("question"), w.node(f"{x.id}#question")),
    )
    support = dict.fromkeys(member for members in x.justifications for member in members)
    w.many(subject, prov("wasDerivedFrom"), map(w.node, support))
    w.many(subject, pl("boundTo"), map(w.fact, x.bound_to))
    _put_justifications(w, x)
    _put_activity(w, x)
    _put_question(w, x)
    if x.narrow is not None:
        _put_scope(w, f"{x.id}#scope", x.id, x.narrow)


def _put_justifications(w: Writer, x: r.ClaimRecord) -> None:
    subject = w.node(x.id)
    for number, members in enumerate(x.justifications, 1):
        justification = w.node(f"{x.id}#j{number}")
        w.put(subject, (pl("justification"), justification))
        w.put(justification, (_A, pl("Justification")))
        for index, member in enumerate(members, 1):
            derivation = w.node(f"{x.id}#d{number}.{index}")
            w.put(subject, (prov("qualifiedDerivation"), derivation))
            w.put(
                derivation,
                (_A, prov("Derivation")),
                (prov("entity"), w.node(member)),
                (pl("inJustification"), justification),
            )


def _put_activity(w: Writer, x: r.ClaimRecord) -> None:
    activity, association, agent = (
        w.node(f"{x.id}#activity"),
        w.node(f"{x.id}#association"),
        w.node(x.agent),
    )
    w.put(
        activity,
        (_A, prov("Activity")),
        (_A, pl("Conclusion")),
        (prov("endedAtTime"), encode_instant(x.made)),
        (prov("wasAssociatedWith"), agent),
        (prov("qualifiedAssociation"), association),
    )
    w.many(activity, prov("used"), map(w.node, x.exposure))
    w.many(activity, pl("by"), map(w.fact, x.transformation.by))
    if x.transformation.note is not None:
        w.put(activity, (pl("noteCommitment"), w.text(x.transformation.note)))
    w.put(
        association,
        (_A, prov("Association")),
        (prov("agent"), agent),
        (prov("hadPlan"), pl(x.transformation.kind)),
    )


def _put_question(w: Writer, x: r.ClaimRecord) -> None:
    question = w.node(f"{x.id}#question")
    w.put(question, (_A, pl("Question")), (pl("textCommitment"), w.text(x.question.text)))
    for name, value in x.question.facts.items():
        given = w.node(f"{x.id}#given.{name}")
        w.put(question, (pl("given"), given))
        w.put(given, (_A, pl("FactValue")), (pl("onFact"), w.fact(name)))
        if isinstance(value, SealedValue):
            w.put(given, (pl("commitment"), w.text(value.commitment)))
        else:
            w.put(given, (pl("value"), encode_value(value)))


def _restatement(w: Writer, node: r.Node, x: r.RestatementRecord) -> None:
    w.state(
        w.node(node),
        (_A, prov("Activity")),
        (_A, pl("Restatement")),
        (_ABOUT, w.node(x.claim)),
        (pl("statementCommitment"), w.text(x.statement)),
        (prov("endedAtTime"), encode_instant(x.made)),
        (prov("wasAssociatedWith"), w.node(x.agent)),
    )
    w.many(w.node(node), prov("used"), map(w.node, x.exposure))


def _supersession(w: Writer, node: r.Node, x: r.SupersessionRecord) -> None:
    old, new = w.node(x.old), w.node(x.new)
    pairs = [(_A, pl("Supersession")), (pl("old"), old), (pl("new"), new)]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    if x.reaffirmed:
        pairs.append((pl("reaffirmed"), _TRUE))
    w.state(w.node(node), *pairs)
    w.put(new, (pl("supersedes"), old))


def _retraction(w: Writer, node: r.Node, x: r.RetractionRecord) -> None:
    claim = w.node(x.claim)
    pairs = [(_A, prov("Activity")), (_A, pl("Retraction")), (_ABOUT, claim)]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    w.state(w.node(node), *pairs)
    w.put(claim, (prov("wasInvalidatedBy"), w.node(node)))


def _grant(w: Writer, node: r.Node, x: r.GrantRecord) -> None:
    pairs = [(_A, pl("Grant")), (pl("who"), w.node(x.who)), (pl("read"), w.node(x.read))]
    if x.purpose is not None:
        pairs.append((pl("purpose"), w.node(x.purpose)))
    if x.until is not None:
        pairs.append((pl("until"), encode_instant(x.until)))
    if x.max_age is not None:
        pairs.append((pl("maxAge"), w.text(x.max_age)))
    w.state(w.node(node), *pairs)


def _revocation(w: Writer, node: r.Node, x: r.RevocationRecord) -> None:
    w.state(w.node(node), (_A, pl("Revocation")))
    w.many(w.node(node), pl("ends"), map(w.node, x.grants))


def _membership(w: Writer, node: r.Node, x: r.MembershipRecord) -> None:
    w.state(
        w.node(node),
        (_A, pl("Leaving" if x.left else "Membership")),
        (pl("member"), w.node(x.who)),
        (pl("group"), w.node(x.group)),
    )


_EARL_OUTCOME = {"current": "passed", "changed": "failed", "gone": "failed", "unreachable": "cantTell"}


def _check(w: Writer, node: r.Node, x: r.CheckRecord) -> None:
    result = f"{x.id}.result"
    w.state(
        w.node(node),
        (_A, prov("Activity")),
        (_A, pl("CurrencyCheck")),
        (_ABOUT, w.node(x.source)),
        (prov("endedAtTime"), encode_instant(x.at)),
        (f"<{EARL}result>", w.node(result)),
    )
    _put_result(w, result, _EARL_OUTCOME[x.outcome], None)
    w.put(w.node(result), (pl("currency"), pl(x.outcome)))


def _thread(w: Writer, node: r.Node, x: r.ThreadRecord) -> None:
    w.state(
        w.node(node),
        (_A, prov("Entity")),
        (_A, pl("Thread")),
        (pl("nameCommitment"), w.text(x.name)),
        (pl("owner"), w.node(x.owner)),
    )
    w.many(w.node(node), pl("reader"), map(w.node, x.readers))


def _reminder(w: Writer, node: r.Node, x: r.ReminderRecord) -> None:
    subject = w.node(node)
    pairs = [
        (_A, prov("Entity")),
        (_A, pl("Reminder")),
        (pl("budget"), f'"{x.budget}"{_INTEGER}'),
        (prov("wasAttributedTo"), w.node(x.agent)),
        (prov("generatedAtTime"), encode_instant(x.made)),
    ]
    if x.thread is not None:
        pairs.append((pl("inThread"), w.node(x.thread)))
    w.state(subject, *pairs)
    for number, claim in enumerate(x.claims, 1):
        item = w.node(f"{x.id}#{number}")
        w.put(subject, (prov("wasDerivedFrom"), w.node(claim)), (pl("item"), item))
        w.put(
            item,
            (_A, pl("ReminderItem")),
            (pl("position"), f'"{number}"{_INTEGER}'),
            (pl("claim"), w.node(claim)),
        )


def _denial(w: Writer, node: r.Node, x: r.DenialRecord) -> None:
    pairs = [(_A, pl("Allowance" if x.allowed else "Denial")), (_ABOUT, w.node(x.source))]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    w.state(w.node(node), *pairs)


def _contradiction(w: Writer, node: r.Node, x: r.ContradictionRecord) -> None:
    w.state(w.node(node), (_A, pl("Contradiction")))
    w.many(w.node(node), pl("between"), map(w.node, x.claims))


def _sync(w: Writer, node: r.Node, x: r.SyncRecord) -> None:
    w.state(
        w.node(node),
        (_A, prov("Activity")),
        (_A, pl("Synchronisation")),
        (pl("feedCommitment"), w.text(x.feed)),
        (pl("cursorCommitment"), w.text(x.cursor)),
        (prov("endedAtTime"), encode_instant(x.at)),
        (prov("wasAssociatedWith"), w.node(x.agent)),
    )


def _ending(w: Writer, node: r.Node, x: r.EndingRecord) -> None:
    at = encode_instant(w.entry.recorded)
    for statement in x.statements:
        w.put(w.node(statement), (pl("recordedUntil"), at))


_ENCODERS: dict[type[r.Record], Callable[[Writer, r.Node, object], None]] = {}


def _register(kind: type[R], encode: Callable[[Writer, r.Node, R], None]) -> None:
    _ENCODERS[kind] = encode  # type: ignore[assignment]


_register(r.TenantRecord, _tenant)
_register(r.FactRecord, _fact)
_register(r.AgentRecord, _agent)
_register(r.NameRecord, _name)
_register(r.CollectionRecord, _collection)
_register(r.SourceRecord, _source)
_register(r.NativeRecord, _native)
_register(r.TitleRecord, _title)
_register(r.AuthorityRecord, _authority)
_register(r.RetirementRecord, _retirement)
_register(r.RevisionRecord, _revision)
_register(r.ScopeRecord, _scope)
_register(r.ContextRecord, _context)
_register(r.EvidenceRecord, _evidence)
_register(r.ClaimRecord, _claim)
_register(r.RestatementRecord, _restatement)
_register(r.SupersessionRecord, _supersession)
_register(r.RetractionRecord, _retraction)
_register(r.GrantRecord, _grant)
_register(r.RevocationRecord, _revocation)
_register(r.MembershipRecord, _membership)
_register(r.CheckRecord, _check)
_register(r.ThreadRecord, _thread)
_register(r.ReminderRecord, _reminder)
_register(r.DenialRecord, _denial)
_register(r.ContradictionRecord, _contradiction)
_register(r.SyncRecord, _sync)
_register(r.EndingRecord, _ending)


def encode_entry(base: str, entry: r.Entry) -> bytes:
    """Encode one entry as its leaf: canonical N-Quads in the graph ``<base>graph``, UTF-8, sorted.

    ``base`` ends with a slash. The same entry always gives the same bytes.
    """
    w = Writer(base, entry)
    w.put(
        w.node(entry.id),
        (_A, prov("Bundle")),
        (_A, pl("Entry")),
        (pl("inTenant"), w.node("*")),
        (pl("sequence"), f'"{entry.sequence}"{_INTEGER}'),
        (prov("generatedAtTime"), encode_instant(entry.recorded)),
        (prov("wasAttributedTo"), w.node(entry.agent)),
    )
    for stated in entry.statements:
        _ENCODERS[type(stated.record)](w, stated.node, stated.record)
    return "".join(sorted(set(w.lines))).encode()
