"""Agents with their roles, groups and grants, as the journal states them; also which sources are denied."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from prov_ledger.authz.port import Answer, Authoriser, ReadRequest
from prov_ledger.errors import Refused
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration
from prov_ledger.model.records import Node, Role

#: Kinds of entries that this is made of.
ROSTER_KINDS = ("tenant", "agent", "grant", "revoke", "member", "deny", "allow", "incarnation", "confirm")
EVERYTHING: Node = "*"
NEVER_HELD = datetime.min.replace(tzinfo=UTC)
FOREVER = datetime.max.replace(tzinfo=UTC)
#: So many are enough for what nothing was given of to take as long as what something was.
_MOST_LOOKED_AT = 512


@dataclass(frozen=True, slots=True)
class Held:
    """A grant in the hands of its reader. ``end``: the first instant at which it no longer holds."""

    record: r.GrantRecord
    purpose: Node | None
    end: datetime


@dataclass
class Roster:
    """The built-in authoriser: grants to agents and groups, for sources, collections or everything.

    A grant without a purpose holds for any; a request without a purpose meets only those. A grant
    ends at ``until``, or at its greatest age counted from its recorded time, whichever comes first.
    A denied source is readable for nobody; nor is any while grants are suspended, as in a ledger that was
    restored without knowing what was revoked since. One thread applies entries while others may ask.
    """

    roles: dict[Node, frozenset[Role]] = field(default_factory=dict)
    groups: dict[Node, dict[Node, Node]] = field(default_factory=dict)
    denied: set[Node] = field(default_factory=set)
    sequence: int = 0
    suspended: bool = False
    #: What is read, then by whom, the latest grant first: a batch costs the same in one group or fifty.
    _given: dict[Node | None, dict[Node, tuple[Held, ...]]] = field(default_factory=dict)
    _grants: dict[Node, r.GrantRecord] = field(default_factory=dict)
    #: The first so many of these, one of which is looked at where nothing was given.
    _some: list[dict[Node, tuple[Held, ...]]] = field(default_factory=list)

    def apply(self, entry: r.Entry) -> None:
        """Take in what an entry states of agents and access; entries come in order."""
        for stated in entry.statements:
            if self._apply(stated, entry.recorded):
                self.sequence = max(self.sequence, entry.sequence)

    def _apply(self, stated: r.Stated, recorded: datetime) -> bool:
        record = stated.record
        if isinstance(record, r.AgentRecord):
            self.roles[record.id] = record.roles
        elif isinstance(record, r.GrantRecord):
            self._give(record, recorded)
        elif isinstance(record, r.RevocationRecord):
            for grant in record.grants:
                self._take_back(grant)
        elif isinstance(record, r.MembershipRecord):
            self._join_or_leave(record, stated.node)
        elif isinstance(record, r.DenialRecord):
            (self.denied.discard if record.allowed else self.denied.add)(record.source)
        elif isinstance(record, r.IncarnationRecord):
            self.suspended = self.suspended or record.grants_suspended
        elif isinstance(record, r.GrantsConfirmedRecord):
            self.suspended = False
        else:
            return False
        return True

    def _give(self, grant: r.GrantRecord, recorded: datetime) -> None:
        given = self._given.get(grant.read)
        if given is None:
            given = self._given[grant.read] = {}
            if len(self._some) < _MOST_LOOKED_AT:
                self._some.append(given)
        # A tuple takes the place of another, so that whoever asks meanwhile sees one of the two.
        held = Held(grant, grant.purpose, end_of(grant, recorded) or FOREVER)
        given[grant.who] = (held, *given.get(grant.who, ()))
        self._grants[grant.id] = grant

    def _take_back(self, id: Node) -> None:
        grant = self._grants.pop(id, None)
        if grant is not None:
            given = self._given[grant.read]
            left = tuple(held for held in given[grant.who] if held.record.id != id)
            if left:
                given[grant.who] = left
            else:
                del given[grant.who]

    def _join_or_leave(self, record: r.MembershipRecord, node: Node) -> None:
        joined = self.groups.setdefault(record.who, {})
        if record.left:
            joined.pop(record.group, None)
        else:
            joined[record.group] = node

    @property
    def policy_version(self) -> str:
        """The sequence of the last entry about access."""
        return f"grants-{self.sequence}"

    def granted(self, who: Node, read: Node) -> list[r.GrantRecord]:
        """The grants to one reader (agent or group) of just this, ended by time or not, latest first."""
        return [held.record for held in self._given.get(read, {}).get(who, ())]

    def in_force(self, now: datetime) -> list[tuple[r.GrantRecord, datetime]]:
        """The grants that hold now, with the end of each (``FOREVER``: none), the first recorded first.

        None while grants are suspended.
        """
        held = [one for given in self._given.values() for several in given.values() for one in several]
        order = {grant: place for place, grant in enumerate(self._grants)}
        found = [] if self.suspended else [one for one in held if now < one.end]
        return [(one.record, one.end) for one in sorted(found, key=lambda one: order[one.record.id])]

    def gives(self, grant: Node) -> bool:
        """Whether a grant was recorded, and not taken back."""
        return grant in self._grants

    def authorise(self, requests: Sequence[ReadRequest]) -> list[Answer]:
        """Answer each request from the grants in force.

        Every request takes the same steps, so that the time of a no tells nothing of its cause.
        """
        readers = {asking: self._readers(*asking) for asking in {(q.principal, q.groups) for q in requests}}
        denied, in_force = self.denied, not self.suspended
        return [
            Answer(
                q.source,
                self._permits(readers[q.principal, q.groups], q) & (q.source not in denied) & in_force,
            )
            for q in requests
        ]

    def readable(
        self,
        principal: Node | None,
        purpose: Node | None,
        sources: Sequence[tuple[Node, Node | None]],
        now: datetime,
        left: frozenset[Node] | None = None,
    ) -> frozenset[Node]:
        """Of (source, collection) pairs, the sources whose reading ``authorise`` permits for one reader.

        What holds for all of a batch is looked for once; each source takes the same steps.
        """
        readers, permits = self._readers(principal, left), dict[Node, bool]()
        everything = self._allows(readers, EVERYTHING, purpose, now)
        collections: dict[Node | None, bool] = {}
        for source, collection in sources:
            whole = collections.get(collection)
            if whole is None:
                whole = collections[collection] = self._allows(readers, collection, purpose, now)
            permits[source] = self._allows(readers, source, purpose, now) | whole | everything
        denied, in_force = self.denied, not self.suspended
        return frozenset([s for s, permit in permits.items() if permit & (s not in denied) & in_force])

    def _readers(self, principal: Node | None, left: frozenset[Node] | None) -> frozenset[Node]:
        """A principal and those groups that it is in and that are left to it: whose grants count for it."""
        if principal is None:
            return frozenset()
        return frozenset((principal, *self.groups_of(principal, left)))

    def groups_of(self, principal: Node, left: frozenset[Node] | None = None) -> tuple[Node, ...]:
        """The groups that a principal is in; of them, those in ``left`` where that is given."""
        joined = tuple(self.groups.get(principal, ()))
        return joined if left is None else tuple(group for group in joined if group in left)

    def _permits(self, readers: frozenset[Node], q: ReadRequest) -> bool:
        permitted = False
        for read in (EVERYTHING, q.collection, q.source):
            permitted |= self._allows(readers, read, q.purpose, q.now)
        return permitted

    def _allows(
        self, readers: frozenset[Node], read: Node | None, purpose: Node | None, now: datetime
    ) -> bool:
        """Whether any of the readers was given just this, for this purpose, and it has not ended."""
        known = self._given.get(read)
        given = known if known is not None else self._another(read)
        few: Collection[Node] = readers if len(readers) <= len(given) or not given else tuple(given)
        permitted = False
        for who in few:
            in_force = _in_force(given.get(who, _ENDED), purpose, now)
            permitted |= in_force & (who in readers) & (known is not None)
        return permitted

    def _another(self, read: Node | None) -> dict[Node, tuple[Held, ...]]:
        """What was given of something else: looked at where nothing was given, and not counted."""
        return self._some[hash(read) % len(self._some)] if self._some else _NOBODY


def _in_force(held: tuple[Held, ...], purpose: Node | None, now: datetime) -> bool:
    found = False
    for one in held:
        found |= ((one.purpose is None) | (one.purpose == purpose)) & (now < one.end)
    return found


def end_of(grant: r.GrantRecord, recorded: datetime) -> datetime | None:
    """When a grant recorded at that time stops holding: half-open, None for never.

    An age that cannot be read or leads past the calendar lets it hold at no time.
    """
    if grant.max_age is None:
        return grant.until
    try:
        end = add_duration(recorded, parse_duration(grant.max_age))
    except Refused:
        return NEVER_HELD
    return end if grant.until is None else min(end, grant.until)


_NOBODY: dict[Node, tuple[Held, ...]] = {}
#: Stands where nothing was given, and takes as long to look at.
_ENDED = (Held(r.GrantRecord("", "", ""), None, NEVER_HELD),)


#: Finds the id that a name stands for; kinds are agent, group, collection, purpose.
FindName = Callable[[str, str], Node | None]


class AuthoriserFactory(Protocol):
    """Makes an authoriser that decides by what the ledger knows of agents, groups and grants."""

    def __call__(self, roster: Roster, find_name: FindName) -> Authoriser:
        """An authoriser over this roster, which goes on changing; called anew for each roster."""
        ...
