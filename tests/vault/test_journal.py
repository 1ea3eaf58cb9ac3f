"""What goes into the journal comes out of it, in order, proved and as of the right moment."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prov_ledger.errors import ClockWentBack, ProofError, Refused, StorageError
from prov_ledger.merkle.proofs import verify_consistency, verify_inclusion
from prov_ledger.merkle.tree import EMPTY_ROOT, leaf_hash, root_hash
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.port import Lookup, NewEntry
from tests.vault.conftest import START, Tenant


def append_all(tenant: Tenant, entries: Iterable[NewEntry]) -> None:
    """All of them in one durable commit."""
    with tenant.journal.writing() as transaction:
        for entry in entries:
            transaction.append(entry)


def test_an_empty_journal_has_the_empty_tree(tenant: Tenant) -> None:
    assert tenant.journal.tree_head().size == 0
    assert tenant.journal.tree_head().root == EMPTY_ROOT


def test_sequences_count_from_one_and_entries_come_back_as_written(tenant: Tenant) -> None:
    assert [tenant.append(name) for name in ("a", "b")] == [1, 2]
    stored = list(tenant.journal.entries())
    assert [(x.sequence, x.id, x.kind, x.recorded) for x in stored] == [
        (1, "ent_a", "evidence", START),
        (2, "ent_b", "evidence", START),
    ]
    assert [x.leaf_hash for x in stored] == [leaf_hash(x.leaf) for x in stored]


def test_entries_can_be_bounded_and_chosen_by_kind_across_pages(tenant: Tenant) -> None:
    with tenant.journal.writing() as transaction:
        for number in range(1300):
            kind = "claim" if number % 3 == 0 else "evidence"
            transaction.append(NewEntry(f"ent_{number}", kind, START, b"x"))
    assert [x.sequence for x in tenant.journal.entries(after=100, until=1200)] == list(range(101, 1201))
    claims = [x.sequence for x in tenant.journal.entries(kinds={"claim"})]
    assert claims == list(range(1, 1301, 3))
    assert list(tenant.journal.entries(kinds=())) == []


def test_an_entity_leads_to_its_entry_and_kind(tenant: Tenant) -> None:
    tenant.append("a")
    found = tenant.journal.entry_of("ev_a")
    assert found is not None
    assert (found.sequence, tenant.journal.kind_of("ev_a")) == (1, "evidence")
    assert tenant.journal.entry_of("ev_b") is None
    assert tenant.journal.kind_of("src_1") is None


def test_what_is_about_an_id_is_found_in_order(tenant: Tenant) -> None:
    for number in range(20):
        tenant.append(str(number))
    with tenant.journal.writing() as transaction:
        transaction.append(NewEntry("ent_x", "check", START, b"", about=["src_10", "src_10"]))
    assert [x.sequence for x in tenant.journal.about("src_1")] == list(range(1, 21))
    assert [x.sequence for x in tenant.journal.about("src_10")] == [21]
    assert tenant.journal.about("src_") == []


def test_a_keyed_hash_leads_to_all_that_it_stood_for(tenant: Tenant) -> None:
    token = tenant.sealer.token("native", "policies/returns.md")
    later = START + timedelta(days=3, microseconds=1)
    for name, since in (("a", None), ("b", later)):
        lookup = Lookup("native", token, f"src_{name}", since)
        with tenant.journal.writing() as transaction:
            transaction.append(NewEntry(f"ent_{name}", "source", START, b"", lookups=[lookup]))
    assert tenant.journal.find("native", token) == [
        Lookup("native", token, "src_a"),
        Lookup("native", token, "src_b", later),
    ]
    assert tenant.journal.find("title", token) == []


def test_a_span_leads_to_what_was_captured_there_and_to_nothing_beside_it(tenant: Tenant) -> None:
    captured = [
        ("ev_a", "text 1 2"),
        ("ev_b", "text 1 2 reader-9"),
        ("ev_c", "text 1 23"),
        ("ev_d", "text 1 2"),
    ]
    for id_, span in captured:
        with tenant.journal.writing() as transaction:
            spans = [("rev_1#evidence", span, id_)]
            transaction.append(NewEntry(f"ent_{id_}", "evidence", START, b"", [(id_, "ev")], spans=spans))
    assert tenant.journal.of_span("rev_1#evidence", "text 1 2") == ["ev_a", "ev_d"]
    assert tenant.journal.of_span("rev_1#evidence", "text 1 2 reader-9") == ["ev_b"]
    assert tenant.journal.of_span("rev_1#evidence", "text 1") == []
    assert tenant.journal.of_span("rev_2#evidence", "text 1 2") == []
    assert tenant.journal.about("rev_1#evidence") == []


def test_payloads_are_found_by_owner_and_field(tenant: Tenant) -> None:
    entry = tenant.draft("a", b"x" * 9000)
    with tenant.journal.writing() as transaction:
        transaction.append(entry)
    assert tenant.journal.payload("ev_a", "quote") == entry.payloads[0]
    assert tenant.journal.payload("ev_a", "label") is None
    wanted = [("ev_a", "quote"), ("ev_b", "quote")]
    assert tenant.journal.payloads(wanted) == {wanted[0]: entry.payloads[0]}
    assert list(tenant.journal.payload_keys()) == [("ev_a", "quote")]


@pytest.mark.parametrize("name", ["entity", "payload"])
def test_what_is_taken_is_refused_and_nothing_of_the_block_is_kept(tenant: Tenant, name: str) -> None:
    tenant.append("a")
    again = tenant.draft("a")
    entities = again.entities if name == "entity" else ()
    payloads = again.payloads if name == "payload" else ()
    entry = NewEntry("ent_z", "evidence", START, b"z", entities, (), payloads)
    with pytest.raises(Refused) as refused:
        append_all(tenant, [tenant.draft("b"), entry])
    assert refused.value.code == "already_exists"
    assert tenant.journal.size() == 1
    assert tenant.journal.entry_of("ev_b") is None


def test_a_refusal_that_was_swallowed_does_not_let_half_an_entry_in(tenant: Tenant) -> None:
    tenant.append("a")
    with pytest.raises(StorageError, match="in part only"), tenant.journal.writing() as transaction:  # noqa: SIM117
        with suppress(Refused):
            transaction.append(tenant.draft("a"))
    assert tenant.journal.size() == 1
    assert tenant.append("b") == 2


def test_a_clock_that_went_back_leaves_the_block_usable(tenant: Tenant) -> None:
    tenant.append("a", seconds=5)
    with tenant.journal.writing() as transaction:
        with pytest.raises(ClockWentBack):
            transaction.append(tenant.draft("b", seconds=4))
        transaction.append(tenant.draft("b", seconds=5))
    assert tenant.journal.size() == 2


def test_a_transaction_cannot_be_used_after_its_block(tenant: Tenant) -> None:
    with tenant.journal.writing() as transaction:
        pass
    with pytest.raises(StorageError, match="has ended"):
        transaction.append(tenant.draft("a"))
    assert tenant.journal.size() == 0


def test_an_exception_in_the_block_undoes_all_of_it_and_the_next_write_goes_on(tenant: Tenant) -> None:
    tenant.append("a")

    def drafts() -> Iterator[NewEntry]:
        yield tenant.draft("b")
        raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        append_all(tenant, drafts())
    assert tenant.append("c") == 2
    leaves = [x.leaf for x in tenant.journal.entries()]
    assert tenant.journal.tree_head().root == root_hash(map(leaf_hash, leaves))


def test_the_writing_thread_reads_what_it_wrote_and_no_other_thread_does(tenant: Tenant) -> None:
    seen: list[int] = []
    with tenant.journal.writing() as transaction:
        transaction.append(tenant.draft("a"))
        assert tenant.journal.entry_of("ev_a") is not None
        assert transaction.size == tenant.journal.size() == 1
        reader = threading.Thread(target=lambda: seen.append(tenant.journal.size()))
        reader.start()
        reader.join()
    assert seen == [0]
    assert tenant.journal.size() == 1


def test_a_transaction_knows_when_the_last_entry_was_recorded(tenant: Tenant) -> None:
    with tenant.journal.writing() as transaction:
        assert transaction.last_recorded is None
        transaction.append(tenant.draft("a", seconds=7))
        assert transaction.last_recorded == START + timedelta(seconds=7)


def test_an_entry_recorded_before_the_last_one_is_refused(tenant: Tenant) -> None:
    tenant.append("a", seconds=2)
    with pytest.raises(ClockWentBack, match="set the clock"):
        tenant.append("b", seconds=1)
    assert tenant.journal.size() == 1


def test_writing_twice_in_one_thread_is_refused_at_once(tenant: Tenant) -> None:
    with tenant.journal.writing():
        with pytest.raises(StorageError, match="already writing") as refused, tenant.journal.writing():
            pass
        assert refused.value.code == "busy"
    assert tenant.append("a") == 1


def test_another_handle_is_told_that_the_lock_is_held(tmp_path: Path) -> None:
    first, second = Tenant.create(tmp_path, 50), Tenant.open(tmp_path, 50)
    with first.journal.writing():
        with pytest.raises(StorageError) as refused, second.journal.writing():
            pass
        assert refused.value.code == "busy"
    assert second.append("a") == 1
    first.close()
    second.close()


def test_data_version_changes_with_every_commit_and_only_then(tenant: Tenant, tmp_path: Path) -> None:
    other = SqliteJournal.open(tenant.folder)
    before = other.data_version()
    assert other.data_version() == before
    tenant.append("a")
    after = other.data_version()
    assert after != before
    with other.writing() as transaction:
        transaction.append(tenant.draft("b"))
    assert other.data_version() != after
    other.close()


def test_settings_given_at_creation_are_kept(tenant: Tenant) -> None:
    assert tenant.journal.meta("base") == "https://example.org/"
    assert tenant.journal.meta("zone") is None


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(-1, 30))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sequence_at_is_the_number_of_entries_recorded_by_then(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], wanted: int
) -> None:
    journal = SqliteJournal.create(tmp_path_factory.mktemp("journal"))
    times: list[datetime] = []
    with journal.writing() as transaction:
        for number, step in enumerate(steps):
            times.append((times[-1] if times else START) + timedelta(seconds=step))
            transaction.append(NewEntry(f"ent_{number}", "check", times[-1], b""))
    instant = START + timedelta(seconds=wanted)
    assert journal.sequence_at(instant) == sum(time <= instant for time in times)
    assert [journal.recorded_at(number) for number in range(1, len(times) + 1)] == times
    journal.close()


def test_a_sequence_that_is_not_there_has_no_time(tenant: Tenant) -> None:
    with pytest.raises(Refused, match="no entry 1"):
        tenant.journal.recorded_at(1)
    assert tenant.journal.entry(1) is None


def test_proofs_from_the_stored_tree_verify_at_every_size(tenant: Tenant) -> None:
    size = 33
    for number in range(size):
        tenant.append(str(number))
    journal = tenant.journal
    hashes = [x.leaf_hash for x in journal.entries()]
    for new in range(size + 1):
        assert journal.root_at(new) == root_hash(hashes[:new])
        for old in range(1, new + 1):
            path = journal.consistency_path(old, new)
            verify_consistency(old, new, journal.root_at(old), journal.root_at(new), path)
        for sequence in range(1, new + 1):
            path = journal.inclusion_path(sequence, new)
            verify_inclusion(hashes[sequence - 1], sequence - 1, new, path, journal.root_at(new))


def test_no_proof_is_made_beyond_the_end(tenant: Tenant) -> None:
    tenant.append("a")
    for action in (
        lambda: tenant.journal.root_at(2),
        lambda: tenant.journal.inclusion_path(1, 2),
        lambda: tenant.journal.inclusion_path(0, 1),
        lambda: tenant.journal.consistency_path(1, 2),
    ):
        with pytest.raises(ProofError):
            action()


def test_a_second_creation_is_refused_and_changes_nothing(tenant: Tenant) -> None:
    tenant.append("a")
    with pytest.raises(Refused) as refused:
        SqliteJournal.create(tenant.folder)
    assert refused.value.code == "already_exists"
    assert tenant.journal.size() == 1


def test_a_folder_without_a_journal_is_not_opened_nor_made(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        SqliteJournal.open(tmp_path / "none")
    assert refused.value.code == "not_found"
    assert list(tmp_path.iterdir()) == []


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = SqliteJournal.create(tmp_path)
    journal.close()
    journal.close()
    with pytest.raises(StorageError, match="was closed"):
        journal.size()
