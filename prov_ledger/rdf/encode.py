"""From an entry to its leaf: canonical N-Quads, sorted, no blank node, canonical literals only.

The mapping follows PROV-O, Web Annotation (selectors) and EARL (check results); types of those
vocabularies are asserted beside our own, since stores run without a reasoner.
Source: RDF 1.1 N-Quads section 2; PROV-O section 3.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from prov_ledger.model import records as r
from prov_ledger.rdf import encode_claims as claims
from prov_ledger.rdf import encode_removals as removals
from prov_ledger.rdf import encode_setup as setup
from prov_ledger.rdf import encode_sources as sources
from prov_ledger.rdf.writer import INTEGER, A, Rendered, Writer, encode_instant, pl, prov

R = TypeVar("R", bound=r.Record)


def _ending(w: Writer, node: r.Node, x: r.EndingRecord) -> None:
    at = encode_instant(w.entry.recorded)
    for statement in x.statements:
        w.put(w.node(statement), (pl("recordedUntil"), at))


_ENCODERS: dict[type, Callable[[Writer, r.Node, object], None]] = {}


def _register(kind: type[R], encode: Callable[[Writer, r.Node, R], None]) -> None:
    _ENCODERS[kind] = encode  # type: ignore[assignment]


_register(r.TenantRecord, setup.put_tenant)
_register(r.FactRecord, setup.put_fact)
_register(r.AgentRecord, setup.put_agent)
_register(r.NameRecord, setup.put_name)
_register(r.CollectionRecord, setup.put_collection)
_register(r.SourceRecord, sources.put_source)
_register(r.NativeRecord, sources.put_native)
_register(r.TitleRecord, sources.put_title)
_register(r.AuthorityRecord, sources.put_authority)
_register(r.RetirementRecord, sources.put_retirement)
_register(r.RevisionRecord, sources.put_revision)
_register(r.ScopeRecord, sources.put_scope_record)
_register(r.ContextRecord, claims.put_context)
_register(r.EvidenceRecord, claims.put_evidence)
_register(r.ClaimRecord, claims.put_claim)
_register(r.RestatementRecord, claims.put_restatement)
_register(r.SupersessionRecord, claims.put_supersession)
_register(r.RetractionRecord, claims.put_retraction)
_register(r.GrantRecord, setup.put_grant)
_register(r.RevocationRecord, setup.put_revocation)
_register(r.MembershipRecord, setup.put_membership)
_register(r.CheckRecord, sources.put_check)
_register(r.ThreadRecord, claims.put_thread)
_register(r.ReminderRecord, claims.put_reminder)
_register(r.DenialRecord, setup.put_denial)
_register(r.ContradictionRecord, claims.put_contradiction)
_register(r.SyncRecord, sources.put_sync)
_register(r.ErasureRecord, removals.put_erasure)
_register(r.RedactionRecord, removals.put_redaction)
_register(r.RequoteRecord, removals.put_requote)
_register(r.ReceiptRecord, removals.put_receipt)
_register(r.HoldRecord, removals.put_hold)
_register(r.ReleaseRecord, removals.put_hold)
_register(r.RetentionRecord, removals.put_retention)
_register(r.PruneRecord, removals.put_pruning)
_register(r.BackupRecord, removals.put_backup)
_register(r.ExportRecord, removals.put_export)
_register(r.IncarnationRecord, removals.put_incarnation)
_register(r.GrantsConfirmedRecord, removals.put_confirmation)
_register(r.DisclosureHeadRecord, removals.put_disclosure_head)
_register(r.EndingRecord, _ending)


def encode_triples(base: str, entry: r.Entry) -> list[Rendered]:
    """Encode one entry as triples whose terms are spelled as in its leaf; ``base`` ends with a slash.

    In the order in which the entry says them, which is the same for entries of the same make.
    """
    w = Writer(base, entry)
    w.put(
        w.node(entry.id),
        (A, prov("Bundle")),
        (A, pl("Entry")),
        (pl("inTenant"), w.node("*")),
        (pl("sequence"), f'"{entry.sequence}"{INTEGER}'),
        (prov("generatedAtTime"), encode_instant(entry.recorded)),
        (prov("wasAttributedTo"), w.node(entry.agent)),
    )
    for stated in entry.statements:
        _ENCODERS[type(stated.record)](w, stated.node, stated.record)
    return w.triples


def write_leaf(base: str, triples: Iterable[Rendered]) -> bytes:
    """Write the triples of an entry as its leaf: the lines of the graph ``<base>graph``, sorted, UTF-8."""
    end = f" <{base}graph> .\n"
    return "".join(sorted({f"{s} {p} {o}{end}" for s, p, o in triples})).encode()


def encode_entry(base: str, entry: r.Entry) -> bytes:
    """Encode one entry as its leaf: canonical N-Quads in the graph ``<base>graph``, UTF-8, sorted.

    ``base`` ends with a slash. The same entry always gives the same bytes.
    """
    return write_leaf(base, encode_triples(base, entry))
