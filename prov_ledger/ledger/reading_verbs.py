"""The verbs that hand something out: packets, resolved ids, bytes, answers to queries."""

from collections.abc import Mapping, Sequence

from prov_ledger.checks.packet import TokenCounter, count_tokens
from prov_ledger.ledger.disclosing import Disclosing, rendered
from prov_ledger.ledger.explaining import Explaining, Explanation, Fallen
from prov_ledger.ledger.handle import Handle, Instant, Moment
from prov_ledger.ledger.querying import Queries
from prov_ledger.ledger.reminding import Packet, Reminders
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.showing import Showing, Shown
from prov_ledger.ledger.threads import Threads
from prov_ledger.model.slots import Slot
from prov_ledger.readers.port import Reader
from prov_ledger.readers.sparql import SparqlReader
from prov_ledger.store.port import Answer
from prov_ledger.vault.disclosures import Disclosed


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
        reminders, disclosing = Reminders(self._session, self._sources), Disclosing(self._session)
        with self._writing("remind", by, purpose) as (work, acting):
            id = reminders.remind(work, acting, claims, budget, thread, readers, count)
            packet = reminders.packet(acting, id, count)
            showing = disclosing.about_to_show(acting, rendered(packet), thread_id=packet.thread)
        disclosing.record(showing)
        return packet

    def packet(
        self,
        reminder: str,
        *,
        principal: str | None = None,
        purpose: str | None = None,
        count: TokenCounter = count_tokens,
    ) -> Packet:
        """Render a packet anew for a reader; what it shows is recorded first."""
        disclosing = Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            packet = Reminders(self._session, self._sources).packet(acting, reminder, count)
            showing = disclosing.about_to_show(acting, rendered(packet), thread_id=packet.thread)
        disclosing.record(showing)
        return packet

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

        One slot per id, in order; what they show is recorded first. Raises Refused ``undeclared_fact``,
        ``bad_fact``, ``bad_input``; StorageError.
        """
        demand = Demand(facts or {}, now, as_of, min_authority, max_age)
        disclosing = Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            slots = Resolver(self._session).resolve(self._reading(), acting, ids, demand)
            showing = disclosing.showing(acting, slots, thread)
        disclosing.record(showing)
        return slots

    def thread(
        self,
        name: str,
        *,
        principal: str | None = None,
        facts: Mapping[str, object] | None = None,
        purpose: str | None = None,
    ) -> list[Slot]:
        """The slots of a thread's claims, for re-injection after a compaction; what is withheld is not there.

        Raises Refused ``unknown_id`` unless the reader is the thread's owner or one of its readers.
        """
        acting = self._acting(principal, purpose)
        claims = Threads(self._session).claims(acting, name)
        slots = self.resolve(claims, principal=principal, facts=facts, purpose=purpose, thread=name)
        return [slot for slot in slots if slot.verdict != "withheld"]

    def explain(
        self,
        claim: str,
        *,
        as_of: Moment | None = None,
        principal: str | None = None,
        purpose: str | None = None,
    ) -> Explanation:
        """Account for a claim: what was believed as of a time (default: when it was made), from what,
        which checks it passed, and what is different now; what it shows is recorded first.

        Raises Refused ``unknown_id``; StorageError.
        """
        explaining, disclosing = Explaining(self._session, self._sources), Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            account = explaining.explain(self._reading(), acting, claim, as_of)
            showing = disclosing.showing(acting, (account.then, account.now), None)
        disclosing.record(showing)
        return account

    def changes(
        self, thread: str, since: Moment, *, principal: str | None = None, purpose: str | None = None
    ) -> tuple[Fallen, ...]:
        """The claims of a thread that were citable then and are not now, and what was recorded since.

        What their slots show is recorded first.
        """
        explaining, disclosing = Explaining(self._session, self._sources), Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            fallen = explaining.changes(self._reading(), acting, thread, since)
            showing = disclosing.showing(acting, (one.slot for one in fallen), thread)
        disclosing.record(showing)
        return fallen

    def load(self) -> int:
        """Take the whole journal into the memory reader, as a service does at its start; entries taken.

        Without it things are fetched when first asked for, and a first refusal may take longer.
        """
        with self._tenant.lock:
            return self._tenant.reading.load()

    _reader: str = "memory"

    def _reading(self) -> Reader:
        if self._reader == "sparql":
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
        """Show a revision, or the state that a source had at a time, with its exact bytes.

        That it is shown is recorded first.
        """
        disclosing = Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(by, purpose)
            shown = Showing(self._session, self._sources).show(acting, native_or_id, on)
            showing = disclosing.about_to_show(acting, (Disclosed(shown.revision, (), True),))
        disclosing.record(showing)
        return shown

    def named_query(
        self,
        name: str,
        parameters: Mapping[str, str] | None = None,
        *,
        text_columns: Sequence[str] = (),
        timeout: float | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Answer:
        """Answer one of the library's queries, with its parameters as written at a prompt.

        The texts that it shows are recorded first, as by ``sparql``.
        """
        acting = self._acting(by, purpose)
        queries = Queries(self._session, self._sources)
        return queries.named(acting, name, parameters or {}, text_columns, timeout)

    def sparql(
        self,
        text: str,
        *,
        text_columns: Sequence[str] = (),
        timeout: float | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Answer:
        """Answer a SPARQL query over the tenant's graph; text only for columns named, if readable.

        Which texts it shows is recorded first, by their ids.
        """
        return Queries(self._session, self._sources).sparql(
            self._acting(by, purpose), text, text_columns, timeout
        )
