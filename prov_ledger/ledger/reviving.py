"""Taking away again, in a restored journal, what its earlier life had taken away after the backup."""

from collections.abc import Iterable, Iterator

from prov_ledger.ledger.erasing.running import Running
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.denials import Denial, DenialKind
from prov_ledger.vault.removing import SETTLED

_Row = tuple[DenialKind, str]
#: Kinds of which the last about a subject counts, by what they are about.
_REPLACING: dict[DenialKind, str] = {
    "denial": "denial",
    "allowance": "denial",
    "hold": "hold",
    "release": "hold",
    "retention": "retention",
    "roles": "roles",
}


class Reviving:
    """Writes the first entries of a new incarnation."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self._agent = next(iter(tenant.state.entries_of("tenant"))).agent

    def run(self, incarnation: r.IncarnationRecord, carried: Iterable[_Row], known: Iterable[Denial]) -> int:
        """Write the incarnation and whatever was taken away and is not, in one write; how many entries.

        ``known``: the newest list, of which what the journal itself says is left out. ``carried``, and what
        is about something that the journal does not hold, are kept for a later restore.
        """
        own = set(self.tenant.denials.all())
        rows = [*carried, *((x.kind, x.subject) for x in known if x not in own)]
        with self.tenant.writing(batched=True) as work:
            draft = work.draft("incarnation")
            draft.records.append(incarnation)
            begun = work.append(draft, self._agent).sequence
            before = work.appended
            unknown = [row for row in _settled(rows) if not self._apply(work, *row)]
            unknown += self._erase(work, [subject for kind, subject in rows if kind == "erasure"])
            count = work.appended - before
            self._drop_closed(work, begun)
        self.tenant.denials.carry(unknown)
        return count

    def destroy_orphans(self) -> None:
        """Destroy the keys that no payload of this journal has: of what came after the backup, in an earlier
        life, and of what was reserved then. Not within a write, and while nobody else has the tenant open.
        """
        journal, tickets = self.tenant.journal, self.tenant.tickets
        with self.tenant.writing() as work:
            work.removing.set_meta(SETTLED, str(tickets.last()))
        crash_point("restore.orphans")
        tickets.destroy_all_but([payload.ticket for _, payload in journal.sealed()])
        tickets.scrub()

    def _apply(self, work: Work, kind: DenialKind, subject: str) -> bool:
        """Write one row anew where it does not hold; False where the journal knows nothing of it."""
        match kind:
            case "revocation":
                return self._revoke(work, subject)
            case "left":
                return self._leave(work, *subject.split(" "))
            case "retraction":
                return self._withdraw(work, subject)
            case "supersession":
                return self._supersede(work, *subject.split(" "))
            case "denial" | "allowance":
                return self._deny(work, subject, allowed=kind == "allowance")
            case "hold" | "release":
                return self._hold(work, subject, released=kind == "release")
            case "retention":
                return self._retain(work, *subject.split(" "))
            case "roles":
                agent, *roles = subject.split(" ")
                return self._give_roles(work, agent, frozenset(map(r.Role, roles)))
            case "erasure":
                return True

    def _revoke(self, work: Work, grant: r.Node) -> bool:
        if work.state.roster.gives(grant):
            draft = work.draft("revoke")
            draft.records += [r.RevocationRecord((grant,)), r.EndingRecord((grant,))]
            work.append(draft, self._agent)
            return True
        return self._is_known(grant.partition("#")[0]) or self._is_known(grant)

    def _leave(self, work: Work, who: r.Node, group: r.Node) -> bool:
        joined = work.state.roster.groups.get(who, {}).get(group)
        if joined is not None:
            draft = work.draft("member")
            draft.records += [r.MembershipRecord(who, group, True), r.EndingRecord((joined,))]
            work.append(draft, self._agent)
        return self._is_known(who) and self._is_known(group)

    def _withdraw(self, work: Work, claim: r.Node) -> bool:
        if not self._is_known(claim):
            return False
        world = work.state.reader.read([claim])
        if claim in world.claims and claim not in world.retracted:
            draft = work.draft("retract")
            draft.records.append(r.RetractionRecord(claim))
            draft.about.append(claim)
            work.append(draft, self._agent)
        return True

    def _supersede(self, work: Work, old: r.Node, new: r.Node) -> bool:
        """A claim whose successor was lost is withdrawn: it may not be shown again."""
        if self._is_known(new) or not self._is_known(old):
            return self._is_known(old)
        return self._withdraw(work, old)

    def _deny(self, work: Work, source: r.Node, allowed: bool) -> bool:
        if not self._is_known(source):
            return False
        if allowed == (source in work.state.roster.denied):
            draft = work.draft("allow" if allowed else "deny")
            draft.records.append(r.DenialRecord(source, allowed))
            draft.about.append(source)
            work.append(draft, self._agent)
        return True

    def _hold(self, work: Work, on: r.Node, released: bool) -> bool:
        """Hold or release anew; the reason is lost with the entry that gave it."""
        if not self._is_known(on):
            return False
        held = work.state.removals.holds.get(on)
        if released == (held is not None):
            draft = work.draft("release" if released else "hold")
            if held is not None:
                draft.records += [r.ReleaseRecord(on), r.EndingRecord((held.node,))]
            else:
                draft.records.append(r.HoldRecord(on))
            draft.about.append(on)
            work.append(draft, self._agent)
        return True

    def _retain(self, work: Work, on: r.Node, bytes_for: str, metadata_for: str) -> bool:
        if not self._is_known(on):
            return False
        former = work.state.removals.retention.rule(on)
        rule = r.RetentionRecord(on, *(None if x == "-" else x for x in (bytes_for, metadata_for)))
        if former is None or former.record != rule:
            draft = work.draft("retention")
            draft.records.append(rule)
            if former is not None:
                draft.records.append(r.EndingRecord((former.node,)))
            draft.about.append(on)
            work.append(draft, self._agent)
        return True

    def _give_roles(self, work: Work, agent: r.Node, roles: frozenset[r.Role]) -> bool:
        entry = work.state.entry_of(agent)
        stated = [x.record for x in entry.statements] if entry is not None else []
        names = [x.name for x in stated if isinstance(x, r.AgentRecord) and x.id == agent]
        if names and work.state.roster.roles.get(agent) != roles:
            draft = work.draft("agent")
            draft.records.append(r.AgentRecord(agent, names[0], roles))
            draft.about.append(agent)
            work.append(draft, self._agent)
        return bool(names)

    def _erase(self, work: Work, ids: list[r.Node]) -> list[_Row]:
        """Erase again what is not erased; the rows of what is not there. The next opening carries it out.

        A quote beside what was erased went with it, for the sake of what was kept of the text around it;
        the one that took its place came after the backup.
        """
        known = [
            id for id in dict.fromkeys(ids) if self._is_known(id) or self._is_known(id.partition("#")[0])
        ]
        beside = [owner for owner, field in self._closed() if field == "quote"] if ids else []
        again = [id for id in dict.fromkeys((*known, *beside)) if not work.state.removals.is_erased(id)]
        if again:
            Running(self.tenant).again(work, self._agent, again)
        return [("erasure", id) for id in dict.fromkeys(ids) if id not in known]

    def _drop_closed(self, work: Work, begun: int) -> None:
        """Take out the payloads whose keys an erasure has destroyed since, because of the new incarnation."""
        work.removing.remove_payloads(self._closed(), begun)

    def _closed(self) -> list[tuple[r.Node, str]]:
        """The (owner, field) of the payloads whose keys are gone."""
        tickets = self.tenant.tickets.all()
        return [(x.owner, x.field) for _, x in self.tenant.journal.sealed() if x.ticket not in tickets]

    def _is_known(self, id: r.Node) -> bool:
        return self.tenant.journal.kind_of(id) is not None


def _settled(rows: Iterable[_Row]) -> Iterator[_Row]:
    """The rows in order; of those that replace one another, the last alone; no erasures."""
    last: dict[tuple[str, str], _Row] = {}
    for kind, subject in rows:
        group = _REPLACING.get(kind)
        if group is not None:
            last[group, subject.partition(" ")[0]] = kind, subject
        elif kind != "erasure":
            yield kind, subject
    yield from last.values()
