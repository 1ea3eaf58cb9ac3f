"""The verbs about backups, about a ledger that was restored, and about the records of what was shown."""

from collections.abc import Sequence
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.ledger.backing import Backing, Backup
from prov_ledger.ledger.handle import Handle, Instant
from prov_ledger.model import records as r
from prov_ledger.model.ids import looks_like_id, parse_id
from prov_ledger.model.times import parse_instant
from prov_ledger.vault.disclosures import Disclosure


class BackupVerbs(Handle):
    """Backing up, confirming grants after a restore, reading and forgetting what was shown."""

    def backup(self, destination: str, *, by: str | None = None) -> Backup:
        """Write a backup into a new folder outside the ledger, while the ledger is used, and check it.

        It holds no key of an epoch: keep those apart, since without them it does not open. Raises Refused
        ``denied``, ``already_exists``, ``bad_input``; StorageError.
        """
        acting = self._acting(by, None)
        self._session.check_role(acting.agent, "backup")
        if not destination.strip():
            raise Refused("bad_input", "the place of the backup is empty: name a new folder")
        return Backing(self._tenant).backup(acting.agent or "", Path(destination))

    def rotate_keys(self, *, by: str | None = None) -> int:
        """Wrap every key anew with one of a new epoch, and destroy the old one; the new epoch.

        Backups from before do not open any more: make one afterwards. Raises KeyNotDestroyable where a
        single key cannot be destroyed; the new one counts all the same.
        """
        self._session.check_role(self._acting(by, None).agent, "rotate")
        tickets = self._tenant.tickets
        new = tickets.rotate()
        tickets.rewrap()
        tickets.scrub()
        tickets.destroy_epoch(new - 1)
        return new

    def confirm_grants(self, *, by: str | None = None) -> None:
        """Let the grants of a restored ledger hold again; look through them first.

        Raises Refused ``bad_input`` where none are suspended.
        """
        with self._writing("confirm", by, None) as (work, acting):
            if not work.state.roster.suspended:
                raise Refused("bad_input", "no grants are suspended: nothing to confirm")
            draft = work.draft("confirm")
            draft.records.append(r.GrantsConfirmedRecord())
            work.append(draft, acting.agent or "")

    def disclosures(
        self,
        *,
        ids: Sequence[str] = (),
        reader: str | None = None,
        thread: str | None = None,
        from_: Instant | None = None,
        until: Instant | None = None,
        by: str | None = None,
    ) -> list[Disclosure]:
        """What was shown to whom, by ids alone, in the order recorded, narrowed by whatever is given.

        ``ids``: of claims or evidence, any of them; ``reader`` and ``thread`` by name; ``from_`` to
        ``until`` is half-open. What was forgotten by its retention is not among it.
        """
        self._session.check_role(self._acting(by, None).agent, "disclosures")
        records = self._tenant.disclosures
        wanted = {parse_id(id) if looks_like_id(id) else id for id in ids}
        agent = self._session.find_name("agent", reader) if reader is not None else None
        if reader is not None and agent is None:
            return []
        period = [parse_instant(x) if x is not None else None for x in (from_, until)]
        keys = self._session.thread_keys(thread) if thread is not None else (None,)
        found = [
            shown
            for key in keys
            for shown in records.read(reader=agent, thread=key, from_=period[0], until=period[1])
            if not wanted or shown.disclosed.id in wanted or not wanted.isdisjoint(shown.disclosed.evidence)
        ]
        return sorted(found, key=lambda shown: shown.occasion.at)

    def forget_disclosures(self, before: Instant, *, by: str | None = None) -> int:
        """Forget what was shown before an instant; how many occasions there were.

        The journal keeps the head of their chain first, so that what is left still verifies.
        """
        acting = self._acting(by, None)
        self._session.check_role(acting.agent, "forget")
        instant = parse_instant(before)
        if instant > self._tenant.now():
            raise Refused("bad_input", "what will be shown cannot be forgotten yet: give a time in the past")
        Backing(self._tenant).checkpoint(acting.agent or "")
        count = self._tenant.disclosures.forget_before(instant)
        self._tenant.disclosures.scrub(compact=count > 0)
        return count
