"""The verbs that conclude, correct and withdraw."""

from collections.abc import Mapping, Sequence

from prov_ledger.errors import Refused
from prov_ledger.ledger.capture import Capture
from prov_ledger.ledger.claims import Claims, NewClaim, Support
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.reaffirming import Reaffirmation, Reaffirming
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

    def restate(
        self,
        claim: str,
        *,
        says: str,
        exposure: Sequence[str],
        by: str | None = None,
        purpose: str | None = None,
    ) -> None:
        """Put a claim into words that rest on ``exposure`` alone."""
        with self._writing("supersede", by, purpose, "restate") as (work, acting):
            Claims(self._session, self._sources).restate(work, acting, claim, says, exposure)

    def reaffirm(
        self,
        claims: Sequence[str] = (),
        *,
        collection: str | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Reaffirmation:
        """Carry claims over to the revisions that govern now, where every quote is the same there.

        Give the claims, or a collection for all that rest on its sources.
        """
        if bool(claims) == (collection is not None):
            raise Refused("incomplete", "reaffirm takes claims or a collection: give one of them")
        verb = Reaffirming(self._session, self._sources, Capture(self._sources))
        writing = self._writing("supersede", by, purpose, "reaffirm")
        with self._tenant.writing(batched=True), writing as (work, acting):
            if collection is not None:
                return verb.collection(work, acting, collection)
            return verb.claims(work, acting, claims)

    def contradict(self, claims: Sequence[str], *, by: str | None = None) -> None:
        """Record that two claims cannot both hold."""
        with self._writing("contradict", by, None) as (work, acting):
            Claims(self._session, self._sources).contradict(work, acting, claims)
