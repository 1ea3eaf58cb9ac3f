"""What is taken out of a journal is gone from its files; every other proof still verifies."""

import sqlite3
from pathlib import Path

import pytest

from prov_ledger.errors import Refused
from prov_ledger.merkle.proofs import verify_consistency, verify_inclusion
from prov_ledger.merkle.tree import leaf_hash
from prov_ledger.vault.port import Lookup
from prov_ledger.vault.removing import Removing
from prov_ledger.vault.verify import verify_payloads, verify_references, verify_tree
from tests.vault.conftest import Tenant
from tests.vault.killed import was_killed

MARKER = b"a marker that no other text holds: 7f3a"


@pytest.fixture
def filled(tenant: Tenant) -> Tenant:
    for number in range(20):
        tenant.append(f"a{number}", MARKER + b" %d" % number, seconds=number)
    return tenant


def take_out(tenant: Tenant, *names: str, because: int = 20) -> list[int]:
    with tenant.journal.writing() as transaction:
        keys = [(f"ev_{name}", "quote") for name in names]
        return Removing(transaction).remove_payloads(keys, because)


def test_a_payload_that_was_taken_out_is_not_there_and_the_rest_is(filled: Tenant) -> None:
    sealed = filled.journal.payload("ev_a3", "quote")
    assert sealed is not None
    assert take_out(filled, "a3") == [sealed.ticket]
    filled.tickets.destroy([sealed.ticket])
    assert filled.journal.payload("ev_a3", "quote") is None
    assert len(list(filled.journal.payload_keys())) == 19
    verify_tree(filled.journal)
    verify_references(filled.journal)
    verify_payloads(filled.journal, filled.sealer)


def test_what_was_taken_out_is_remembered_by_its_commitment_and_the_reason(filled: Tenant) -> None:
    sealed = filled.journal.payload("ev_a3", "quote")
    assert sealed is not None
    take_out(filled, "a3", because=17)
    (removed,) = filled.journal.removed()
    assert (removed.owner, removed.field, removed.sequence) == ("ev_a3", "quote", 17)
    assert removed.commitment_hex == sealed.commitment_hex


def test_taking_out_twice_is_as_once(filled: Tenant) -> None:
    assert len(take_out(filled, "a3", "a4")) == 2
    assert take_out(filled, "a3", "a4", "never") == []
    assert len(filled.journal.removed()) == 2


def test_what_is_undone_was_not_taken_out(filled: Tenant) -> None:
    def take_out_and_fail() -> None:
        with filled.journal.writing() as transaction:
            Removing(transaction).remove_payloads([("ev_a3", "quote")], 20)
            transaction.append(filled.draft("a1", seconds=60))

    with pytest.raises(Refused):
        take_out_and_fail()
    assert filled.journal.payload("ev_a3", "quote") is not None
    assert filled.journal.removed() == []


def test_the_payloads_of_a_node_and_of_the_statements_below_it_are_found(tenant: Tenant) -> None:
    with tenant.journal.writing() as transaction:
        entry = tenant.draft("x")
        more = [tenant.sealer.seal(owner, "value", b"v") for owner in ("ev_x#given.a", "ev_xy", "ev_x$")]
        commitments = "".join(f'"{payload.commitment_hex}" ' for payload in more).encode()
        transaction.append(
            type(entry)(
                entry.id,
                entry.kind,
                entry.recorded,
                entry.leaf + commitments,
                entry.entities,
                entry.about,
                [*entry.payloads, *more],
            )
        )
        found = Removing(transaction).payload_keys_of("ev_x")
    assert found == [("ev_x", "quote"), ("ev_x#given.a", "value")]


def test_a_redacted_copy_takes_the_place_of_a_payload(filled: Tenant) -> None:
    with filled.journal.writing() as transaction:
        Removing(transaction).remove_payloads([("ev_a3", "quote")], 21)
        redacted = filled.sealer.seal("ev_a3", "quote", b"gap")
        entry = filled.draft("redaction", seconds=60)
        leaf = f'"{redacted.commitment_hex}"'.encode()
        transaction.append(
            type(entry)(entry.id, "redact", entry.recorded, leaf, payloads=[redacted], about=["ev_a3"])
        )
    found = filled.journal.payload("ev_a3", "quote")
    assert found is not None
    assert filled.sealer.open(found) == b"gap"
    verify_payloads(filled.journal, filled.sealer)
    verify_references(filled.journal)


def test_look_ups_of_what_is_taken_out_lead_nowhere(tenant: Tenant) -> None:
    lookups = [Lookup(kind, bytes([n]) * 16, id) for n, (kind, id) in enumerate(
        (("native", "src_1"), ("title", "src_1"), ("native", "src_2")), 1
    )]  # fmt: skip
    with tenant.journal.writing() as transaction:
        entry = tenant.draft("x")
        transaction.append(
            type(entry)(
                entry.id, "source", entry.recorded, entry.leaf, payloads=entry.payloads, lookups=lookups
            )
        )
    with tenant.journal.writing() as transaction:
        assert Removing(transaction).remove_lookups(["src_1"], kinds=["title"]) == 1
        assert Removing(transaction).remove_lookups(["src_1"]) == 1
    assert [x[3] for x in tenant.journal.lookups()] == ["src_2"]


