"""Sources, revisions and what is stated about them, as RDF."""

from prov_ledger.model import records as r
from prov_ledger.model.scopes import Edge
from prov_ledger.rdf.encode_scopes import encode_bound, put_scope
from prov_ledger.rdf.writer import ABOUT, INTEGER, A, Writer, encode_instant, pl, prov
from prov_ledger.vocab import EARL


def put_source(w: Writer, node: r.Node, x: r.SourceRecord) -> None:
    """Write a ``SourceRecord``."""
    pairs = [
        (A, prov("Entity")),
        (A, pl("Source")),
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


def put_native(w: Writer, node: r.Node, x: r.NativeRecord) -> None:
    """Write a ``NativeRecord``."""
    w.state(
        w.node(node),
        (A, pl("NativeStatement")),
        (ABOUT, w.node(x.source)),
        (pl("nativeCommitment"), w.text(x.native)),
        (pl("since"), encode_instant(x.since)),
    )


def put_title(w: Writer, node: r.Node, x: r.TitleRecord) -> None:
    """Write a ``TitleRecord``."""
    w.state(
        w.node(node),
        (A, pl("TitleStatement")),
        (ABOUT, w.node(x.source)),
        (pl("titleCommitment"), w.text(x.title)),
    )


def put_authority(w: Writer, node: r.Node, x: r.AuthorityRecord) -> None:
    """Write a ``AuthorityRecord``."""
    pairs = [(A, pl("AuthorityStatement")), (ABOUT, w.node(x.source)), (pl("authority"), pl(x.level))]
    if x.since is not None:
        pairs.append((pl("since"), encode_instant(x.since)))
    w.state(w.node(node), *pairs)


def put_retirement(w: Writer, node: r.Node, x: r.RetirementRecord) -> None:
    """Write a ``RetirementRecord``."""
    w.state(
        w.node(node),
        (A, pl("Retirement")),
        (ABOUT, w.node(x.source)),
        (pl("from"), encode_instant(x.from_)),
    )


_PARALLEL = prov("alternateOf")


def put_revision(w: Writer, node: r.Node, x: r.RevisionRecord) -> None:
    """Write a ``RevisionRecord``."""
    pairs = [
        (A, prov("Entity")),
        (A, pl("Revision")),
        (prov("specializationOf"), w.node(x.source)),
        (pl("mediaType"), w.text(x.media_type)),
        (pl("sizeBytes"), f'"{x.size_bytes}"{INTEGER}'),
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
        (A, prov("Activity")),
        (A, pl("Capture")),
        (prov("endedAtTime"), encode_instant(x.retrieved)),
        (prov("wasAssociatedWith"), w.node(w.entry.agent)),
    )
    if x.scope is not None:
        put_scope(w, f"{x.id}#scope", x.id, x.scope)


def _relation(w: Writer, relation: r.Relation) -> list[tuple[str, str]]:
    other = w.node(relation.to)
    if relation.kind == "corrects":
        return [(pl("corrects"), other)]
    if relation.kind == "parallel":
        return [(pl("parallelTo"), other), (_PARALLEL, other)]
    start = relation.from_ if relation.from_ is not None else Edge.UNKNOWN
    return [(pl("replaces"), other), (pl("replacesFrom"), encode_bound(start))]


def put_scope_record(w: Writer, node: r.Node, x: r.ScopeRecord) -> None:
    """Write a ``ScopeRecord``."""
    put_scope(w, node, x.of, x.scope)


def put_result(w: Writer, name: r.Node, outcome: str, reason: str | None) -> None:
    """Write the result of a check. Source: EARL 1.0 Schema section 2.7."""
    node = w.node(name)
    w.put(node, (A, f"<{EARL}TestResult>"), (f"<{EARL}outcome>", f"<{EARL}{outcome}>"))
    if reason is not None:
        w.put(node, (pl("reason"), w.text(reason)))


_EARL_OUTCOME = {"current": "passed", "changed": "failed", "gone": "failed", "unreachable": "cantTell"}


def put_check(w: Writer, node: r.Node, x: r.CheckRecord) -> None:
    """Write a ``CheckRecord``."""
    result = f"{x.id}.result"
    w.state(
        w.node(node),
        (A, prov("Activity")),
        (A, pl("CurrencyCheck")),
        (ABOUT, w.node(x.source)),
        (prov("endedAtTime"), encode_instant(x.at)),
        (f"<{EARL}result>", w.node(result)),
    )
    put_result(w, result, _EARL_OUTCOME[x.outcome], None)
    w.put(w.node(result), (pl("currency"), pl(x.outcome)))


def put_sync(w: Writer, node: r.Node, x: r.SyncRecord) -> None:
    """Write a ``SyncRecord``."""
    w.state(
        w.node(node),
        (A, prov("Activity")),
        (A, pl("Synchronisation")),
        (pl("feedCommitment"), w.text(x.feed)),
        (pl("cursorCommitment"), w.text(x.cursor)),
        (prov("endedAtTime"), encode_instant(x.at)),
        (prov("wasAssociatedWith"), w.node(x.agent)),
    )
