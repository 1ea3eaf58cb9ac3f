"""Making the certificate of an erasure from what the journal says of it."""

from collections.abc import Iterator

from prov_ledger.authz.removals import Erasure
from prov_ledger.errors import Refused
from prov_ledger.ledger.erasing.certificate import NOT_COVERED, Certificate, Signer
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration
from prov_ledger.model.ids import parse_id
from prov_ledger.model.plain import Json
from prov_ledger.model.times import format_instant
from prov_ledger.vault.port import StoredEntry

FORMAT = "prov-ledger-certificate/1"
_KINDS = {
    "sources": ("src_",),
    "revisions": ("rev_",),
    "evidence": ("ev_",),
    "claims": ("cl_",),
    "names": ("agt_", "grp_", "col_", "pur_", "ent_", "era_"),
}


class Certifying:
    """Certificates of one tenant."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def certificate(self, erasure: str, keys_kept_for: str | None = None) -> Certificate:
        """The certificate of a finished erasure.

        ``keys_kept_for``: how long this operator keeps backups of keys, an ISO 8601 duration; with it the
        certificate says when the last one that could undo the erasure runs out. Raises Refused
        ``malformed_id``, ``unknown_id``, ``not_found`` where the erasure has no receipt yet.
        """
        id = parse_id(erasure)
        found = self.tenant.state.removals.erasures.get(id)
        if found is None:
            raise Refused("unknown_id", f"{id}: no such erasure was recorded here")
        if found.receipt is None:
            raise Refused("not_found", f"{id} has no receipt yet: open the ledger again, which finishes it")
        signer = Signer(self.tenant.tickets.fingerprint_key)
        return signer.sign(self._body(found, found.receipt, keys_kept_for))

    def _body(self, found: Erasure, receipt: r.ReceiptRecord, kept_for: str | None) -> dict[str, Json]:
        record, entry = found.record, self._receipt_entry(found)
        counts: dict[str, Json] = {
            name: count
            for name, prefix in _KINDS.items()
            if (count := sum(id.startswith(prefix) for id in record.erased))
        }
        outcomes = [outcome for _, outcome in record.outcomes]
        return {
            "format": FORMAT,
            "erasure": record.id,
            "ledger": self.tenant.base,
            "tenant": self.tenant.name,
            "cause": record.cause,
            "asked_for": list(record.targets),
            "plan": record.manifest,
            "by": found.agent,
            "denied_at": format_instant(found.recorded),
            "finished_at": format_instant(receipt.finished),
            "erased": {**counts, "sealed_texts": receipt.payloads},
            "gaps_in": list(self._redacted(record.id)),
            "derived_claims": {name: outcomes.count(name) for name in r.ERASURE_OUTCOMES},
            "key_epoch": _epoch(receipt.epoch),
            "copies_of_keys": _copies(receipt, kept_for),
            "backups_before": list(self._backups(found)),
            **self._restored(found),
            "receipt": {"entry": entry.id, "sequence": entry.sequence, "leaf_hash": entry.leaf_hash.hex()},
            "tree": {"size": entry.sequence, "root": self.tenant.journal.root_at(entry.sequence).hex()},
            "proof": [
                hash.hex() for hash in self.tenant.journal.inclusion_path(entry.sequence, entry.sequence)
            ],
            "not_covered": list(NOT_COVERED),
        }

    def _receipt_entry(self, found: Erasure) -> StoredEntry:
        return next(x for x in self.tenant.journal.about(found.record.id) if x.kind == "receipt")

    def _redacted(self, erasure: str) -> Iterator[str]:
        for entry in self.tenant.state.entries_of("erase"):
            for x in (stated.record for stated in entry.statements):
                if isinstance(x, r.RedactionRecord) and x.erasure == erasure:
                    yield x.revision

    def _restored(self, found: Erasure) -> dict[str, Json]:
        """From what the ledger was restored before: later backups of that life are not known here."""
        told: list[Json] = [
            f"{x.size} entries, tree {x.root}, at {format_instant(entry.recorded)}: backups that were made "
            "later than that one may exist, and this journal does not know them"
            for entry in self.tenant.state.entries_of("incarnation")
            for x in (stated.record for stated in entry.statements)
            if isinstance(x, r.IncarnationRecord) and entry.sequence < found.sequence
        ]
        return {"restored_from": told} if told else {}

    def _backups(self, found: Erasure) -> Iterator[Json]:
        for entry in self.tenant.state.entries_of("backup"):
            for x in (stated.record for stated in entry.statements):
                if isinstance(x, r.BackupRecord) and entry.sequence < found.sequence:
                    yield f"{x.id} of {format_instant(x.at)}"


def _epoch(destroyed: int | None) -> str:
    if destroyed is None:
        return "not destroyed: what keeps the keys cannot destroy one alone"
    return f"the key of epoch {destroyed} is destroyed; what lives is wrapped with a later one"


def _copies(receipt: r.ReceiptRecord, kept_for: str | None) -> str:
    """When the last copy of the old epoch's key, or of the keys that it wraps, runs out."""
    if receipt.epoch is None:
        return "whoever has the master key and a backup from before can undo this erasure"
    if kept_for is None:
        return "nobody said how long backups of keys are kept: the last one ends when they do"
    end = add_duration(receipt.finished, parse_duration(kept_for))
    return f"kept for {kept_for}: the last one runs out at {format_instant(end)}"
