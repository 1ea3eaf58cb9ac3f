"""The verbs that look at the ledger as a whole."""

from typing import TYPE_CHECKING

from prov_ledger.ledger.auditing import Auditor, AuditReport
from prov_ledger.ledger.handle import Handle
from prov_ledger.merkle.tree import TreeHead

if TYPE_CHECKING:
    from prov_ledger.checks.conformance import Report as Validation


class AuditVerbs(Handle):
    """Verifying, validating, rebuilding."""

    def tree_head(self) -> TreeHead:
        """How many entries there are, and the root over their leaves."""
        return self._tenant.journal.tree_head()

    def verify(self, *, by: str | None = None) -> AuditReport:
        """Recompute everything stored and compare it with its record."""
        self._session.check_role(self._acting(by, None).agent, "audit", "verify")
        return Auditor(self._tenant).verify()

    def validate(self, *, by: str | None = None) -> "Validation":
        """Check the whole graph against the shapes, with pySHACL."""
        self._session.check_role(self._acting(by, None).agent, "audit", "validate")
        return Auditor(self._tenant).validate()

    def rebuild(self, *, by: str | None = None) -> int:
        """Make the graph anew from the journal; returns the number of entries in it."""
        self._session.check_role(self._acting(by, None).agent, "audit", "rebuild")
        return Auditor(self._tenant).rebuild()
