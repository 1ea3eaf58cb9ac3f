"""The last step before an answer leaves: what it shows to whom is recorded, durably, by ids alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prov_ledger.errors import StorageError
from prov_ledger.ledger.reminding import Packet
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.model.records import Node
from prov_ledger.model.slots import Slot
from prov_ledger.vault.disclosures import Disclosed, Occasion

#: Kinds of entries after whose commit nothing that they took leaves any more.
TAKING_KINDS = ("erase", "deny", "revoke", "prune")


@dataclass(frozen=True, slots=True)
class Showing:
    """An answer that is about to show something."""

    occasion: Occasion
    items: tuple[Disclosed, ...]


class Disclosing:
    """Records what slots show, unless the ledger was opened without disclosures."""

    def __init__(self, session: Session) -> None:
        self.session, self.tenant = session, session.tenant

    def showing(self, acting: Acting, slots: Iterable[Slot], thread: str | None) -> Showing | None:
        """What slots are about to show, under the policy and the journal as they are; None for nothing."""
        if not self.tenant.records_disclosures:
            return None
        return self.about_to_show(acting, tuple(dict.fromkeys(disclosed(slots))), thread)

    def about_to_show(
        self,
        acting: Acting,
        items: tuple[Disclosed, ...],
        thread: str | None = None,
        thread_id: Node | None = None,
    ) -> Showing | None:
        """As ``showing``, for items that are no slots; a thread by its name, or by its id."""
        if not items or not self.tenant.records_disclosures:
            return None
        id = self.session.thread_keys(thread)[0] if thread is not None else thread_id
        policy, sequence = self.session.policy_version, self.tenant.begun_at
        occasion = Occasion(self.tenant.now(), acting.agent, acting.purpose, id, policy, sequence)
        return Showing(occasion, items)

    def record(self, showing: Showing | None) -> None:
        """Return once it is on the disk; raises StorageError, and then nothing may be shown.

        So it does (``busy``) where something was taken away since the answer was decided.
        """
        if showing is None:
            return
        self.tenant.disclosures.append(showing.occasion, showing.items)
        decided = showing.occasion.sequence
        if self.tenant.journal.size() != decided and self._taken_since(decided):
            raise StorageError("something was taken away at this moment: ask again", code="busy")

    def _taken_since(self, sequence: int) -> bool:
        return next(iter(self.tenant.journal.entries(sequence, kinds=TAKING_KINDS)), None) is not None


def rendered(packet: Packet) -> tuple[Disclosed, ...]:
    """What a packet shows: itself first, then the claims of its lines in the order of their labels."""
    lines = (Disclosed(id, (), True) for id in packet.labels)
    return (Disclosed(packet.id, (), False), *lines) if packet.labels else ()


def described(ids: Iterable[Node]) -> tuple[Disclosed, ...]:
    """What texts of ids show: of evidence its quote, of a claim its words, of others what they are called."""
    return tuple(
        Disclosed(id, (id,) if id.startswith("ev_") else (), id.startswith("cl_")) for id in sorted(ids)
    )


def disclosed(slots: Iterable[Slot]) -> Iterator[Disclosed]:
    """What slots show: an item for each that has a statement or a quote."""
    for slot in slots:
        if slot.statement is not None or slot.quotes:
            evidence = tuple(dict.fromkeys(citation.evidence for citation in slot.quotes))
            yield Disclosed(slot.id, evidence, slot.statement is not None)
