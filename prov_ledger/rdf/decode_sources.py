"""Sources, revisions and what is stated about them, from nodes."""

from typing import cast

from prov_ledger.model import records as r
from prov_ledger.model.scopes import Scope
from prov_ledger.rdf.decoder import Decoder, Properties, decode_bound, instant_of, integer, local, text
from prov_ledger.rdf.writer import pl, prov
from prov_ledger.vocab import EARL


def read_source(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a source record."""
    governed = p.get(pl("governedBy"))
    return r.SourceRecord(
        node,
        text(p, "connector"),
        text(p, "nativeCommitment"),
        text(p, "titleCommitment"),
        cast(r.Level, local(d.one(p, pl("authority")))),
        d.node_or_none(p, pl("collection")),
        d.fact(governed[0]) if governed else None,
        d.facts(p, pl("indifferentTo")),
        d.node_or_none(p, pl("cameFrom")),
    )


def read_native(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a native record."""
    return r.NativeRecord(
        d.node(p, pl("about")), text(p, "nativeCommitment"), instant_of(d.one(p, pl("since")))
    )


def read_title(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a title record."""
    return r.TitleRecord(d.node(p, pl("about")), text(p, "titleCommitment"))


def read_authority(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a authority record."""
    since = p.get(pl("since"))
    level = cast(r.Level, local(d.one(p, pl("authority"))))
    return r.AuthorityRecord(d.node(p, pl("about")), level, instant_of(since[0]) if since else None)


def read_retirement(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a retirement record."""
    return r.RetirementRecord(d.node(p, pl("about")), instant_of(d.one(p, pl("from"))))


def read_revision(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a revision record."""
    return r.RevisionRecord(
        node,
        d.node(p, prov("specializationOf")),
        text(p, "mediaType"),
        integer(p, pl("sizeBytes")),
        text(p, "contentCommitment"),
        text(p, "labelCommitment"),
        instant_of(d.one(p, pl("published"))),
        instant_of(d.one(p, pl("retrieved"))),
        d.node(p, prov("wasGeneratedBy")),
        d.scope_at(f"{node}#scope"),
        _relation(d, p),
        d.node_or_none(p, prov("wasRevisionOf")),
    )


def _relation(d: Decoder, p: Properties) -> r.Relation | None:
    if pl("replaces") in p:
        start = decode_bound(d.one(p, pl("replacesFrom")))
        return r.Relation("replaces", d.node(p, pl("replaces")), start)
    if pl("corrects") in p:
        return r.Relation("corrects", d.node(p, pl("corrects")))
    if pl("parallelTo") in p:
        return r.Relation("parallel", d.node(p, pl("parallelTo")))
    return None


def read_scope(d: Decoder, node: r.Node, p: Properties) -> r.Record | None:
    """Read a scope record."""
    if not node.startswith("ent_"):
        return None
    return r.ScopeRecord(d.node(p, pl("about")), d.scope_at(node) or Scope(()))


def read_check(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a check record."""
    result = d.nodes[d.node(p, f"<{EARL}result>")]
    outcome = cast(r.CheckOutcome, local(d.one(result, pl("currency"))))
    at = instant_of(d.one(p, prov("endedAtTime")))
    return r.CheckRecord(node, d.node(p, pl("about")), outcome, at)


def read_sync(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a sync record."""
    return r.SyncRecord(
        node,
        text(p, "feedCommitment"),
        text(p, "cursorCommitment"),
        d.node(p, prov("wasAssociatedWith")),
        instant_of(d.one(p, prov("endedAtTime"))),
    )
