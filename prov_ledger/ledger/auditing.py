"""Auditing: everything that is stored, recomputed and compared with its record."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from prov_ledger.errors import Corrupt, ProvLedgerError
from prov_ledger.ledger.audit_removals import Committed, RemovalsSeen
from prov_ledger.ledger.backing import Backing
from prov_ledger.ledger.index_rows import IndexRows
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.tenant import Tenant, denials_of
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.store.port import GraphStore
from prov_ledger.vault.denials import Denial
from prov_ledger.vault.disclosures import DISCLOSURES_FILE
from prov_ledger.vault.stored import StoredRow
from prov_ledger.vault.verify import check_keys, check_payloads, check_references, check_tree

#: A commitment to a sealed text, whatever property holds it.
_COMMITMENT = re.compile(rb'^<([^>]*)> <[^>]*#([a-z]*)[Cc]ommitment> "([0-9a-f]{64})"', re.MULTILINE)

if TYPE_CHECKING:
    from prov_ledger.checks.conformance import Report as Validation


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something that is not as it was recorded: where, and what; never any text that is sealed."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of ``verify``: how much was looked at, and what is wrong.

    ``erased`` counts texts that erasures took, ``pruned`` entries whose bodies are gone: both as recorded.
    """

    entries: int
    payloads: int
    triples: int
    root: str
    findings: tuple[AuditFinding, ...]
    erased: int = 0
    pruned: int = 0

    @property
    def valid(self) -> bool:
        """Whether everything is as it was recorded."""
        return not self.findings


class Auditor:
    """The verbs ``verify``, ``validate`` and ``rebuild``."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def verify(self) -> AuditReport:
        """Recompute every leaf, the tree, every payload's commitment, the denials and the graph.

        The rows by which entries are found, and the records of what was shown, are compared as well.
        """
        journal, sealer = self.tenant.journal, self.tenant.sealer
        head = journal.tree_head()
        checks = (
            check_tree(journal),
            check_references(journal),
            check_payloads(journal, sealer),
            check_keys(journal, self.tenant.tickets),
        )
        findings = [AuditFinding(found.where, found.what) for check in checks for found in check]
        leaves = _Leaves(IndexRows(journal, sealer), RemovalsSeen(journal))
        for row in journal.rows(head.size):
            findings += leaves.take(row, self.tenant.base)
        without = [*leaves.removals.check_leaves()]
        findings += (AuditFinding(x.where, x.what) for x in without)
        if leaves.sound and not without:
            findings += (AuditFinding(x.where, x.what) for x in leaves.rows.check(head.size))
            findings += self._denials(head.size, leaves.denials, leaves.removals.pruned())
            findings += self._graph(head.size, leaves.lines)
        else:
            findings.append(AuditFinding("graph", "not compared: the journal's leaves are not sound"))
        held = {payload.commitment_hex.encode() for _, payload in journal.sealed()}
        missing = {text: n for text, n in leaves.commitments.items() if text not in held}
        lost = (*leaves.removals.check_texts(missing), *leaves.removals.check_gone())
        findings += (AuditFinding(x.where, x.what) for x in lost)
        findings += self._disclosures()
        payloads = sum(1 for _ in journal.payload_keys())
        return AuditReport(
            head.size,
            payloads,
            len(leaves.lines),
            head.root.hex(),
            tuple(findings),
            erased=len(journal.removed()),
            pruned=len(leaves.removals.pruned()),
        )

    def _denials(self, size: int, recorded: set[Denial], pruned: frozenset[int]) -> Iterator[AuditFinding]:
        if not self.tenant.denials.is_sealed(self.tenant.tickets.fingerprint_key):
            yield AuditFinding("denials", "fingerprints of what was erased were removed or changed")
        listed = set(self.tenant.denials.all())
        if recorded - listed:
            yield AuditFinding("denials", f"{len(recorded - listed)} of the journal's are not on the list")
        extra = [row for row in listed - recorded if row.sequence <= size and row.sequence not in pruned]
        if extra:
            yield AuditFinding("denials", f"{len(extra)} are on no entry of the journal")

    def _disclosures(self) -> Iterator[AuditFinding]:
        """The records of what was shown, where there are any yet, beside what the journal knows of them."""
        heads = [(x.size, bytes.fromhex(x.head)) for x in Backing(self.tenant).recorded_heads()]
        if not (tenant_folder(self.tenant.ledger, self.tenant.name) / DISCLOSURES_FILE).exists():
            if heads:
                yield AuditFinding("disclosures", "the journal knows of some, and their file is missing")
            return
        try:
            self.tenant.disclosures.verify(heads)
        except ProvLedgerError as error:
            yield AuditFinding("disclosures", error.message)

    def _graph(self, size: int, lines: set[bytes]) -> Iterator[AuditFinding]:
        try:
            yield from self._compare(self.tenant.graph.current(), size, lines)
        except ProvLedgerError as error:
            yield AuditFinding("graph", error.message)

    def _compare(self, store: GraphStore, size: int, lines: set[bytes]) -> Iterator[AuditFinding]:
        extra, rest = 0, b""
        left = set(lines)
        for chunk in store.dump():
            rest += chunk
            *whole, rest = rest.split(b"\n")
            for line in whole:
                digest = _digest(line)
                if digest in lines:
                    left.discard(digest)
                else:
                    extra += 1
        if left:
            yield AuditFinding("graph", f"{len(left)} statements of the journal are not in it: rebuild it")
        if extra and self.tenant.journal.size() == size:
            yield AuditFinding("graph", f"{extra} statements are in it that no entry made: rebuild it")

    def validate(self) -> "Validation":
        """Check the whole graph against the shapes, with pySHACL."""
        from prov_ledger.checks.conformance import validate_graph  # a third of the start-up time

        return validate_graph(b"".join(self.tenant.graph.current().dump()))

    def rebuild(self) -> int:
        """Make the graph anew from the journal; returns how many entries it holds."""
        return self.tenant.graph.rebuild()


class _Leaves:
    """What all leaves say together, taken in one after another."""

    def __init__(self, rows: IndexRows, removals: RemovalsSeen) -> None:
        self.rows, self.removals = rows, removals
        #: Digests of all lines: what the graph has to hold.
        self.lines: set[bytes] = set()
        self.denials: set[Denial] = set()
        #: The entry that first committed to a text, by the commitment.
        self.commitments: dict[bytes, Committed] = {}
        self.sound = True

    def take(self, row: StoredRow, base: str) -> Iterator[AuditFinding]:
        """Take in an entry; what of its leaf and row is not sound."""
        where = f"entry {row.sequence}"
        if row.leaf is None:
            self.removals.miss(row.sequence, row.id)
            return
        try:
            entry = decode_entry(row.leaf, base)
        except (Corrupt, ValueError, LookupError):
            self.sound = False
            yield AuditFinding(where, "its leaf cannot be read")
            return
        self.removals.take(entry)
        self.lines.update(map(_digest, row.leaf.splitlines()))
        self.denials.update(denials_of(entry))
        for subject, name, commitment in _COMMITMENT.findall(row.leaf):
            node = subject.decode().removeprefix(base)
            self.commitments.setdefault(commitment, Committed(row.sequence, node, name.decode()))
        yield from (AuditFinding(found.where, found.what) for found in self.rows.take(row, entry))


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()
