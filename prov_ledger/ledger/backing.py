"""Backups of a tenant, made while it is used, and the heads of its disclosures that the journal keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.vault.backup import Frozen, check_free, frozen, new_backup, verify_backup, write_manifest
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.denials import Denials
from prov_ledger.vault.disclosures import DISCLOSURES_FILE


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and checked: what it is called in the journal, where it is, what it holds.

    ``entries`` and ``root`` are the journal's in it; ``epoch`` names the key without which it does not open.
    """

    id: Node
    path: str
    at: datetime
    entries: int
    root: str
    epoch: int
    size_bytes: int


class Backing:
    """The verbs ``backup`` and ``checkpoint``, and what moving a tenant out shares with them."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def backup(self, agent: Node, destination: Path) -> Backup:
        """Write a backup into a new folder, check it, and give it its name.

        It is recorded before it is written, so that no erasure later misses one: a record of a backup that
        failed does no harm. Raises Refused ``already_exists``, ``bad_input``; StorageError; Corrupt.
        """
        self.check(destination)
        with new_backup(destination) as draft:
            with self._frozen(agent) as (files, made):
                files.copy_into(draft)
            return self._completed(draft, destination, made)

    def check(self, destination: Path) -> None:
        """Refuse a place that an erasure reaches or that is taken, and a write half inside the backup."""
        if destination.resolve().is_relative_to(self.tenant.ledger.resolve()):
            raise Refused("bad_input", "a backup is kept outside the ledger's folder: name another place")
        if self.tenant.is_writing():
            raise Refused("bad_input", "a backup holds what is committed: end the batch first")
        check_free(destination)

    @contextmanager
    def _frozen(self, agent: Node) -> Iterator[tuple[Frozen, r.BackupRecord]]:
        """All files as of one moment, which the journal's next entry records; writers wait for that alone."""
        folder = tenant_folder(self.tenant.ledger, self.tenant.name)
        with self.tenant.writing(batched=True) as work:
            held = frozen(folder)
            files = held.__enter__()
            try:
                made = self._recorded(work, agent)
            except BaseException as error:
                held.__exit__(type(error), error, error.__traceback__)
                raise
        crash_point("backup.recorded")
        try:
            self.tenant.denials.append((), through=made.size)
            yield files, made
        finally:
            held.__exit__(None, None, None)

    def _recorded(self, work: Work, agent: Node) -> r.BackupRecord:
        """The entry of a backup, and of what was shown by then."""
        head, draft = self.tenant.journal.tree_head(), work.draft("backup")
        id = draft.entity(f"{draft.id}#backup")
        made = r.BackupRecord(id, self.tenant.now(), head.size, head.root.hex(), self.tenant.tickets.epoch)
        draft.records += [made, *self.disclosure_heads()]
        work.append(draft, agent)
        return made

    def disclosure_heads(self) -> list[r.DisclosureHeadRecord]:
        """The head of what was shown, for an entry to record; none where nothing was shown yet."""
        if not (tenant_folder(self.tenant.ledger, self.tenant.name) / DISCLOSURES_FILE).exists():
            return []
        size, head = self.tenant.disclosures.head()
        return [r.DisclosureHeadRecord(size, head.hex())] if size else []

    def _completed(self, draft: Path, destination: Path, made: r.BackupRecord) -> Backup:
        """Say up to where the denials are complete, write the manifest, and read everything back."""
        denials = Denials.open(draft)
        denials.append((), through=made.size)
        denials.scrub()
        denials.close()
        manifest = write_manifest(draft, made.at, made.epoch or 0)
        verify_backup(draft)
        size = sum(size for size, _ in manifest.files.values())
        return Backup(made.id, str(destination), made.at, manifest.size, manifest.root, manifest.epoch, size)

    def checkpoint(self, agent: Node) -> r.DisclosureHeadRecord | None:
        """Record in the journal how far what was shown goes; None where there is nothing new to record."""
        heads = self.disclosure_heads()
        if not heads or heads[0] in self.recorded_heads():
            return None
        with self.tenant.writing() as work:
            draft = work.draft("checkpoint")
            draft.records += heads
            work.append(draft, agent)
        return heads[0]

    def recorded_heads(self) -> list[r.DisclosureHeadRecord]:
        """The heads of what was shown that the journal keeps, in order."""
        found: list[r.DisclosureHeadRecord] = []
        for kind in ("backup", "checkpoint"):
            for entry in self.tenant.state.entries_of(kind):
                found += [x.record for x in entry.statements if isinstance(x.record, r.DisclosureHeadRecord)]
        return sorted(found, key=lambda head: head.size)
