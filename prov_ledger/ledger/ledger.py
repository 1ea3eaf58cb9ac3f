"""The ledger: its verbs, in Python. Interfaces are thin twins of this class."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from types import TracebackType

from prov_ledger.authz.port import Authoriser
from prov_ledger.checks.packet import TokenCounter, count_tokens
from prov_ledger.connectors.port import Connector
from prov_ledger.errors import Refused
from prov_ledger.ledger.access import Access
from prov_ledger.ledger.auditing import Auditor, AuditReport, Validation
from prov_ledger.ledger.capture import Capture, NewEvidence
from prov_ledger.ledger.claims import Claims, NewClaim, Support
from prov_ledger.ledger.graph import GraphFactory
from prov_ledger.ledger.opening import create_tenant, key_provider, parse_base
from prov_ledger.ledger.querying import Queries
from prov_ledger.ledger.reminding import Packet, Reminders
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.showing import Showing, Shown
from prov_ledger.ledger.sources import NewRevision, NewSource, RawScope, Sources, temporal_fact
from prov_ledger.ledger.syncing import Progress, Sync, SyncReport
from prov_ledger.ledger.tenant import Clock, Tenant, Work, system_clock
from prov_ledger.merkle.tree import TreeHead
from prov_ledger.model import records as r
from prov_ledger.model.facts import QUESTION_DATE, FactTable, parse_fact_type
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import Node, Role
from prov_ledger.model.slots import Slot
from prov_ledger.model.times import parse_zone
from prov_ledger.readers.port import Reader
from prov_ledger.store.port import Answer
from prov_ledger.vault.keys import KeyProvider

Instant = str | datetime
Moment = str | date | datetime
READERS = ("memory", "sparql")


class Ledger:
    """One tenant of a ledger folder, opened; a context manager.

    Every verb takes ``by``, the name of the agent who acts, and ``purpose``; without them the
    handle's own count. Ids are strings; what is refused raises ``Refused`` with a code, and leaves
    the ledger as it was.
    """

    def __init__(
        self,
        tenant: Tenant,
        agent: str | None,
        purpose: str | None,
        reader: str,
        authoriser: Authoriser | None,
    ) -> None:
        if reader not in READERS:
            raise Refused("bad_input", f"reader {reader[:40]!r} is none of {', '.join(READERS)}")
        self._tenant, self._agent, self._purpose, self._reader = tenant, agent, purpose, reader
        self._session = Session(tenant, authoriser)
        self._sources = Sources(self._session)
        self._capture = Capture(self._sources)
        self._claims = Claims(self._session, self._sources)
        self._access = Access(self._session, self._sources)
        self._reminders = Reminders(self._session, self._sources)
        self._resolver = Resolver(self._session)
        self._queries = Queries(self._session, self._sources)
        self._showing = Showing(self._session, self._sources)
        self._auditor = Auditor(tenant)

    @classmethod
    def init(
        cls,
        path: Path | str,
        *,
        tenant: str = "default",
        base: str | None = None,
        zone: str = "UTC",
        governed_by: str = "question_date",
        facts: Mapping[str, object] | None = None,
        agent: str = "curator",
        clock: Clock = system_clock,
        reader: str = "memory",
        graph: GraphFactory | None = None,
        keys: KeyProvider | None = None,
    ) -> "Ledger":
        """Create a tenant (and the ledger's folder, if it is not there) and open it.

        ``agent`` gets every role and may read everything. ``zone`` is the IANA zone of civil dates.
        Raises Refused ``already_exists``, ``bad_input``, ``undeclared_fact``, ``bad_fact``.
        """
        folder = Path(path)
        table = FactTable(parse_zone(zone))
        for name, raw in (facts or {}).items():
            table = table.declare(parse_fact_type(name, raw, zone))
        temporal_fact(table, governed_by)
        provider = keys if keys is not None else key_provider(folder)
        create_tenant(folder, tenant, parse_base(base, tenant), provider)
        opened = Tenant(folder, tenant, provider, clock, graph)
        try:
            with opened.writing(batched=True) as work:
                _found(work, agent, zone, governed_by, table)
        except BaseException:
            opened.close()
            raise
        return cls(opened, agent, None, reader, None)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        tenant: str = "default",
        agent: str | None = None,
        purpose: str | None = None,
        clock: Clock = system_clock,
        reader: str = "memory",
        graph: GraphFactory | None = None,
        keys: KeyProvider | None = None,
        authoriser: Authoriser | None = None,
    ) -> "Ledger":
        """Open a tenant. ``agent`` None is the agent that created it.

        Raises Refused ``not_found``; MissingKey, WrongKey; StorageError.
        """
        folder = Path(path)
        provider = keys if keys is not None else key_provider(folder)
        return cls(Tenant(folder, tenant, provider, clock, graph), agent, purpose, reader, authoriser)

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every file of the tenant."""
        self._tenant.close()

    @property
    def base(self) -> str:
        """The base IRI of the tenant's entities."""
        return self._tenant.base

    @contextmanager
    def batch(self) -> Iterator["Ledger"]:
        """All writes within become durable together at its end, or none does."""
        with self._tenant.writing(batched=True):
            yield self

    @contextmanager
    def _writing(self, verb: str, by: str | None, purpose: str | None) -> Iterator[tuple[Work, Acting]]:
        with self._tenant.writing() as work:
            name = by if by is not None else self._agent
            if name is None:
                acting = self._founder(purpose)
                self._session.check_role(acting.agent, verb)
                yield work, acting
            else:
                yield work, self._session.acting_in(work, name, verb, purpose or self._purpose)

    def _acting(self, by: str | None, purpose: str | None) -> Acting:
        name = by if by is not None else self._agent
        if name is None:
            return self._founder(purpose)
        return self._session.acting(name, purpose if purpose is not None else self._purpose)

    def _founder(self, purpose: str | None) -> Acting:
        first = next(iter(self._tenant.state.entries_of("tenant")))
        name = purpose if purpose is not None else self._purpose
        return Acting(first.agent, self._session.find_name("purpose", name) if name is not None else None)

    # setting up

    def declare_fact(self, name: str, type: object, *, by: str | None = None) -> None:
        """Declare a fact: ``date``, ``instant``, ``code``, ``{number: UNIT}``, ``{code: personal}``."""
        with self._writing("fact", by, None) as (work, acting):
            table = self._sources.table()
            declared = parse_fact_type(name, type, table.zone)
            if table.declare(declared) is table:
                return
            draft = work.draft("fact")
            draft.records.append(r.FactRecord(declared))
            work.append(draft, acting.agent or "")

    def facts(self) -> FactTable:
        """The declared facts."""
        return self._sources.table()

    def agent(self, name: str, roles: Sequence[str] = ("agent",), *, by: str | None = None) -> Node:
        """Record an agent, or give it other roles; its id."""
        with self._writing("agent", by, None) as (work, acting):
            return self._access.agent(work, acting, name, roles)

    def collection(
        self,
        name: str,
        *,
        governed_by: str | None = None,
        indifferent_to: Sequence[str] = (),
        sensitive: bool = False,
        reaffirm: bool = False,
        by: str | None = None,
    ) -> Node:
        """State what holds for the sources of a collection; its id."""
        with self._writing("collection", by, None) as (work, acting):
            return self._sources.collection(
                work, acting, name, governed_by, indifferent_to, sensitive, reaffirm
            )

    # capturing

    def source(
        self,
        *,
        native: str,
        title: str,
        connector: str = "manual",
        authority: str = "official",
        collection: str | None = None,
        governed_by: str | None = None,
        indifferent_to: Sequence[str] = (),
        came_from: Node | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record a source; the same connector and native id again gives the same id, and a new title."""
        new = NewSource(
            native, title, connector, authority, collection, governed_by, indifferent_to, came_from
        )
        with self._writing("source", by, purpose) as (work, acting):
            return self._sources.add(work, acting, new)

    def rename(self, source: str, native: str, since: Instant, *, by: str | None = None) -> None:
        """Give a source a further native id, in use from an instant on."""
        with self._writing("source", by, None) as (work, acting):
            self._sources.rename_checked(work, acting, source, native, since)

    def revision(
        self,
        source: str,
        *,
        data: bytes | str,
        label: str,
        media_type: str = "text/plain",
        published: Instant | None = None,
        scope: RawScope | None = None,
        relation: Mapping[str, object] | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record one state of a source: its exact bytes, label, scope and relation; its id."""
        new = NewRevision(source, data, label, media_type, published, scope, relation)
        with self._writing("revision", by, purpose) as (work, acting):
            return self._sources.revise(work, acting, new)

    def scope(self, of: str, scope: RawScope, *, by: str | None = None, purpose: str | None = None) -> None:
        """State the scope of a revision or an evidence item anew; the text stays the same."""
        with self._writing("scope", by, purpose) as (work, acting):
            self._sources.state_scope(work, acting, of, scope)

    def evidence(
        self,
        revision: str,
        *,
        quote: str | None = None,
        prefix: str | None = None,
        suffix: str | None = None,
        cell: Mapping[str, object] | None = None,
        scope: RawScope | None = None,
        indifferent_to: Sequence[str] = (),
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record a quote or a cell of a revision; the same again gives the same id."""
        new = NewEvidence(revision, quote, prefix, suffix, cell, scope, indifferent_to)
        with self._writing("evidence", by, purpose) as (work, acting):
            return self._capture.evidence(work, acting, new)

    def check(self, source: str, outcome: str, *, by: str | None = None) -> None:
        """Record a currency check: ``current``, ``changed``, ``gone`` or ``unreachable``."""
        with self._writing("check", by, None) as (work, acting):
            self._sources.check(work, acting, source, outcome)

    def retire(self, source: str, from_: Moment, *, by: str | None = None) -> None:
        """Say that a source is no authority from a date or an instant on."""
        with self._writing("retire", by, None) as (work, acting):
            self._sources.retire(work, acting, source, from_)

    def authority(self, source: str, level: str, *, by: str | None = None) -> None:
        """State the level of authority of a source; ends a retirement."""
        with self._writing("authority", by, None) as (work, acting):
            self._sources.authority(work, acting, source, level)

    def sync(
        self,
        connector: Connector,
        *,
        collection: str | None = None,
        progress: Progress | None = None,
        by: str | None = None,
    ) -> SyncReport:
        """Take in all that a connector brings that is new; killed anywhere, the next run goes on."""
        return Sync(self._sources).run(self._acting(by, None), connector, collection, progress)

    # concluding

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
            return self._claims.claim(work, acting, new)

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
            return self._claims.supersede(work, acting, old, new, reason)

    def retract(
        self, claim: str, *, reason: str | None = None, by: str | None = None, purpose: str | None = None
    ) -> None:
        """Withdraw a claim."""
        with self._writing("retract", by, purpose) as (work, acting):
            self._claims.retract(work, acting, claim, reason)

    def contradict(self, claims: Sequence[str], *, by: str | None = None) -> None:
        """Record that two claims cannot both hold."""
        with self._writing("contradict", by, None) as (work, acting):
            self._claims.contradict(work, acting, claims)

    # access

    def grant(
        self,
        who: str,
        read: str,
        *,
        for_purpose: str | None = None,
        until: Moment | None = None,
        by: str | None = None,
    ) -> None:
        """Let an agent or ``group:NAME`` read a source, ``collection:NAME`` or ``*``."""
        with self._writing("grant", by, None) as (work, acting):
            self._access.grant(work, acting, who, read, for_purpose, until)

    def revoke(self, who: str, read: str, *, for_purpose: str | None = None, by: str | None = None) -> None:
        """End grants: those for one purpose, or all that gave this reader this thing."""
        with self._writing("revoke", by, None) as (work, acting):
            self._access.revoke(work, acting, who, read, for_purpose)

    def member(self, who: str, of: str, *, left: bool = False, by: str | None = None) -> None:
        """Let an agent join ``group:NAME``, or leave it."""
        with self._writing("member", by, None) as (work, acting):
            self._access.member(work, acting, who, of, left)

    def deny(self, source: str, reason: str | None = None, *, by: str | None = None) -> None:
        """Withhold a source from everyone, until it is allowed again."""
        with self._writing("deny", by, None) as (work, acting):
            self._access.deny(work, acting, source, reason or "", allowed=False)

    def allow(self, source: str, reason: str | None = None, *, by: str | None = None) -> None:
        """End a denial."""
        with self._writing("deny", by, None) as (work, acting):
            self._access.deny(work, acting, source, reason or "", allowed=True)

    # reading

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
        with self._writing("remind", by, purpose) as (work, acting):
            id = self._reminders.remind(work, acting, claims, budget, thread, readers)
            return self._reminders.packet(acting, id, count)

    def packet(
        self,
        reminder: str,
        *,
        principal: str | None = None,
        purpose: str | None = None,
        count: TokenCounter = count_tokens,
    ) -> Packet:
        """Render a packet anew for a reader."""
        return self._reminders.packet(self._acting(principal, purpose), reminder, count)

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
            return self._resolver.resolve(self._reading(), self._acting(principal, purpose), ids, demand)

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
        return self._showing.show(self._acting(by, purpose), native_or_id, on)

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
        return self._queries.sparql(self._acting(by, purpose), text, text_columns, timeout)

    # the whole

    def tree_head(self) -> TreeHead:
        """How many entries there are, and the root over their leaves."""
        return self._tenant.journal.tree_head()

    def verify(self, *, by: str | None = None) -> AuditReport:
        """Recompute everything stored and compare it with its record."""
        self._session.check_role(self._acting(by, None).agent, "audit")
        return self._auditor.verify()

    def validate(self, *, by: str | None = None) -> Validation:
        """Check the whole graph against the shapes, with pySHACL."""
        self._session.check_role(self._acting(by, None).agent, "audit")
        return self._auditor.validate()

    def rebuild(self, *, by: str | None = None) -> int:
        """Make the graph anew from the journal; returns the number of entries in it."""
        self._session.check_role(self._acting(by, None).agent, "audit")
        return self._auditor.rebuild()


def _found(work: Work, agent: str, zone: str, governed_by: str, table: FactTable) -> None:
    """The first entries of a tenant: who made it, what it is, its facts, the founder's grant."""
    if not agent.strip():
        raise Refused("bad_input", "the name of the founding agent is empty: give it a name")
    draft = work.draft("tenant")
    id = draft.entity(mint_id("agt"))
    draft.records.append(r.TenantRecord(zone, governed_by))
    draft.records.append(r.AgentRecord(id, draft.seal(id, "name", agent), frozenset(Role)))
    draft.name("agent", agent, id)
    draft.records += [r.FactRecord(type_) for type_ in table if type_.name != QUESTION_DATE]
    draft.records.append(r.GrantRecord(f"{draft.id}#grant", id, "*"))
    work.append(draft, id)
