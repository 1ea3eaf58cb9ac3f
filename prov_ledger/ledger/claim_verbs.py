"""The verbs that conclude, correct and withdraw."""

from collections.abc import Mapping, Sequence

from prov_ledger.ledger.claims import Claims, NewClaim, Support
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.sources import RawScope
from prov_ledger.model.records import Node


class ClaimVerbs(Handle):
    """Claims and what becomes of them."""

    def claim(
        self,
        *,
        says: str,
        support: Support,
        transformation: Mapping[str, object],
        question: Mapping[str, object],
        bound_to: Sequence[str] = (),
        narrow: RawScope | None = None,
        exposure: Sequence[str] = (),
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record a conclusion with its support, alternatives, exposure, question and facts; its id."""
        new = NewClaim(says, support, transformation, question, bound_to, narrow, exposure)
        with self._writing("claim", by, purpose) as (work, acting):
            return Claims(self._session, self._sources).claim(work, acting, new)

    def supersede(
        self,
        old: str,
        *,
        says: str,
        support: Support,
        transformation: Mapping[str, object],
        question: Mapping[str, object],
        bound_to: Sequence[str] = (),
        narrow: RawScope | None = None,
        exposure: Sequence[str] = (),
        reason: str | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Correct a claim by a new one with its own evidence; only a head can be, and only once."""
        new = NewClaim(says, support, transformation, question, bound_to, narrow, exposure)
        with self._writing("supersede", by, purpose) as (work, acting):
            return Claims(self._session, self._sources).supersede(work, acting, old, new, reason)

    def retract(
        self, claim: str, *, reason: str | None = None, by: str | None = None, purpose: str | None = None
    ) -> None:
        """Withdraw a claim."""
        with self._writing("retract", by, purpose) as (work, acting):
            Claims(self._session, self._sources).retract(work, acting, claim, reason)

    def contradict(self, claims: Sequence[str], *, by: str | None = None) -> None:
        """Record that two claims cannot both hold."""
        with self._writing("contradict", by, None) as (work, acting):
            Claims(self._session, self._sources).contradict(work, acting, claims)