def test_a_pruned_entry_keeps_its_hash_and_every_proof_verifies(filled: Tenant) -> None:
    old, before = filled.journal.tree_head(), [x.leaf for x in filled.journal.entries()]
    with filled.journal.writing() as transaction:
        tickets = Removing(transaction).prune([4, 5, 9], because=20)
    filled.tickets.destroy(tickets)
    filled.append("later", seconds=60)
    new = filled.journal.tree_head()
    assert verify_tree(filled.journal, old.size) == old.root
    path = filled.journal.consistency_path(old.size, new.size)
    verify_consistency(old.size, new.size, old.root, new.root, path)
    for sequence in (1, 10, 20):
        path = filled.journal.inclusion_path(sequence, new.size)
        verify_inclusion(leaf_hash(before[sequence - 1]), sequence - 1, new.size, path, new.root)
    assert [x.sequence for x in filled.journal.entries() if not x.leaf] == [4, 5, 9]
    assert filled.journal.entry_of("ev_a3") is None
    assert filled.journal.payload("ev_a3", "quote") is None
    assert [x.sequence for x in filled.journal.about("src_1")] == [
        n for n in range(1, 22) if n not in (4, 5, 9)
    ]
    verify_references(filled.journal)
    verify_payloads(filled.journal, filled.sealer)


def ciphertexts(tenant: Tenant) -> dict[str, bytes]:
    return {
        payload.owner: payload.chunks[0]
        for _, payload in tenant.journal.sealed()
    }  # fmt: skip


def files_with(folder: Path, marker: bytes) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if marker in path.read_bytes())


def test_the_bytes_of_what_was_taken_out_are_in_no_file_after_scrubbing(filled: Tenant) -> None:
    gone = ciphertexts(filled)["ev_a3"]
    assert files_with(filled.folder, gone) == ["ledger.sqlite-wal"]
    assert filled.journal.scrub().truncated
    assert files_with(filled.folder, gone) == ["ledger.sqlite"]
    take_out(filled, "a3")
    scrubbed = filled.journal.scrub()
    assert scrubbed.truncated
    assert files_with(filled.folder, gone) == []
    assert filled.journal._database.log_size() == 0


def test_with_a_reader_open_the_log_is_emptied_once_that_reader_ends(filled: Tenant) -> None:
    filled.journal.scrub()
    gone = ciphertexts(filled)["ev_a3"]
    tickets = filled.journal.payload("ev_a3", "quote")
    assert tickets is not None
    reader = sqlite3.connect(filled.journal.path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    take_out(filled, "a3")
    filled.tickets.destroy([tickets.ticket])
    assert not filled.journal.scrub(wait_ms=100).truncated
    # Until then its snapshot may be read, and what it reads is ciphertext whose key is gone.
    assert filled.tickets.secret(tickets.ticket) is None
    filled.append("meanwhile", seconds=60)
    reader.execute("COMMIT")
    assert filled.journal.scrub(wait_ms=100).truncated
    assert files_with(filled.folder, gone) == []
    reader.close()


def test_writers_get_their_turn_while_scrubbing_waits_for_a_reader(filled: Tenant) -> None:
    reader = sqlite3.connect(filled.journal.path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    filled.append("written", seconds=60)
    assert not filled.journal.scrub(wait_ms=0).truncated
    filled.append("after", seconds=61)
    reader.close()


def test_compacting_gives_space_back(filled: Tenant) -> None:
    for number in range(300):
        filled.append(f"b{number}", bytes(3000), seconds=60)
    filled.journal.scrub()
    before = filled.journal.path.stat().st_size
    take_out(filled, *(f"b{number}" for number in range(300)))
    scrubbed = filled.journal.scrub(compact=True)
    assert scrubbed.free_pages == 0
    assert scrubbed.size_bytes < before / 2
    verify_tree(filled.journal)
    verify_references(filled.journal)


def test_every_file_overwrites_what_it_deletes(filled: Tenant) -> None:
    for store in (filled.journal, filled.tickets, filled.denials):
        with store._database.reading() as connection:
            assert connection.execute("PRAGMA secure_delete").fetchone()[0] == 1


POINTS = ["journal.payloads_removed", "journal.before_commit", "journal.after_commit", "keys.destroyed"]
POINTS += ["journal.compacted", "journal.scrubbed"]


@pytest.mark.parametrize("point", POINTS)
def test_taking_out_killed_anywhere_is_whole_or_not_at_all_and_can_be_repeated(
    tmp_path: Path, point: str
) -> None:
    tenant = Tenant.create(tmp_path)
    for number in range(10):
        tenant.append(f"a{number}", MARKER)
    tenant.close()

    def erase() -> None:
        opened = Tenant.open(tmp_path)
        with opened.journal.writing() as transaction:
            tickets = Removing(transaction).tickets_of([(f"ev_a{n}", "quote") for n in range(5)])
        opened.tickets.destroy(tickets)
        take_out(opened, *(f"a{n}" for n in range(5)), because=10)
        opened.journal.scrub(compact=True)

    assert was_killed(erase, point)
    erase()
    again = Tenant.open(tmp_path)
    assert len(list(again.journal.payload_keys())) == 5
    assert len(again.journal.removed()) == 5
    verify_tree(again.journal)
    verify_references(again.journal)
    verify_payloads(again.journal, again.sealer)
    again.close()
