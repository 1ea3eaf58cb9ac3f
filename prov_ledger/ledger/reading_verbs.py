"""The verbs that hand something out: packets, resolved ids, bytes, answers to queries."""

from collections.abc import Mapping, Sequence

from prov_ledger.checks.packet import TokenCounter, count_tokens
from prov_ledger.ledger.handle import Handle, Instant, Moment
from prov_ledger.ledger.querying import Queries
from prov_ledger.ledger.reminding import Packet, Reminders
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.showing import Showing, Shown
from prov_ledger.model.slots import Slot
from prov_ledger.readers.port import Reader
from prov_ledger.store.port import Answer


class ReadingVerbs(Handle):
    """Reminding, resolving, showing, querying."""

    def remind(
        self,
        claims: Sequence[str],
        budget: int,
        *,
        thread: str | None = None,
        readers: Sequence[str] = (),
        count: TokenCounter = count_tokens,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Packet:
        """Record a reminder packet for the compacted context, and render it for its writer."""
        reminders = Reminders(self._session, self._sources)
        with self._writing("remind", by, purpose) as (work, acting):
            id = reminders.remind(work, acting, claims, budget, thread, readers)
            return reminders.packet(acting, id, count)

    def packet(
        self,
        reminder: str,
        *,
        principal: str | None = None,
        purpose: str | None = None,
        count: TokenCounter = count_tokens,
    ) -> Packet:
        """Render a packet anew for a reader."""
        return Reminders(self._session, self._sources).packet(
            self._acting(principal, purpose), reminder, count
        )

    def resolve(
        self,
        ids: Sequence[str],
        *,
        principal: str | None = None,
        facts: Mapping[str, object] | None = None,
        purpose: str | None = None,
        now: Instant | None = None,
        as_of: Moment | None = None,
        min_authority: str = "informal",
        max_age: str | None = None,
        thread: str | None = None,
    ) -> list[Slot]:
        """Decide for each id whether it may be shown now, to this reader, for these facts.

        One slot per id, in order. Raises Refused ``undeclared_fact``, ``bad_fact``, ``bad_input``.
        """
        demand = Demand(facts or {}, now, as_of, min_authority, max_age)
        with self._tenant.lock:
            return Resolver(self._session).resolve(
                self._reading(), self._acting(principal, purpose), ids, demand
            )

    _reader: str = "memory"

    def _reading(self) -> Reader:
        if self._reader == "sparql":
            from prov_ledger.readers.sparql import SparqlReader

            return SparqlReader(self._tenant.graph.current())
        return self._tenant.state.reader

    def show(
        self,
        native_or_id: str,
        *,
        on: Moment | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Shown:
        """Show a revision, or the state that a source had at a time, with its exact bytes."""
        return Showing(self._session, self._sources).show(self._acting(by, purpose), native_or_id, on)

    def sparql(
        self,
        text: str,
        *,
        text_columns: Sequence[str] = (),
        timeout: float | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Answer:
        """Answer a SPARQL query over the tenant's graph; text only for columns named, if readable."""
        return Queries(self._session, self._sources).sparql(
            self._acting(by, purpose), text, text_columns, timeout
        )
