"""Auditing: everything that is stored, recomputed and compared with its record."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from prov_ledger.errors import Corrupt, ProvLedgerError
from prov_ledger.ledger.state import DecodedEntries
from prov_ledger.ledger.tenant import DENYING_KINDS, Tenant, denials_of
from prov_ledger.vault.verify import check_payloads, check_references, check_tree

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
        journal, sealer = self.tenant.journal, self.tenant.sealer
        head = journal.tree_head()
        checks = (check_tree(journal), check_references(journal), check_payloads(journal, sealer))
        findings = [AuditFinding(found.where, found.what) for check in checks for found in check]
        lines: set[bytes] = set()
        try:
            findings += self._denials(head.size)
            lines = self._lines(head.size)
            findings += self._graph(head.size, lines)
        except Corrupt:
            findings.append(AuditFinding("graph", "not compared: the journal's leaves are not sound"))
        payloads = sum(1 for _ in journal.payload_keys())
        return AuditReport(head.size, payloads, len(lines), head.root.hex(), tuple(findings))

    def _lines(self, size: int) -> set[bytes]:
        """Digests of all lines of all leaves: what the graph has to hold."""
        return {
            _digest(line)
            for entry in self.tenant.journal.entries(until=size)
            for line in entry.leaf.splitlines()
        }

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

    def validate(self) -> "Validation":
        """Check the whole graph against the shapes, with pySHACL."""
        from prov_ledger.checks.conformance import validate_graph  # a third of the start-up time

        return validate_graph(b"".join(self.tenant.graph.current().dump()))

    def rebuild(self) -> int:
        """Make the graph anew from the journal; returns how many entries it holds."""
        return self.tenant.graph.rebuild()


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()
