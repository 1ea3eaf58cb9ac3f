"""Threads: conversations with an owner and readers, and the claims that their packets hold."""

from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.model import records as r
from prov_ledger.model.records import Node


class Threads:
    """Looks up what a thread holds, for its owner and its readers."""

    def __init__(self, session: Session) -> None:
        self.session, self.tenant = session, session.tenant

    def claims(self, acting: Acting, name: str) -> list[Node]:
        """The claims of all packets of a thread, first mentioned first.

        Raises Refused ``unknown_id`` for a thread that does not exist or is another's.
        """
        found: dict[Node, None] = {}
        for entry in self.tenant.state.entries_about(self.require(acting, name).id):
            for stated in entry.statements:
                if isinstance(stated.record, r.ReminderRecord):
                    found |= dict.fromkeys(stated.record.claims)
        return list(found)

    def require(self, acting: Acting, name: str) -> r.ThreadRecord:
        """A thread that the agent owns or reads; raises as ``claims``."""
        id = self.session.find_name("thread", name)
        record = self._record(id) if id is not None else None
        erased = record is not None and self.tenant.state.removals.is_erased(record.id)
        if record is None or erased or acting.agent not in (record.owner, *record.readers):
            raise unknown("that thread")
        return record

    def _record(self, id: Node) -> r.ThreadRecord | None:
        entry = self.tenant.state.entry_of(id)
        records = (s.record for s in entry.statements) if entry is not None else ()
        return next((x for x in records if isinstance(x, r.ThreadRecord)), None)
