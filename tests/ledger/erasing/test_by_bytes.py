"""The proof by bytes: no file holds what was erased, and nothing that opens does."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import MissingKey, ProvLedgerError
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.opening import key_provider
from prov_ledger.vault.tickets import TicketStore
from tests.ledger.erasing.office import CASE, MARKER, Office, copied, make_office, opened_texts, places_of

#: The fields of sealed texts that the marker is in before anything is erased.
MARKED = {"native", "title", "content", "label", "value", "quote", "statement", "note", "question", "reason"}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    yield made
    made.ledger.close()


def erase_case(office: Office) -> None:
    office.ledger.erase([office["case"]], reason="request 17", subject="somebody")


def test_the_marker_is_found_in_every_kind_of_sealed_text_before(office: Office) -> None:
    texts = opened_texts(office.folder)

    assert {field for (_, field), data in texts.items() if MARKER.encode() in data} == MARKED
    assert len(list(places_of(office.folder, MARKER))) > 10


def test_nothing_that_can_be_read_or_opened_holds_an_erased_source(office: Office) -> None:
    erase_case(office)

    assert list(places_of(office.folder, MARKER)) == []
    assert office.ledger.traces(MARKER) == ()


def test_what_has_nothing_to_do_with_it_still_opens(office: Office) -> None:
    erase_case(office)

    texts = opened_texts(office.folder)

    assert (office["rules"], "content") in texts
    assert (office["rule"], "quote") in texts
    assert office.ledger.resolve([office["general"]])[0].verdict == "citable"


@pytest.mark.parametrize("word", ["crm:", "File of", "angry", "crushed on 14 January", "asked", "complained"])
def test_no_word_of_its_texts_is_left_either(office: Office, word: str) -> None:
    assert list(places_of(office.folder, word))

    erase_case(office)

    assert list(places_of(office.folder, word)) == []


def test_everything_is_still_as_its_record_says(office: Office) -> None:
    erase_case(office)

    assert office.ledger.verify().findings == ()
    assert office.ledger.validate().conforms


def test_no_free_page_and_no_log_holds_a_sealed_byte_of_it(office: Office) -> None:
    folder = tenant_folder(office.folder, "default")
    with sqlite3.connect(folder / "ledger.sqlite") as connection:
        chunks = [row[0] for row in connection.execute("SELECT chunks FROM payload WHERE field = 'content'")]
    before = {chunk for chunk in chunks if len(chunk) == len(CASE.encode()) + 16}
    assert len(before) == 1

    erase_case(office)

    everything = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    assert not any(chunk in everything for chunk in before)
    assert (folder / "ledger.sqlite-wal").stat().st_size == 0


def test_the_log_is_emptied_though_a_reader_was_open(office: Office) -> None:
    folder = tenant_folder(office.folder, "default")
    reader = sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM entry").fetchone()[0]
    reader.execute("COMMIT")

    erase_case(office)

    assert (folder / "ledger.sqlite-wal").stat().st_size == 0
    reader.close()


def test_a_backup_from_before_opens_with_nothing_that_is_left(office: Office, tmp_path: Path) -> None:
    office.reopen()
    backup = copied(office.folder, tmp_path, "backup")
    (key,) = (backup / "keys").iterdir()
    key.unlink()
    assert list(places_of(office.folder, MARKER, keys=office.folder))

    erase_case(office)
    for name in (path.name for path in (office.folder / "keys").iterdir()):
        (backup / "keys" / name).write_bytes((office.folder / "keys" / name).read_bytes())
        (backup / "keys" / name).chmod(0o600)

    with pytest.raises(MissingKey):
        TicketStore.open(tenant_folder(backup, "default"), key_provider(backup))
    with pytest.raises(ProvLedgerError):
        Ledger.open(backup)


def test_its_journal_from_before_gives_nothing_up_to_the_present_keys(office: Office, tmp_path: Path) -> None:
    office.reopen()
    backup = copied(office.folder, tmp_path, "backup")
    assert any("opens" in place or "of " in place for place in places_of(backup, MARKER))

    erase_case(office)
    old = tenant_folder(backup, "default")
    for name in ("keys.sqlite", "keys.sqlite-wal", "keys.sqlite-shm"):
        (old / name).unlink(missing_ok=True)
        new = tenant_folder(office.folder, "default") / name
        if new.exists():
            (old / name).write_bytes(new.read_bytes())
    for path in (backup / "keys").iterdir():
        path.unlink()
    for path in (office.folder / "keys").iterdir():
        (backup / "keys" / path.name).write_bytes(path.read_bytes())
        (backup / "keys" / path.name).chmod(0o600)

    assert list(places_of(backup, MARKER)) == []


def test_the_present_keys_of_names_tell_nothing_of_an_old_journal(office: Office, tmp_path: Path) -> None:
    office.reopen()
    sealer = office.ledger._tenant.sealer
    before = {sealer.token("title", f"File of {MARKER}"), sealer.token("native", f"manual\0crm:{MARKER}")}
    backup = copied(office.folder, tmp_path, "backup")
    old = tenant_folder(backup, "default") / "ledger.sqlite"
    assert all(token in old.read_bytes() for token in before)

    erase_case(office)

    kinds = ("title", "native", "agent", "taken", "thread", "feed")
    texts = (MARKER, f"File of {MARKER}", f"Old file of {MARKER}", f"crm:{MARKER}", f"manual\0crm:{MARKER}")
    guesses = [make(k, t) for make in (sealer.token, sealer.lasting_token) for k in kinds for t in texts]
    assert not any(guess in old.read_bytes() for guess in guesses)
    everything = b"".join(p.read_bytes() for p in sorted(office.folder.rglob("*")) if p.is_file())
    assert not any(guess in everything for guess in (*guesses, *before))


def test_no_message_and_no_command_says_it(office: Office) -> None:
    erase_case(office)
    said = []
    for attempt in (
        lambda: office.ledger.show(office["page"]),
        lambda: office.ledger.evidence(office["page"], quote="in the rain"),
        lambda: office.ledger.revision(office["case"], data="x", label="2"),
        lambda: office.ledger.revision(office["guide"], data=CASE, media_type="text/markdown", label="8"),
        lambda: office.ledger.claim(
            says="x", support=[office["report"]], transformation={"kind": "quote"}, question={"text": "x"}
        ),
        lambda: office.ledger.erase([office["case"]]),
    ):
        with pytest.raises(ProvLedgerError) as refusal:
            attempt()
        said.append(f"{refusal.value.code} {refusal.value.message} {refusal.value!r}")

    assert [line.split(" ")[0] for line in said] == [
        "unknown_id",
        "unknown_id",
        "unknown_id",
        "erased_bytes",
        "unknown_id",
        "unknown_id",
    ]
    assert not any(MARKER in line for line in said)


def test_a_packet_rendered_anew_leaves_it_out(office: Office) -> None:
    assert MARKER in office.ledger.packet(office["reminder"]).text

    erase_case(office)

    packet = office.ledger.packet(office["reminder"]).text
    assert MARKER not in packet
    assert office["general"] in packet
