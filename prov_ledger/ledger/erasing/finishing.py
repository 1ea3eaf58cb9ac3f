"""What follows from an erasure: keys, bytes, indexes and snapshots, a new epoch, the receipt.

Every step may be done again, so that a killed one is finished at the next opening, whoever opens.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from prov_ledger.checks.markdown import parse_page
from prov_ledger.checks.workbooks import read_workbook
from prov_ledger.errors import GraphBusy, KeyNotDestroyable, StorageError
from prov_ledger.ledger.erasing.order import GRAPH_DUE, PREFIX, SCRUB_DUE, Order, order_key
from prov_ledger.ledger.layout import snapshots_folder, tenant_folder
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.store.snapshots import Snapshots
from prov_ledger.vault.covering import renew_cover
from prov_ledger.vault.crash import crash_point


class Finishing:
    """Finishes the erasures of a tenant."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def finish_all(self, wait: bool = True) -> list[Node]:
        """Finish every erasure without a receipt; the ids of those finished here.

        ``wait`` False: nothing is done while another process is at it. Not within a write.
        """
        if not self._unfinished():
            return []
        with self._alone(wait) as alone:
            unfinished = self._unfinished() if alone else []
            for erasure in unfinished:
                self._destroy_and_remove(erasure)
            if unfinished:
                self._forget()
                crash_point("erase.forgotten")
                self._give_receipts(unfinished, self._new_epoch())
                self._empty_logs()
            return unfinished

    def finish_pruning(self) -> None:
        """Make the graph anew in a fresh directory, and the journal's file without its gaps, where entries
        were pruned. Raises GraphBusy where another process has the graph.
        """
        if self.tenant.journal.meta(GRAPH_DUE) is None:
            return
        self.tenant.graph.rebuild()
        self._remove_snapshots()
        crash_point("prune.rebuilt")
        self.tenant.journal.scrub(compact=True)
        with self.tenant.writing() as work:
            work.removing.drop_meta(GRAPH_DUE)

    def finish_scrubbing(self) -> None:
        """Empty the logs that a reader kept from being emptied."""
        if self.tenant.journal.meta(SCRUB_DUE) is not None:
            self._empty_logs()

    def _remove_snapshots(self) -> None:
        """End what reads them, in every process. Raises StorageError ``busy``: the next opening goes on."""
        Snapshots(snapshots_folder(self.tenant.ledger, self.tenant.name)).remove_all()

    def _empty_logs(self) -> None:
        """Write the logs into the files; where somebody reads for too long, the next opening does it."""
        with self.tenant.writing() as work:
            work.removing.set_meta(SCRUB_DUE, "yes")
        files = (self.tenant.tickets, self.tenant.denials, self.tenant.journal)
        emptied = [file.scrub().truncated for file in files]
        if all(emptied):
            with self.tenant.writing() as work:
                work.removing.drop_meta(SCRUB_DUE)
            self.tenant.journal.scrub()

    def _unfinished(self) -> list[Node]:
        return [key.removeprefix(PREFIX) for key in self.tenant.journal.meta_below(PREFIX)]

    @contextmanager
    def _alone(self, wait: bool) -> Iterator[bool]:
        """Whether no other process finishes erasures of this tenant meanwhile."""
        descriptor = os.open(tenant_folder(self.tenant.ledger, self.tenant.name), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(descriptor)

    def _order(self, erasure: Node) -> Order:
        text = self.tenant.journal.meta(order_key(erasure))
        return Order.from_text(text) if text else Order((), (), ())

    def _destroy_and_remove(self, erasure: Node) -> None:
        """The keys, then the payloads and what leads to them by a name."""
        order = self._order(erasure)
        crash_point("erase.denied")
        self.tenant.tickets.destroy(order.tickets)
        crash_point("erase.keys")
        sequence = self.tenant.state.removals.erasures[erasure].sequence
        with self.tenant.writing() as work:
            work.removing.remove_payloads(order.keys, sequence)
            work.removing.remove_lookups(order.ids)
        crash_point("erase.bytes")

    def _forget(self) -> None:
        """What this process and the folder hold of texts and names beside the journal."""
        self.tenant.opened.drop()
        parse_page.cache_clear()
        read_workbook.cache_clear()
        self._remove_snapshots()
        renew_cover(self.tenant.journal, self.tenant.tickets, self.tenant.sealer)
        self.tenant.journal.scrub()

    def _new_epoch(self) -> int | None:
        """Wrap what lives with a new key and destroy the old one; the old epoch, None where it stays."""
        tickets = self.tenant.tickets
        old = tickets.rotate() - 1
        tickets.rewrap()
        crash_point("erase.rewrapped")
        tickets.scrub()
        with suppress(KeyNotDestroyable):
            tickets.destroy_epoch(old)
            crash_point("erase.epoch")
            return old
        return None

    def _give_receipts(self, erasures: list[Node], epoch: int | None) -> None:
        with self.tenant.writing() as work:
            for erasure in erasures:
                found = self.tenant.state.removals.erasures[erasure]
                if found.receipt is not None:
                    continue
                draft = work.draft("receipt")
                count = len(self._order(erasure).tickets)
                draft.records.append(r.ReceiptRecord(erasure, self.tenant.now(), count, epoch))
                draft.about.append(erasure)
                work.removing.drop_meta(order_key(erasure))
                work.append(draft, found.agent)
        crash_point("erase.receipt")


def finish_at_opening(tenant: Tenant) -> None:
    """Finish what was left when a process was killed; what is busy is left to the next opening.

    Whatever is unfinished is denied all the same.
    """
    try:
        Finishing(tenant).finish_all(wait=False)
        Finishing(tenant).finish_scrubbing()
        with suppress(GraphBusy):
            Finishing(tenant).finish_pruning()
    except StorageError as error:
        if error.code != "busy":
            raise
