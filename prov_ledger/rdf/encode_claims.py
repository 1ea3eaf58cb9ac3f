"""Evidence with its retrieval, claims and what becomes of them, reminders: as RDF."""

from prov_ledger.model import records as r
from prov_ledger.model.facts import SealedValue
from prov_ledger.rdf.encode_scopes import put_scope
from prov_ledger.rdf.encode_sources import put_result
from prov_ledger.rdf.writer import ABOUT, INTEGER, TRUE, A, Writer, encode_instant, encode_value, pl, prov
from prov_ledger.vocab import EARL, OA


def put_context(w: Writer, node: r.Node, x: r.ContextRecord) -> None:
    """Write a ``ContextRecord``."""
    stem = node.partition("#")[0]
    permission = w.node(f"{stem}#permission")
    ended = (prov("endedAtTime"), encode_instant(x.retrieved))
    agent = (prov("wasAssociatedWith"), w.node(x.agent))
    w.state(
        w.node(node),
        (A, prov("Activity")),
        (A, pl("Retrieval")),
        ended,
        agent,
        (pl("permission"), permission),
    )
    w.put(
        permission,
        (A, pl("PermissionContext")),
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
        w.put(check, (A, prov("Activity")), (A, pl(kind)), ended, (f"<{EARL}result>", w.node(result)))
        put_result(w, result, outcome[0], outcome[1])


def put_evidence(w: Writer, node: r.Node, x: r.EvidenceRecord) -> None:
    """Write a ``EvidenceRecord``."""
    subject, selector, revision = w.node(node), w.node(f"{x.id}#selector"), w.node(x.revision)
    w.state(
        subject,
        (A, prov("Entity")),
        (A, pl("Evidence")),
        (prov("wasQuotedFrom"), revision),
        (prov("wasDerivedFrom"), revision),
        (f"<{OA}hasSelector>", selector),
        (pl("quoteCommitment"), w.text(x.quote)),
        (prov("wasGeneratedBy"), w.node(x.context)),
    )
    w.many(subject, pl("indifferentTo"), map(w.fact, x.indifferent_to))
    put_selector(w, selector, x.selector)
    if x.scope is not None:
        put_scope(w, f"{x.id}#scope", x.id, x.scope)


def put_selector(w: Writer, selector: str, s: r.Selector) -> None:
    """Write a span or a cell at a rendered node."""
    if isinstance(s, r.TextPosition):
        w.put(
            selector,
            (A, f"<{OA}TextPositionSelector>"),
            (f"<{OA}start>", f'"{s.start}"{INTEGER}'),
            (f"<{OA}end>", f'"{s.end}"{INTEGER}'),
        )
    else:
        w.put(
            selector,
            (A, pl("CellSelector")),
            (pl("row"), f'"{s.row}"{INTEGER}'),
            (pl("column"), f'"{s.column}"{INTEGER}'),
            (pl("table"), f'"{s.table}"{INTEGER}'),
        )


def put_claim(w: Writer, node: r.Node, x: r.ClaimRecord) -> None:
    """Write a ``ClaimRecord``."""
    subject = w.node(node)
    w.state(
        subject,
        (A, prov("Entity")),
        (A, pl("Claim")),
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
        put_scope(w, f"{x.id}#scope", x.id, x.narrow)


def _put_justifications(w: Writer, x: r.ClaimRecord) -> None:
    subject = w.node(x.id)
    for number, members in enumerate(x.justifications, 1):
        justification = w.node(f"{x.id}#j{number}")
        w.put(subject, (pl("justification"), justification))
        w.put(justification, (A, pl("Justification")))
        for index, member in enumerate(members, 1):
            derivation = w.node(f"{x.id}#d{number}.{index}")
            w.put(subject, (prov("qualifiedDerivation"), derivation))
            w.put(
                derivation,
                (A, prov("Derivation")),
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
        (A, prov("Activity")),
        (A, pl("Conclusion")),
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
        (A, prov("Association")),
        (prov("agent"), agent),
        (prov("hadPlan"), pl(x.transformation.kind)),
    )


def _put_question(w: Writer, x: r.ClaimRecord) -> None:
    question = w.node(f"{x.id}#question")
    w.put(question, (A, pl("Question")), (pl("textCommitment"), w.text(x.question.text)))
    for name, value in x.question.facts.items():
        given = w.node(f"{x.id}#given.{name}")
        w.put(question, (pl("given"), given))
        w.put(given, (A, pl("FactValue")), (pl("onFact"), w.fact(name)))
        if isinstance(value, SealedValue):
            w.put(given, (pl("commitment"), w.text(value.commitment)))
        else:
            w.put(given, (pl("value"), encode_value(value)))


def put_restatement(w: Writer, node: r.Node, x: r.RestatementRecord) -> None:
    """Write a ``RestatementRecord``."""
    w.state(
        w.node(node),
        (A, prov("Activity")),
        (A, pl("Restatement")),
        (ABOUT, w.node(x.claim)),
        (pl("statementCommitment"), w.text(x.statement)),
        (prov("endedAtTime"), encode_instant(x.made)),
        (prov("wasAssociatedWith"), w.node(x.agent)),
    )
    w.many(w.node(node), prov("used"), map(w.node, x.exposure))


def put_supersession(w: Writer, node: r.Node, x: r.SupersessionRecord) -> None:
    """Write a ``SupersessionRecord``."""
    old, new = w.node(x.old), w.node(x.new)
    pairs = [(A, pl("Supersession")), (pl("old"), old), (pl("new"), new)]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    if x.reaffirmed:
        pairs.append((pl("reaffirmed"), TRUE))
    w.state(w.node(node), *pairs)
    w.put(new, (pl("supersedes"), old))


def put_retraction(w: Writer, node: r.Node, x: r.RetractionRecord) -> None:
    """Write a ``RetractionRecord``."""
    claim = w.node(x.claim)
    pairs = [(A, prov("Activity")), (A, pl("Retraction")), (ABOUT, claim)]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    w.state(w.node(node), *pairs)
    w.put(claim, (prov("wasInvalidatedBy"), w.node(node)))


def put_contradiction(w: Writer, node: r.Node, x: r.ContradictionRecord) -> None:
    """Write a ``ContradictionRecord``."""
    w.state(w.node(node), (A, pl("Contradiction")))
    w.many(w.node(node), pl("between"), map(w.node, x.claims))


def put_thread(w: Writer, node: r.Node, x: r.ThreadRecord) -> None:
    """Write a ``ThreadRecord``."""
    w.state(
        w.node(node),
        (A, prov("Entity")),
        (A, pl("Thread")),
        (pl("nameCommitment"), w.text(x.name)),
        (pl("owner"), w.node(x.owner)),
    )
    w.many(w.node(node), pl("reader"), map(w.node, x.readers))


def put_reminder(w: Writer, node: r.Node, x: r.ReminderRecord) -> None:
    """Write a ``ReminderRecord``."""
    subject = w.node(node)
    pairs = [
        (A, prov("Entity")),
        (A, pl("Reminder")),
        (pl("budget"), f'"{x.budget}"{INTEGER}'),
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
            (A, pl("ReminderItem")),
            (pl("position"), f'"{number}"{INTEGER}'),
            (pl("claim"), w.node(claim)),
        )
