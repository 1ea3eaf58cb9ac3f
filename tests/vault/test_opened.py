"""A text that is held in memory is handed out only while the disk still holds what was opened."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from prov_ledger.vault import opened
from prov_ledger.vault.opened import OpenedTexts
from tests.vault.conftest import Tenant

KEY = ("ev_1", "quote")
WORDS = b"goods may be returned"


@pytest.fixture
def texts(tenant: Tenant) -> OpenedTexts:
    tenant.append("1", WORDS)
    held = OpenedTexts(tenant.journal, tenant.tickets, tenant.sealer)
    assert words(held) == WORDS
    return held


def words(texts: OpenedTexts, key: tuple[str, str] = KEY) -> bytes | None:
    text = texts.read([key])[key]
    return text.data if text is not None else None


def change(tenant: Tenant, file: str, statement: str) -> None:
    """What somebody else does to a file meanwhile."""
    with closing(sqlite3.connect(tenant.folder / file)) as other, other:
        assert other.execute(statement).rowcount > 0


def test_a_held_text_is_not_opened_again(tenant: Tenant, texts: OpenedTexts) -> None:
    first = texts.read([KEY])[KEY]
    tenant.append("2", seconds=1)
    assert texts.read([KEY])[KEY] is first is not None


@pytest.mark.parametrize(
    "column",
    [
        "chunks = zeroblob(length(chunks))",
        "commitment = zeroblob(32)",
        "ticket = ticket + 1",
        "owner = 'ev_2'",
    ],
)
def test_a_payload_that_was_changed_on_the_disk_is_noticed(
    tenant: Tenant, texts: OpenedTexts, column: str
) -> None:
    change(tenant, "ledger.sqlite", f"UPDATE payload SET {column}")
    assert words(texts) is None


def test_one_flipped_bit_is_noticed_and_so_is_its_mending(tenant: Tenant, texts: OpenedTexts) -> None:
    sealed = tenant.journal.payload(*KEY)
    assert sealed is not None
    (chunk,) = sealed.chunks
    flipped = chunk[:3] + bytes([chunk[3] ^ 1]) + chunk[4:]
    change(tenant, "ledger.sqlite", f"UPDATE payload SET chunks = x'{flipped.hex()}'")
    assert words(texts) is None
    change(tenant, "ledger.sqlite", f"UPDATE payload SET chunks = x'{chunk.hex()}'")
    assert words(texts) == WORDS


def test_a_payload_that_was_taken_out_is_not_handed_out(tenant: Tenant, texts: OpenedTexts) -> None:
    change(tenant, "ledger.sqlite", "DELETE FROM payload")
    assert words(texts) is None


def test_a_key_that_was_destroyed_takes_every_text_along(tenant: Tenant, texts: OpenedTexts) -> None:
    tenant.append("2", b"within 60 days", seconds=1)
    assert words(texts, ("ev_2", "quote")) == b"within 60 days"
    change(tenant, "keys.sqlite", "DELETE FROM ticket WHERE id = 1")
    assert words(texts, ("ev_3", "quote")) is None
    assert len(texts) == 0
    assert words(texts) is None
    assert words(texts, ("ev_2", "quote")) == b"within 60 days"


def test_nothing_is_left_after_dropping(texts: OpenedTexts) -> None:
    texts.drop()
    assert len(texts) == 0
    assert words(texts) == WORDS


def test_large_texts_are_not_held(tenant: Tenant, texts: OpenedTexts) -> None:
    tenant.append("2", bytes(5000), seconds=1)
    assert words(texts, ("ev_2", "quote")) == bytes(5000)
    assert len(texts) == 1


def test_it_holds_so_many_and_no_more(
    tenant: Tenant, texts: OpenedTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "MOST_HELD", 4)
    for number in range(2, 40):
        tenant.append(str(number), f"line {number}".encode(), seconds=number)
    for number in range(2, 40):
        assert words(texts, (f"ev_{number}", "quote")) == f"line {number}".encode()
        assert len(texts) <= 9
    assert words(texts) == WORDS


def test_another_tenant_s_texts_are_held_apart(tenant: Tenant, texts: OpenedTexts, tmp_path: Path) -> None:
    with closing(Tenant.create(tmp_path / "other")) as other:
        other.append("1", b"other words")
        assert words(OpenedTexts(other.journal, other.tickets, other.sealer)) == b"other words"
    assert words(texts) == WORDS
