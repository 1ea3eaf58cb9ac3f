"""A ledger of an office with a person in every kind of text that it keeps, and ways to look for that."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.ledger.erasing.spellings import find_in_bytes, find_in_files, spellings_of
from prov_ledger.ledger.erasing.traces import find_in_leaves, find_in_sealed
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.opening import key_provider
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore
from tests.ledger.worlds import Clock, conclude

#: Stands in every text about the person, with a word that no other text has.
MARKER = "Quistöda-88-1417"
FACTS = {"order": {"code": "personal"}, "purchase_date": "date"}
CASE = f"""# Complaint of {MARKER}

Caller {MARKER} reported that the parcel arrived crushed on 14 January, in the rain.

| caller | parcel |
|---|---|
| {MARKER} | crushed |
| Bo | whole |
"""
GUIDE = "# Complaints\n\nA crushed parcel is replaced without further proof.\n"
RULE = "A crushed parcel is replaced without further proof."
REPORT = f"Caller {MARKER} reported that the parcel arrived crushed on 14 January"


@dataclass
class Office:
    """The ledger and what is in it, by short names."""

    ledger: Ledger
    folder: Path
    clock: Clock
    ids: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]

    def reopen(self) -> Ledger:
        """Close the ledger and open it again."""
        self.ledger.close()
        self.ledger = Ledger.open(self.folder, clock=self.clock)
        return self.ledger


def make_office(folder: Path) -> Office:
    """A complaint with the marker in its title, native id, pages, quotes, cells, scopes, claims, reasons."""
    clock = Clock()
    ledger = Ledger.init(folder, facts=FACTS, clock=clock)
    office = Office(ledger, folder, clock)
    ids = office.ids
    ids["case"] = ledger.source(native=f"crm:{MARKER}", title=f"File of {MARKER}")
    ids["guide"] = ledger.source(native="wiki:complaints", title="Complaints guide")
    ids["page"] = ledger.revision(ids["case"], data=CASE, media_type="text/markdown", label=f"for {MARKER}")
    ledger.scope(ids["page"], [{"fact": "order", "in": [MARKER]}])
    ids["rules"] = ledger.revision(ids["guide"], data=GUIDE, media_type="text/markdown", label="7")
    ids["report"] = ledger.evidence(ids["page"], quote=REPORT)
    ids["rain"] = ledger.evidence(ids["page"], quote="in the rain")
    ids["cell"] = ledger.evidence(ids["page"], cell={"row": {"caller": MARKER}, "column": "parcel"})
    ids["rule"] = ledger.evidence(ids["rules"], quote=RULE)
    _conclude(office)
    ledger.source(native=f"crm:{MARKER}", title=f"Old file of {MARKER}")
    ledger.deny(ids["case"], f"{MARKER} asked")
    ledger.allow(ids["case"], f"{MARKER} agreed")
    ledger.check(ids["case"], "current")
    for name in ("owed", "general"):
        ledger.resolve([ids[name]], facts={"order": MARKER})
    return office


def _conclude(office: Office) -> None:
    ledger, ids = office.ledger, office.ids
    asked = {"text": f"What do we owe {MARKER}?", "facts": {"order": MARKER}}
    note = {"kind": "combine", "note": f"{MARKER} was angry"}
    support, says = [ids["report"], ids["rule"]], f"{MARKER} gets a new parcel."
    ids["owed"] = conclude(ledger, says, support, question=asked, transformation=note)
    ids["general"] = conclude(
        ledger,
        f"Parcels as that of {MARKER} are replaced.",
        [[ids["rule"]], [ids["owed"]]],
        transformation={"kind": "summarise"},
    )
    ids["wrong"] = conclude(ledger, f"{MARKER} gets nothing.", [ids["cell"]])
    ledger.retract(ids["wrong"], reason=f"{MARKER} complained again")
    ledger.restate(ids["owed"], says=f"A parcel for {MARKER}.", exposure=[ids["report"]])
    ids["reminder"] = ledger.remind([ids["owed"], ids["general"]], budget=300, thread="t1").id


def places_of(folder: Path, text: str, keys: Path | None = None) -> Iterator[str]:
    """Where a text is in a ledger's folder: in every file as it lies there, in what is packed in it, and in
    whatever any key at hand opens. ``keys``: the folder of another ledger whose keys are tried too.
    """
    spellings = spellings_of(text)
    yield from find_in_files(folder, spellings)
    for tenant in sorted((folder / "tenants").iterdir()):
        with closing(SqliteJournal.open(tenant)) as journal:
            yield from find_in_leaves(journal, spellings)
            for store in ticket_stores(folder, tenant.name, keys):
                with closing(store):
                    yield from find_in_sealed(journal, Sealer(store), spellings)


def ticket_stores(folder: Path, tenant: str, keys: Path | None) -> Iterator[TicketStore]:
    """The keys of a tenant, and those of another ledger."""
    for place in [folder, *([keys] if keys is not None else [])]:
        yield TicketStore.open(tenant_folder(place, tenant), key_provider(place))


def opened_texts(folder: Path, tenant: str = "default") -> dict[tuple[str, str], bytes]:
    """Every sealed text that today's keys open, by owner and field."""
    found = {}
    place = tenant_folder(folder, tenant)
    with (
        closing(SqliteJournal.open(place)) as journal,
        closing(TicketStore.open(place, key_provider(folder))) as store,
    ):
        for _, payload in journal.sealed():
            found[payload.owner, payload.field] = Sealer(store).open(payload)
    return found


def copied(folder: Path, to: Path, name: str) -> Path:
    """A copy of all files of a ledger, as a root user would take it while nobody writes."""
    shutil.copytree(folder, to / name)
    return to / name


def spelled_in(data: bytes, text: str) -> list[str]:
    """The spellings of a text in some bytes."""
    return list(find_in_bytes(data, spellings_of(text)))
