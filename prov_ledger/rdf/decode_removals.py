"""Erasures with what follows from them, holds and retention, backups and what was restored: from nodes."""

from typing import cast

from prov_ledger.model import records as r
from prov_ledger.rdf.decode_claims import selector_of
from prov_ledger.rdf.decoder import Decoder, Properties, flag, instant_of, integer, local, text, text_or_none
from prov_ledger.rdf.encode_removals import OUTCOMES
from prov_ledger.rdf.writer import A, pl, prov
from prov_ledger.vocab import OA


def _names(d: Decoder, p: Properties, predicate: str) -> list[r.Node]:
    return sorted(map(d.name, p.get(predicate, ())))


def _epoch(p: Properties) -> int | None:
    return integer(p, pl("keyEpoch")) if flag(p, "keyEpoch") else None


def read_erasure(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read an erasure record."""
    return r.ErasureRecord(
        node,
        tuple(_names(d, p, pl("target"))),
        frozenset(map(d.name, p.get(prov("invalidated"), ()))),
        text(p, "manifestDigest"),
        cast(r.ErasureCause, local(d.one(p, pl("cause")))),
        tuple(sorted((claim, name) for name, iri in OUTCOMES.items() for claim in _names(d, p, iri))),
        text_or_none(p, "reasonCommitment"),
        text_or_none(p, "subjectCommitment"),
    )


def read_redaction(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a redaction record."""
    gaps = [selector_of(d.nodes[d.name(value)]) for value in p.get(f"<{OA}hasSelector>", ())]
    return r.RedactionRecord(
        d.node(p, pl("about")),
        d.node(p, prov("wasGeneratedBy")),
        text(p, "contentCommitment"),
        integer(p, pl("sizeBytes")),
        tuple(sorted(gaps, key=_place)),
    )


def _place(gap: r.Selector) -> tuple[int, ...]:
    return (gap.start, gap.end) if isinstance(gap, r.TextPosition) else (gap.table, gap.row, gap.column)


def read_requote(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a requote record."""
    return r.RequoteRecord(
        d.node(p, pl("about")), d.node(p, prov("wasGeneratedBy")), text(p, "quoteCommitment")
    )


def read_receipt(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a receipt record."""
    finished = instant_of(d.one(p, prov("generatedAtTime")))
    erasure, payloads = d.node(p, prov("wasGeneratedBy")), integer(p, pl("payloads"))
    return r.ReceiptRecord(erasure, finished, payloads, _epoch(p))


def read_hold(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a hold record, or that of its end."""
    kind = r.HoldRecord if pl("Hold") in p[A] else r.ReleaseRecord
    return kind(d.node(p, pl("about")), text_or_none(p, "reasonCommitment"))


def read_retention(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a retention record."""
    return r.RetentionRecord(
        d.node(p, pl("about")), text_or_none(p, "bytesFor"), text_or_none(p, "metadataFor")
    )


def read_pruning(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a prune record."""
    nodes = frozenset(map(d.name, p.get(pl("prunedNode"), ())))
    return r.PruneRecord(d.node(p, prov("wasGeneratedBy")), tuple(_names(d, p, pl("prunedEntry"))), nodes)


def read_backup(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a backup record."""
    at = instant_of(d.one(p, prov("generatedAtTime")))
    return r.BackupRecord(node, at, integer(p, pl("treeSize")), text(p, "rootHash"), _epoch(p))


def read_export(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read an export record."""
    items = frozenset(map(d.name, p.get(prov("hadMember"), ())))
    return r.ExportRecord(node, instant_of(d.one(p, prov("generatedAtTime"))), text(p, "digest"), items)


def read_incarnation(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read an incarnation record."""
    return r.IncarnationRecord(integer(p, pl("treeSize")), text(p, "rootHash"), flag(p, "grantsSuspended"))


def read_confirmation(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a confirmation of grants."""
    return r.GrantsConfirmedRecord()


def read_disclosure_head(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a disclosure head record."""
    return r.DisclosureHeadRecord(integer(p, pl("disclosures")), text(p, "chainHash"))
