"""Taking away again, in a restored journal, what its earlier life had taken away after the backup."""

from collections.abc import Iterable, Iterator

from prov_ledger.ledger.erasing.running import Running
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.denials import Denial, DenialKind
from prov_ledger.vault.removing import SETTLED

_Row = tuple[DenialKind, str]


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

    def _erase(self, work: Work, ids: list[r.Node]) -> list[_Row]:
        """Erase again what is not erased; the rows of what is not there. The next opening carries it out.

        A quote beside what was erased went with it, for the sake of what was kept of the text around it;
        the one that took its place came after the backup.
        """
        known = [id for id in dict.fromkeys(ids) if self._is_known(id.partition("#")[0])]
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
    """The rows in order, of denials and allowances of one source the last alone; no erasures."""
    last: dict[str, DenialKind] = {}
    for kind, subject in rows:
        if kind in ("denial", "allowance"):
            last[subject] = kind
        elif kind != "erasure":
            yield kind, subject
    for subject, kind in last.items():
        yield kind, subject
