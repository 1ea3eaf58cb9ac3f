"""Who may read what: agents, groups, grants, denials, as statements of the journal."""

from collections.abc import Sequence
from datetime import date, datetime

from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources, instant_from
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration
from prov_ledger.model.ids import looks_like_id, parse_id
from prov_ledger.model.records import Node, Role
from prov_ledger.model.times import parse_date_or_instant


class Access:
    """The verbs about access."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def agent(self, work: Work, acting: Acting, name: str, roles: Sequence[str]) -> Node:
        """Give an agent its roles, recording it when it is named first. Raises Refused ``incomplete``."""
        wanted = frozenset(_parse_role(role) for role in roles)
        if not wanted:
            raise Refused("incomplete", f"an agent has at least one role: give one of {_ROLE_NAMES}")
        known = self.session.find_name("agent", name)
        if known is None:
            return self.session.agent(work, name, wanted)
        if self.tenant.state.roster.roles.get(known) != wanted:
            self._restate(work, acting, known, wanted)
        return known

    def _restate(self, work: Work, acting: Acting, agent: Node, roles: frozenset[Role]) -> None:
        entries = self.tenant.state.entry_of(agent)
        records = [s.record for s in entries.statements] if entries is not None else []
        name = next(x.name for x in records if isinstance(x, r.AgentRecord))
        draft = work.draft("agent")
        draft.records.append(r.AgentRecord(agent, name, roles))
        draft.about.append(agent)
        work.append(draft, acting.agent or "")

    def grant(
        self,
        work: Work,
        acting: Acting,
        who: str,
        read: str,
        purpose: str | None,
        until: str | date | datetime | None,
        max_age: str | None = None,
    ) -> Node:
        """Let an agent or ``group:NAME`` read a source, ``collection:NAME`` or ``*``.

        ``max_age``: how long it holds from now, an ISO 8601 duration; of two ends the first counts.
        """
        agent = acting.agent or ""
        what = self._what(acting, read)
        if what is None:
            what = self.session.name(work, "collection", read.removeprefix("collection:"), agent)
        reader = self._who(work, agent, who)
        for_what = self.session.name(work, "purpose", purpose, agent) if purpose is not None else None
        end, age = self._until(until), self._age(work, max_age)
        draft = work.draft("grant")
        id = draft.entity(f"{draft.id}#grant")
        draft.records.append(r.GrantRecord(id, reader, what, for_what, end, age))
        work.append(draft, agent)
        return id

    def _until(self, until: str | date | datetime | None) -> datetime | None:
        if until is None:
            return None
        return instant_from(parse_date_or_instant(until), self.tenant.state.reader.tenant().zone)

    def _age(self, work: Work, max_age: str | None) -> str | None:
        if max_age is not None:
            add_duration(work.recorded, parse_duration(max_age))
        return max_age

    def _who(self, work: Work, agent: Node, who: str) -> Node:
        if who.startswith("group:"):
            return self.session.name(work, "group", who.removeprefix("group:"), agent)
        return self.session.agent(work, who)

    def _what(self, acting: Acting, read: str) -> Node | None:
        """What is read, or None for a collection that nobody named before."""
        if read == "*":
            return "*"
        if read.startswith("collection:"):
            return self.session.find_name("collection", read.removeprefix("collection:"))
        if not looks_like_id(read):
            raise Refused("bad_input", "what may be read is a source's id, collection:NAME or *")
        return self.session.require_source(acting, read)

    def revoke(self, work: Work, acting: Acting, who: str, read: str, purpose: str | None) -> None:
        """End the grants that were given to the same reader, for the same thing and purpose.

        Without a purpose every grant to that reader of that thing ends, whatever its purpose.
        Raises Refused ``not_found`` when there is none.
        """
        name = who.removeprefix("group:")
        reader = self.session.find_name("group" if who.startswith("group:") else "agent", name)
        what = self._what(acting, read)
        wanted = self.session.find_name("purpose", purpose) if purpose is not None else None
        given = self.tenant.state.roster.granted(reader or "", what or "")
        grants = [g.id for g in given if purpose is None or (wanted is not None and g.purpose == wanted)]
        if not grants:
            raise Refused("not_found", "no grant in force is like that: list who may read, then revoke one")
        draft = work.draft("revoke")
        draft.records.append(r.RevocationRecord(tuple(sorted(grants))))
        draft.records.append(r.EndingRecord(tuple(sorted(grants))))
        work.append(draft, acting.agent or "")

    def member(self, work: Work, acting: Acting, who: str, of: str, left: bool) -> None:
        """Let an agent join ``group:NAME``, or leave it."""
        if not of.startswith("group:"):
            raise Refused("bad_input", "what an agent joins or leaves is group:NAME")
        agent = acting.agent or ""
        group = self.session.name(work, "group", of.removeprefix("group:"), agent)
        member = self.session.agent(work, who)
        joined = self.tenant.state.roster.groups.get(member, {}).get(group)
        if left == (joined is None):
            if left:
                raise Refused("not_found", "that agent is not in that group: nothing to leave")
            return
        draft = work.draft("member")
        draft.records.append(r.MembershipRecord(member, group, left))
        if joined is not None:
            draft.records.append(r.EndingRecord((joined,)))
        work.append(draft, agent)

    def deny(self, work: Work, acting: Acting, source: str, reason: str | None, allowed: bool) -> None:
        """Withhold a source from everyone, or allow it again.

        It is for any source, whoever may read it: so the role comes before whether there is such an id.
        """
        parse_id(source)
        self.session.check_role(acting.agent, "deny", "allow" if allowed else None)
        id = self.session.require_recorded(source)
        roster = self.tenant.state.roster
        if allowed != (id in roster.denied):
            raise Refused("bad_input", f"{id} is {'not ' if allowed else ''}denied already: nothing to do")
        draft = work.draft("allow" if allowed else "deny")
        sealed = draft.seal_reason(f"{draft.id}#denial", reason)
        draft.records.append(r.DenialRecord(id, allowed, sealed))
        draft.about.append(id)
        work.append(draft, acting.agent or "")


_ROLE_NAMES = ", ".join(known.value for known in Role)


def _parse_role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise Refused("bad_input", f"a role is one of {_ROLE_NAMES}") from None
