"""The steps about what goes for good, and the one that looks whether it has."""

from collections.abc import Iterator
from pathlib import Path

from prov_ledger.errors import Refused
from prov_ledger.ledger.erasing.spellings import find_in_open_files
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.scenarios.scenario import CURATOR, Step
from prov_ledger.scenarios.world import World
from prov_ledger.vault.database import Database
from prov_ledger.vault.schema import LEDGER

_TARGETS = ("source", "revision", "evidence")


def erase(world: World, step: Step) -> None:
    """Erase a source, a revision or an evidence item."""
    named = [key for key in _TARGETS if key in step]
    if len(named) != 1:
        raise Refused("incomplete", f"erase: one of {', '.join(_TARGETS)} is missing, or there are several")
    id = world.id_of(step.needed(named[0]))
    world.ledger(step).erase([id], reason=step.find_text("reason"), by=step.agent())


def sweep(world: World, step: Step) -> None:
    """Carry out what retention makes due."""
    world.ledger(step).sweep(by=step.agent())


def corrupt(world: World, step: Step) -> None:
    """Flip one bit of a stored payload, as a disk would."""
    field = "content" if "revision" in step else "quote"
    owner = world.id_of(step.needed("revision" if "revision" in step else "evidence"))
    for path in sorted(world.folder.glob("tenants/*/ledger.sqlite")):
        flip(path, owner, field)


def flip(path: Path, owner: str, field: str) -> None:
    """Flip the last bit of a payload in a journal's file, if it is there."""
    database = Database(path, LEDGER)
    try:
        with database.writing() as connection:
            rows = connection.execute(
                "SELECT ticket, chunks FROM payload WHERE owner = ? AND field = ?", (owner, field)
            ).fetchall()
            for ticket, chunks in rows:
                flipped = chunks[:-1] + bytes([chunks[-1] ^ 1])
                connection.execute("UPDATE payload SET chunks = ? WHERE ticket = ?", (flipped, ticket))
    finally:
        database.close()


def places_of(world: World, step: Step) -> Iterator[str]:
    """Where a text is left: in a file, in a packet, in what a ledger gives to an export."""
    text = step.text("text")
    yield from find_in_open_files(world.folder, text)
    for ledger in world.ledgers():
        yield from ledger.traces(text, sealed=False, by=CURATOR)
        yield from _packets(world, ledger, text)


def _packets(world: World, ledger: Ledger, text: str) -> Iterator[str]:
    for reader in sorted({*world.scenario.principals(), CURATOR}):
        for reminder in world.reminders():
            try:
                packet = ledger.packet(reminder, principal=reader).text
            except Refused:
                continue
            if text in packet:
                yield f"the packet {world.handle_of(reminder)} as {reader} reads it"
