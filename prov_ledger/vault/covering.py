"""A new key over the keyed hashes of names, so that those in older copies cannot be guessed at.

A hash is a keyed hash of a name, covered by a second key. The first key stays, so that no name has to be
opened; the second is replaced, and without the old one an old hash tells nothing of a name.
"""

from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.removing import Removing
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore


def renew_cover(journal: SqliteJournal, tickets: TicketStore, sealer: Sealer) -> int:
    """Cover every name anew and destroy the old cover; how many there were.

    Killed anywhere, all names are still found; call it again. Not within a write of the journal.
    """
    tickets.make_cover_key(journal.cover_generation() + 1)
    crash_point("cover.made")
    with journal.writing() as transaction:
        old = journal.cover_generation()
        tickets.make_cover_key(old + 1)
        changed = sealer.covered_anew(old, old + 1)
        count = Removing(transaction).retoken(changed, old + 1)
    crash_point("cover.renewed")
    tickets.destroy_cover_keys(before=journal.cover_generation())
    return count
