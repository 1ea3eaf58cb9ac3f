"""Whatever is changed in the file is found, and the place is named without a word of the text."""

from collections.abc import Iterator

import pytest

from prov_ledger.errors import Corrupt
from prov_ledger.vault.verify import (
    Finding,
    check_payloads,
    check_references,
    check_tree,
    verify_payloads,
    verify_references,
    verify_tree,
)
from tests.vault.conftest import Tenant

TEXT = b"only Ada may return it"


@pytest.fixture
def filled(tenant: Tenant) -> Tenant:
    for number in range(11):
        tenant.append(str(number), TEXT)
    return tenant


def change(tenant: Tenant, statement: str) -> list[Finding]:
    """All findings after a change that the file itself allows."""
    with tenant.journal._database.writing() as connection:
        connection.execute("PRAGMA defer_foreign_keys=ON")
        connection.execute(statement)
    return list(findings(tenant))


def findings(tenant: Tenant) -> Iterator[Finding]:
    yield from check_tree(tenant.journal)
    yield from check_references(tenant.journal)
    yield from check_payloads(tenant.journal, tenant.sealer)


def test_a_journal_as_written_has_no_findings(filled: Tenant) -> None:
    assert list(findings(filled)) == []
    assert verify_tree(filled.journal) == filled.journal.tree_head().root
    verify_references(filled.journal)
    verify_payloads(filled.journal, filled.sealer)


CHANGES = [
    ("UPDATE entry SET leaf = zeroblob(9) WHERE sequence = 5", "entry 5", "its leaf has hash"),
    ("UPDATE entry SET hashes = zeroblob(32) WHERE sequence = 5", "entry 5", "its leaf has hash"),
    ("UPDATE entry SET hashes = CAST(substr(hashes, 1, 32) || zeroblob(32) AS BLOB) WHERE sequence = 6",
     "entry 6", "node at level 1, index 2"),
    ("UPDATE entry SET hashes = substr(hashes, 1, 32) WHERE sequence = 8", "entry 8",
     "has 1 hashes, expected 4"),
    ("UPDATE entry SET hashes = x'' WHERE sequence = 1", "entry 1", "its leaf has hash"),
    ("UPDATE entry SET recorded_us = 0 WHERE sequence = 4", "entry 4", "before the entry that it follows"),
    ("UPDATE entry SET id = 'ent_1' WHERE sequence = 4", "ent_1", "two entries have this id"),
    ("UPDATE reference SET target = 99 WHERE id = 'ev_3' AND role = 'origin'", "ev_3", "entry 99"),
    ("DELETE FROM reference WHERE id = 'ev_3' AND role = 'payload:quote'", "payload quote of ev_3",
     "no reference leads to it"),
    ("DELETE FROM payload WHERE owner = 'ev_3'", "quote of ev_3", "its payload is missing"),
    ("UPDATE payload SET chunks = zeroblob(length(chunks)) WHERE owner = 'ev_3'", "payload quote of ev_3",
     "does not decrypt"),
    ("UPDATE payload SET commitment = zeroblob(32) WHERE owner = 'ev_3'", "payload quote of ev_3",
     "does not decrypt"),
    ("UPDATE payload SET sequence = 1 WHERE owner = 'ev_3'", "payload quote of ev_3",
     "does not stand in the leaf of entry 1"),
    ("UPDATE payload SET ticket = 1000 WHERE owner = 'ev_3'", "payload quote of ev_3",
     "its key 1000 is gone"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "where", "what"), CHANGES)
def test_a_change_is_found_where_it_was_made(filled: Tenant, statement: str, where: str, what: str) -> None:
    found = change(filled, statement)
    assert any(finding.where == where and what in finding.what for finding in found), found
    assert not any("Ada" in finding.what for finding in found)


def test_a_missing_entry_is_a_gap(filled: Tenant) -> None:
    change(filled, "DELETE FROM payload WHERE sequence = 5")
    assert Finding("entry 5", "it is missing: the next one has sequence 6") in change(
        filled, "DELETE FROM entry WHERE sequence = 5"
    )


def test_a_pruned_leaf_is_no_finding_and_every_proof_still_stands(filled: Tenant) -> None:
    root = filled.journal.tree_head().root
    assert change(filled, "UPDATE entry SET leaf = NULL WHERE sequence = 5") == []
    assert filled.journal.tree_head().root == root
    entry = filled.journal.entry(5)
    assert entry is not None
    assert entry.leaf == b""


def test_an_erased_payload_leaves_no_finding(filled: Tenant) -> None:
    change(filled, "DELETE FROM payload WHERE owner = 'ev_3'")
    assert change(filled, "DELETE FROM reference WHERE id = 'ev_3' AND role = 'payload:quote'") == []
    assert filled.journal.payload("ev_3", "quote") is None


def test_the_first_finding_is_raised(filled: Tenant) -> None:
    change(filled, "UPDATE entry SET leaf = x'00' WHERE sequence = 5")
    with pytest.raises(Corrupt, match="entry 5: its leaf has hash"):
        verify_tree(filled.journal)
    with pytest.raises(Corrupt, match="payload quote of ev_4: its commitment"):
        verify_payloads(filled.journal, filled.sealer)


def test_a_tree_can_be_verified_up_to_a_size(filled: Tenant) -> None:
    change(filled, "UPDATE entry SET leaf = x'00' WHERE sequence = 9")
    assert verify_tree(filled.journal, until=8) == filled.journal.root_at(8)


def test_a_file_that_is_no_database_is_corrupt(filled: Tenant) -> None:
    filled.close()
    filled.journal.path.write_bytes(b"not a database at all" * 500)
    with pytest.raises(Corrupt, match="the file is damaged"):
        type(filled.journal).open(filled.folder)


def test_overwritten_pages_are_corrupt_and_never_a_foreign_error(filled: Tenant) -> None:
    filled.close()
    content = bytearray(filled.journal.path.read_bytes())
    for start in range(2 * 4096, len(content), 4096):
        content[start : start + 64] = b"\xff" * 64
    filled.journal.path.write_bytes(content)
    journal = type(filled.journal).open(filled.folder)
    with pytest.raises(Corrupt):
        verify_tree(journal)
    journal.close()
