"""What there is, as far as the one who asks may know of it: sources, collections, grants, threads.

What is withheld is not listed, and not counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from prov_ledger.authz.roster import EVERYTHING, FOREVER
from prov_ledger.checks.verdict import authority_of
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.model import records as r
from prov_ledger.model.records import Level, Node


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source with its present names. ``authority`` None: it is retired; ``label``: of its latest revision.

    ``collection`` is a name; None where it is in none, or the reader may not know names.
    """

    id: Node
    connector: str
    native: str
    title: str
    authority: Level | None
    collection: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class ListedCollection:
    """A collection of which some source may be read; ``name`` None where the reader may not know names."""

    id: Node
    name: str | None
    governed_by: str | None = None
    indifferent_to: tuple[str, ...] = ()
    sensitive: bool = False
    reaffirm: bool = False


@dataclass(frozen=True, slots=True)
class ListedGrant:
    """A grant that holds now. ``who`` is an agent or ``group:NAME``; ``read`` a source's id,
    ``collection:NAME`` or ``*``; ``until`` the first instant at which it no longer holds, None for never.

    Where the reader may not know names, ids stand in their place.
    """

    who: str
    read: str
    purpose: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListedThread:
    """A thread that the one who asks owns or reads; ``owner`` and ``readers`` by name, or by id."""

    id: Node
    name: str
    owner: str
    readers: tuple[str, ...] = ()


class Listing:
    """The verbs that list."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.tenant, self.texts = session, session.tenant, sources

    def sources(self, acting: Acting) -> tuple[ListedSource, ...]:
        """The sources that may be read, in the order in which they were recorded."""
        names = self.session.may_read_names(acting)
        return tuple(self._source(id, names) for id in self._readable(acting))

    def _source(self, id: Node, names: bool) -> ListedSource:
        history = self.tenant.state.reader.history(id)
        assert history is not None  # it was found readable
        record = history.source.record
        gone = self.tenant.state.removals.gone_of(history, self.tenant.now())
        present = [x for x in history.revisions if x.record.id not in gone]
        latest = max(present, key=lambda x: (x.record.published, x.sequence), default=None)
        return ListedSource(
            id,
            record.connector,
            self.texts.native(history),
            self.texts.title(id),
            authority_of(history, self.tenant.now()),
            self._name(record.collection) if names and record.collection is not None else None,
            self.texts.text(latest.record.id, "label") if latest is not None else None,
        )

    def collections(self, acting: Acting) -> tuple[ListedCollection, ...]:
        """The collections of sources that may be read; all of them to whoever may know names."""
        names = self.session.may_read_names(acting)
        held = [self._sources()[source] for source in self._readable(acting)]
        found = [id for id in held if id is not None]
        if names:
            found += [x.id for x in self._recorded("name") if x.id.startswith("col_")]
        return tuple(self._collection(id, names) for id in dict.fromkeys(found))

    def _collection(self, id: Node, names: bool) -> ListedCollection:
        stated = self.tenant.state.reader.collection(id) or r.CollectionRecord(id)
        return ListedCollection(
            id,
            self._name(id) if names else None,
            stated.governed_by,
            tuple(sorted(stated.indifferent_to)),
            stated.sensitive,
            stated.reaffirm,
        )

    def grants(self, acting: Acting) -> tuple[ListedGrant, ...]:
        """The grants that hold now, of what may be read; of an agent that may not know names, its own.

        The first recorded first.
        """
        names, roster = self.session.may_read_names(acting), self.tenant.state.roster
        own = {acting.agent, *(roster.groups_of(acting.agent) if acting.agent is not None else ())}
        readable = frozenset(self._readable(acting))
        found = []
        for grant, until in roster.in_force(self.tenant.now()):
            if (names or grant.who in own) and (not grant.read.startswith("src_") or grant.read in readable):
                purpose = self._called(grant.purpose, names) if grant.purpose is not None else None
                end = until if until != FOREVER else None
                found.append(
                    ListedGrant(self._who(grant.who, names), self._read(grant.read, names), purpose, end)
                )
        return tuple(found)

    def _who(self, id: Node, names: bool) -> str:
        called = self._called(id, names)
        return f"group:{called}" if id.startswith("grp_") and called != id else called

    def _read(self, id: Node, names: bool) -> str:
        if id == EVERYTHING or id.startswith("src_"):
            return id
        called = self._called(id, names)
        return f"collection:{called}" if called != id else id

    def threads(self, acting: Acting) -> tuple[ListedThread, ...]:
        """The threads that the agent owns or reads, in the order in which they were begun."""
        if acting.agent is None:
            return ()
        names = self.session.may_read_names(acting)
        taking_part = (x for x in self._threads() if acting.agent in (x.owner, *x.readers))
        found = []
        for thread in taking_part:
            name = self._name(thread.id)
            if name is not None and not self.tenant.state.removals.is_erased(thread.id):
                known = names or thread.owner == acting.agent
                people = [self._called(id, known or id == acting.agent) for id in sorted(thread.readers)]
                owner = self._called(thread.owner, known)
                found.append(ListedThread(thread.id, name, owner, tuple(sorted(people))))
        return tuple(found)

    def _threads(self) -> Iterator[r.ThreadRecord]:
        for entry in self.tenant.state.entries_of("thread"):
            for stated in entry.statements:
                if isinstance(stated.record, r.ThreadRecord):
                    yield stated.record

    def _recorded(self, kind: str) -> Iterator[r.NameRecord]:
        for entry in self.tenant.state.entries_of(kind):
            for stated in entry.statements:
                if isinstance(stated.record, r.NameRecord):
                    yield stated.record

    def _sources(self) -> dict[Node, Node | None]:
        """Every source with its collection, in recorded order."""
        found: dict[Node, Node | None] = {}
        for entry in self.tenant.state.entries_of("source"):
            for stated in entry.statements:
                if isinstance(stated.record, r.SourceRecord):
                    found.setdefault(stated.record.id, stated.record.collection)
        return found

    def _readable(self, acting: Acting) -> list[Node]:
        sources = self._sources()
        allowed = self.session.readable(acting, list(sources.items()), self.tenant.now())
        return [source for source in sources if source in allowed]

    def _name(self, id: Node) -> str | None:
        """What an id is called; None where that was erased."""
        return self.texts.text(id, "name") if self.tenant.journal.payload(id, "name") is not None else None

    def _called(self, id: Node, known: bool) -> str:
        return (self._name(id) if known else None) or id
