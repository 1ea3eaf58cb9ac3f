"""Agents with their roles, groups and grants, as the journal states them; also which sources are denied."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prov_ledger.authz.port import Answer, ReadRequest
from prov_ledger.model import records as r
from prov_ledger.model.records import Node, Role

#: Kinds of entries that this is made of.
ROSTER_KINDS = ("tenant", "agent", "grant", "revoke", "member", "deny", "allow")


@dataclass
class Roster:
    """The built-in authoriser: grants to agents and groups, for sources, collections or everything.

    A grant without a purpose holds for any; a request without a purpose meets only those. A grant
    with ``until`` ends there. A denied source is readable for nobody.
    """

    roles: dict[Node, frozenset[Role]] = field(default_factory=dict)
    grants: dict[Node, dict[Node, r.GrantRecord]] = field(default_factory=dict)
    groups: dict[Node, dict[Node, Node]] = field(default_factory=dict)
    denied: set[Node] = field(default_factory=set)
    sequence: int = 0

    def apply(self, entry: r.Entry) -> None:
        """Take in what an entry states of agents and access; entries come in order."""
        for stated in entry.statements:
            self._apply(stated)
        self.sequence = max(self.sequence, entry.sequence)

    def _apply(self, stated: r.Stated) -> None:
        record = stated.record
        if isinstance(record, r.AgentRecord):
            self.roles[record.id] = record.roles
        elif isinstance(record, r.GrantRecord):
            self.grants.setdefault(record.who, {})[record.id] = record
        elif isinstance(record, r.RevocationRecord):
            for given in self.grants.values():
                for grant in record.grants:
                    given.pop(grant, None)
        elif isinstance(record, r.MembershipRecord):
            joined = self.groups.setdefault(record.who, {})
            if record.left:
                joined.pop(record.group, None)
            else:
                joined[record.group] = stated.node
        elif isinstance(record, r.DenialRecord):
            (self.denied.discard if record.allowed else self.denied.add)(record.source)

    @property
    def policy_version(self) -> str:
        """The sequence of the last entry about access."""
        return f"grants-{self.sequence}"

    def granted(self, who: Node, read: Node, purpose: Node | None) -> list[Node]:
        """The grants to one reader (agent or group) of just this, for just this purpose."""
        given = self.grants.get(who, {}).values()
        return [g.id for g in given if g.read == read and g.purpose == purpose]

    def authorise(self, requests: Sequence[ReadRequest]) -> list[Answer]:
        """Answer each request from the grants in force."""
        return [Answer(q.source, self._permits(q)) for q in requests]

    def _permits(self, q: ReadRequest) -> bool:
        if q.principal is None or q.source in self.denied:
            return False
        readers = (q.principal, *self.groups.get(q.principal, ()))
        return any(self._covers(g, q) for who in readers for g in self.grants.get(who, {}).values())

    def _covers(self, grant: r.GrantRecord, q: ReadRequest) -> bool:
        if grant.read not in (q.source, "*") and grant.read != q.collection:
            return False
        if grant.purpose is not None and grant.purpose != q.purpose:
            return False
        return grant.until is None or q.now < grant.until
