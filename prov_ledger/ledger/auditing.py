"""Auditing: everything that is stored, recomputed and compared with its record."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from prov_ledger.checks.conformance import Report, validate_graph
from prov_ledger.errors import Corrupt, ProvLedgerError
from prov_ledger.ledger.state import DecodedEntries
from prov_ledger.ledger.tenant import DENYING_KINDS, Tenant, denials_of
from prov_ledger.merkle.tree import leaf_hash, root_hash

_COMMITMENT = re.compile(rb'Commitment> "([0-9a-f]{64})"|#commitment> "([0-9a-f]{64})"')
Validation = Report


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something that is not as it was recorded: where, and what; never any text that is sealed."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of ``verify``: how much was looked at, and what is wrong."""

    entries: int
    payloads: int
    triples: int
    root: str
    findings: tuple[AuditFinding, ...]

    @property
    def valid(self) -> bool:
        """Whether everything is as it was recorded."""
        return not self.findings


class Auditor:
    """The verbs ``verify``, ``validate`` and ``rebuild``."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def verify(self) -> AuditReport:
        """Recompute every leaf, the tree, every payload's commitment, the denials and the graph."""
        findings: list[AuditFinding] = []
        journal = self.tenant.journal
        size = journal.size()
        commitments: set[bytes] = set()
        lines: set[bytes] = set()
        findings += self._leaves(size, commitments, lines)
        payloads = 0
        for finding in self._payloads(commitments):
            payloads += 1
            if finding is not None:
                findings.append(finding)
        findings += (
            [AuditFinding("payload", f"{len(commitments)} recorded texts have none")] if commitments else []
        )
        findings += self._denials(size)
        findings += self._graph(size, lines)
        return AuditReport(size, payloads, len(lines), journal.tree_head().root.hex(), tuple(findings))

    def _leaves(self, size: int, commitments: set[bytes], lines: set[bytes]) -> Iterator[AuditFinding]:
        hashes: list[bytes] = []
        expected = 1
        for entry in self.tenant.journal.entries(until=size):
            where = f"entry {entry.sequence} ({entry.id})"
            if entry.sequence != expected:
                yield AuditFinding(where, f"its sequence is not {expected}")
            expected = entry.sequence + 1
            recomputed = leaf_hash(entry.leaf)
            if recomputed != entry.leaf_hash:
                yield AuditFinding(where, "its leaf is not what was hashed when it was recorded")
            hashes.append(recomputed)
            commitments |= {bytes.fromhex((a or b).decode()) for a, b in _COMMITMENT.findall(entry.leaf)}
            lines |= {_digest(line) for line in entry.leaf.splitlines()}
        if expected != size + 1:
            yield AuditFinding("journal", f"{size} entries are counted, the last found is {expected - 1}")
        if root_hash(hashes) != self.tenant.journal.tree_head().root:
            yield AuditFinding("tree", "the root is not the root over the leaves")

    def _payloads(self, commitments: set[bytes]) -> Iterator[AuditFinding | None]:
        journal, sealer = self.tenant.journal, self.tenant.sealer
        for owner, field in journal.payload_keys():
            where = f"payload {field} of {owner}"
            payload = journal.payload(owner, field)
            if payload is None:
                continue
            commitment = bytes.fromhex(payload.commitment_hex)
            if commitment not in commitments:
                yield AuditFinding(where, "no entry committed to it")
                continue
            commitments.discard(commitment)
            try:
                sealer.open(payload)
                yield None
            except Corrupt as error:
                yield AuditFinding(where, error.message.partition(f"{field} of {owner}")[2].strip(" :"))

    def _denials(self, size: int) -> Iterator[AuditFinding]:
        recorded = {
            row
            for entry in DecodedEntries(self.tenant.journal, self.tenant.base).entries(0, DENYING_KINDS)
            for row in denials_of(entry)
        }
        listed = set(self.tenant.denials.all())
        if recorded - listed:
            yield AuditFinding("denials", f"{len(recorded - listed)} of the journal's are not on the list")
        if any(row.sequence <= size for row in listed - recorded):
            yield AuditFinding("denials", f"{len(listed - recorded)} are on no entry of the journal")

    def _graph(self, size: int, lines: set[bytes]) -> Iterator[AuditFinding]:
        try:
            store = self.tenant.graph.current()
        except ProvLedgerError as error:
            yield AuditFinding("graph", error.message)
            return
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

    def validate(self) -> Validation:
        """Check the whole graph against the shapes, with pySHACL."""
        return validate_graph(b"".join(self.tenant.graph.current().dump()))

    def rebuild(self) -> int:
        """Make the graph anew from the journal; returns how many entries it holds."""
        return self.tenant.graph.rebuild()


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()
