"""From canonical N-Quads, or from rows of a graph, back to records."""

from collections.abc import Callable

from prov_ledger.errors import Corrupt
from prov_ledger.model import records as r
from prov_ledger.rdf import decode_claims as claims
from prov_ledger.rdf import decode_removals as removals
from prov_ledger.rdf import decode_setup as setup
from prov_ledger.rdf import decode_sources as sources
from prov_ledger.rdf.decoder import (
    Decoder,
    Nodes,
    Properties,
    instant_of,
    nodes_of_leaf,
    nodes_of_rows,
    text_of,
)
from prov_ledger.rdf.writer import A, pl, prov

__all__ = ["decode_entry", "decode_statements", "nodes_of_leaf", "nodes_of_rows"]

_DECODERS: dict[str, Callable[[Decoder, r.Node, Properties], r.Record | None]] = {
    pl("Tenant"): setup.read_tenant,
    pl("Fact"): setup.read_fact,
    pl("RoleStatement"): setup.read_roles,
    pl("Group"): setup.read_named,
    pl("Collection"): setup.read_named,
    pl("Purpose"): setup.read_named,
    pl("CollectionStatement"): setup.read_collection,
    pl("Source"): sources.read_source,
    pl("NativeStatement"): sources.read_native,
    pl("TitleStatement"): sources.read_title,
    pl("AuthorityStatement"): sources.read_authority,
    pl("Retirement"): sources.read_retirement,
    pl("Revision"): sources.read_revision,
    pl("ScopeStatement"): sources.read_scope,
    pl("Retrieval"): claims.read_context,
    pl("Evidence"): claims.read_evidence,
    pl("Claim"): claims.read_claim,
    pl("Restatement"): claims.read_restatement,
    pl("Supersession"): claims.read_supersession,
    pl("Retraction"): claims.read_retraction,
    pl("Grant"): setup.read_grant,
    pl("Revocation"): setup.read_revocation,
    pl("Membership"): setup.read_membership,
    pl("Leaving"): setup.read_membership,
    pl("CurrencyCheck"): sources.read_check,
    pl("Thread"): claims.read_thread,
    pl("Reminder"): claims.read_reminder,
    pl("Denial"): setup.read_denial,
    pl("Allowance"): setup.read_denial,
    pl("Contradiction"): claims.read_contradiction,
    pl("Synchronisation"): sources.read_sync,
    pl("Erasure"): removals.read_erasure,
    pl("Redaction"): removals.read_redaction,
    pl("Requote"): removals.read_requote,
    pl("Receipt"): removals.read_receipt,
    pl("Hold"): removals.read_hold,
    pl("Release"): removals.read_hold,
    pl("RetentionRule"): removals.read_retention,
    pl("Pruning"): removals.read_pruning,
    pl("Backup"): removals.read_backup,
    pl("Export"): removals.read_export,
    pl("Incarnation"): removals.read_incarnation,
    pl("GrantsConfirmation"): removals.read_confirmation,
    pl("DisclosureHead"): removals.read_disclosure_head,
}


def decode_statements(nodes: Nodes, base: str) -> list[r.Stated]:
    """Decode every record among the nodes, in the order of their node names."""
    decoder = Decoder(nodes, base)
    found: list[r.Stated] = []
    ended = []
    for node, p in sorted(nodes.items()):
        if pl("recordedUntil") in p:
            ended.append(node)
        for rendered in p.get(A, ()):
            decode = _DECODERS.get(rendered)
            record = decode(decoder, node, p) if decode is not None else None
            if record is not None:
                found.append(r.Stated(node, record))
    if ended:
        found.append(r.Stated("", r.EndingRecord(tuple(ended))))
    return found


def decode_entry(leaf: bytes, base: str) -> r.Entry:
    """Decode the leaf of one entry; the inverse of ``encode_entry`` up to the order of statements.

    Raises Corrupt for a leaf that holds no entry, as where it is missing.
    """
    nodes = nodes_of_leaf(leaf, base)
    header, p = next(((n, p) for n, p in nodes.items() if pl("Entry") in p.get(A, ())), ("", {}))
    if not header:
        raise Corrupt("a leaf is missing or holds no entry: verify the ledger to see which")
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
