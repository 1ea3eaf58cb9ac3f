"""Erasures with what follows from them, holds and retention, backups and what was restored: as RDF.

An erasure is an activity that invalidates what it takes. Source: PROV-O section 3.3 (invalidation).
"""

from prov_ledger.model import records as r
from prov_ledger.rdf.encode_claims import put_selector
from prov_ledger.rdf.kinds import class_of
from prov_ledger.rdf.writer import ABOUT, INTEGER, TRUE, A, Writer, encode_instant, pl, prov
from prov_ledger.vocab import OA


def _count(number: int) -> str:
    return f'"{number}"{INTEGER}'


#: How an erasure leaves a claim that rests on what it takes.
OUTCOMES: dict[r.ErasureOutcome, str] = {
    "erased": pl("leavesNothingOf"),
    "kept": pl("leavesStanding"),
    "unknown": pl("leavesOpen"),
}


def put_erasure(w: Writer, node: r.Node, x: r.ErasureRecord) -> None:
    """Write an ``ErasureRecord``."""
    subject = w.node(node)
    pairs = [
        (A, prov("Activity")),
        (A, pl("Erasure")),
        (pl("manifestDigest"), w.text(x.manifest)),
        (pl("cause"), pl(x.cause)),
    ]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    if x.subject is not None:
        pairs.append((pl("subjectCommitment"), w.text(x.subject)))
    w.state(subject, *pairs)
    w.many(subject, pl("target"), map(w.node, x.targets))
    w.many(subject, prov("invalidated"), map(w.node, x.erased))
    w.put(subject, *((OUTCOMES[outcome], w.node(claim)) for claim, outcome in x.outcomes))


def put_redaction(w: Writer, node: r.Node, x: r.RedactionRecord) -> None:
    """Write a ``RedactionRecord``."""
    w.state(
        w.node(node),
        (A, prov("Entity")),
        (A, pl("Redaction")),
        (ABOUT, w.node(x.revision)),
        (prov("wasGeneratedBy"), w.node(x.erasure)),
        (pl("contentCommitment"), w.text(x.content)),
        (pl("sizeBytes"), _count(x.size_bytes)),
    )
    for number, gap in enumerate(x.gaps, 1):
        selector = w.node(f"{node}.gap{number}")
        w.put(w.node(node), (f"<{OA}hasSelector>", selector))
        put_selector(w, selector, gap)


def put_requote(w: Writer, node: r.Node, x: r.RequoteRecord) -> None:
    """Write a ``RequoteRecord``."""
    w.state(
        w.node(node),
        (A, prov("Entity")),
        (A, pl("Requote")),
        (ABOUT, w.node(x.evidence)),
        (prov("wasGeneratedBy"), w.node(x.erasure)),
        (pl("quoteCommitment"), w.text(x.quote)),
    )


def put_receipt(w: Writer, node: r.Node, x: r.ReceiptRecord) -> None:
    """Write a ``ReceiptRecord``."""
    pairs = [
        (A, prov("Entity")),
        (A, pl("Receipt")),
        (prov("wasGeneratedBy"), w.node(x.erasure)),
        (prov("generatedAtTime"), encode_instant(x.finished)),
        (pl("payloads"), _count(x.payloads)),
    ]
    if x.epoch is not None:
        pairs.append((pl("keyEpoch"), _count(x.epoch)))
    w.state(w.node(node), *pairs)


def put_hold(w: Writer, node: r.Node, x: r.HoldRecord | r.ReleaseRecord) -> None:
    """Write a ``HoldRecord`` or a ``ReleaseRecord``."""
    pairs = [(A, pl("Hold" if isinstance(x, r.HoldRecord) else "Release")), (ABOUT, w.node(x.on))]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    w.state(w.node(node), *pairs)


def put_retention(w: Writer, node: r.Node, x: r.RetentionRecord) -> None:
    """Write a ``RetentionRecord``."""
    pairs = [(A, pl("RetentionRule")), (ABOUT, w.node(x.on))]
    if x.bytes_for is not None:
        pairs.append((pl("bytesFor"), w.text(x.bytes_for)))
    if x.metadata_for is not None:
        pairs.append((pl("metadataFor"), w.text(x.metadata_for)))
    w.state(w.node(node), *pairs)


def put_pruning(w: Writer, node: r.Node, x: r.PruneRecord) -> None:
    """Write a ``PruneRecord``; each node keeps the class under which it had been recorded."""
    subject = w.node(node)
    w.state(subject, (A, prov("Entity")), (A, pl("Pruning")), (prov("wasGeneratedBy"), w.node(x.erasure)))
    w.many(subject, pl("prunedEntry"), map(w.node, x.entries))
    w.many(subject, pl("prunedNode"), map(w.node, x.nodes))
    for pruned in (*x.entries, *x.nodes):
        kind = class_of(pruned)
        if kind is not None:
            w.put(w.node(pruned), (pl("recordedAs"), pl(kind)))


def put_backup(w: Writer, node: r.Node, x: r.BackupRecord) -> None:
    """Write a ``BackupRecord``."""
    pairs = [
        (A, prov("Entity")),
        (A, pl("Backup")),
        (prov("generatedAtTime"), encode_instant(x.at)),
        (pl("treeSize"), _count(x.size)),
        (pl("rootHash"), w.text(x.root)),
    ]
    if x.epoch is not None:
        pairs.append((pl("keyEpoch"), _count(x.epoch)))
    w.state(w.node(node), *pairs)


def put_export(w: Writer, node: r.Node, x: r.ExportRecord) -> None:
    """Write an ``ExportRecord``. Source: PROV-O section 3.2 (collections)."""
    w.state(
        w.node(node),
        (A, prov("Collection")),
        (A, pl("Export")),
        (prov("generatedAtTime"), encode_instant(x.at)),
        (pl("digest"), w.text(x.digest)),
    )
    w.many(w.node(node), prov("hadMember"), map(w.node, x.items))


def put_incarnation(w: Writer, node: r.Node, x: r.IncarnationRecord) -> None:
    """Write an ``IncarnationRecord``."""
    pairs = [(A, pl("Incarnation")), (pl("treeSize"), _count(x.size)), (pl("rootHash"), w.text(x.root))]
    if x.grants_suspended:
        pairs.append((pl("grantsSuspended"), TRUE))
    w.state(w.node(node), *pairs)


def put_confirmation(w: Writer, node: r.Node, x: r.GrantsConfirmedRecord) -> None:
    """Write a ``GrantsConfirmedRecord``."""
    w.state(w.node(node), (A, pl("GrantsConfirmation")))


def put_disclosure_head(w: Writer, node: r.Node, x: r.DisclosureHeadRecord) -> None:
    """Write a ``DisclosureHeadRecord``."""
    w.state(
        w.node(node),
        (A, pl("DisclosureHead")),
        (pl("disclosures"), _count(x.size)),
        (pl("chainHash"), w.text(x.head)),
    )
