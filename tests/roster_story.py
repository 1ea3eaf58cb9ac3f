"""A roster that is told a story, one entry after another, without a ledger around it."""

from datetime import UTC, datetime

from prov_ledger.authz.port import ReadRequest
from prov_ledger.authz.roster import Roster
from prov_ledger.model import records as r

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Story:
    """Who joined what and was given what, at which time; the roster knows it at once."""

    def __init__(self) -> None:
        self.roster = Roster()
        self.at = START
        self._sequence = 0
        self.names: dict[tuple[str, str], str] = {}

    def tell(self, *records: r.Record) -> None:
        self._sequence += 1
        self.roster.apply(r.entry_of(f"ent_{self._sequence}", self._sequence, "agt_0", self.at, records))

    def grant(
        self,
        who: str,
        read: str,
        purpose: str | None = None,
        until: datetime | None = None,
        max_age: str | None = None,
    ) -> str:
        id = f"ent_{self._sequence + 1}#grant"
        self.tell(r.GrantRecord(id, who, read, purpose, until, max_age))
        return id

    def find_name(self, kind: str, name: str) -> str | None:
        return self.names.get((kind, name))


def ask(
    principal: str | None = "agt_amira",
    source: str = "src_1",
    collection: str | None = None,
    purpose: str | None = None,
    now: datetime = START,
) -> ReadRequest:
    return ReadRequest(principal, purpose, source, collection, now)
