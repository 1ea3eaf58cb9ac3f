"""Verify tells what was erased from what somebody took out, and what was erased from what is still there."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from prov_ledger.ledger.audit_removals import RemovalsSeen
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.model import records as r
from prov_ledger.vault.journal import SqliteJournal
from tests.ledger.erasing.office import Office, make_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    yield made
    made.ledger.close()


def change(office: Office, *statements: str) -> None:
    """Change the journal's file as somebody with the file would."""
    office.ledger.close()
    with sqlite3.connect(tenant_folder(office.folder, "default") / "ledger.sqlite") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    office.reopen()


def found(office: Office) -> set[str]:
    return {finding.what for finding in office.ledger.verify().findings}


TAKE_RULES = (
    "DELETE FROM reference WHERE id = '{rules}' AND role = 'payload:content'",
    "DELETE FROM payload WHERE owner = '{rules}' AND field = 'content'",
)


def test_a_text_that_was_taken_out_without_an_erasure_is_missing(office: Office) -> None:
    change(office, *(statement.format(rules=office["rules"]) for statement in TAKE_RULES))

    assert found(office) == {"a text that it committed to is missing"}


def test_a_row_that_says_that_it_was_erased_does_not_make_it_so(office: Office) -> None:
    office.ledger.erase([office["case"]])
    erasure = next(iter(office.ledger._tenant.state.removals.erasures.values()))
    remembered = (
        f"INSERT INTO removed SELECT commitment, owner, field, {erasure.sequence} FROM payload "
        f"WHERE owner = '{office['rules']}' AND field = 'content'"
    )

    change(office, remembered, *(statement.format(rules=office["rules"]) for statement in TAKE_RULES))

    assert found(office) == {"a text that it committed to is missing"}


def test_a_leaf_that_no_pruning_names_is_missing(office: Office) -> None:
    change(office, "UPDATE entry SET leaf = NULL WHERE sequence = 7")

    assert "its leaf is missing" in found(office)


def test_an_erased_text_that_somebody_put_back_is_told(office: Office) -> None:
    folder = tenant_folder(office.folder, "default")
    with sqlite3.connect(folder / "ledger.sqlite") as connection:
        rows = connection.execute(
            "SELECT * FROM payload WHERE owner = ? AND field = 'label'", (office["page"],)
        ).fetchall()
    connection.close()
    office.ledger.erase([office["case"]])
    office.ledger.close()
    with sqlite3.connect(folder / "ledger.sqlite") as connection:
        connection.executemany("INSERT INTO payload VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        connection.execute(
            "INSERT INTO reference VALUES (?, 'payload:label', ?, NULL)", (office["page"], rows[0][0])
        )
    connection.close()
    office.reopen()

    (era,) = office.ledger._tenant.state.removals.erasures
    assert f"it is there, but {era} erased it" in found(office)


def take_out(office: Office, owner: str, field: str, because: str) -> None:
    """Take out a text, and say in its row that it was ``because``'s and that an erasure took it."""
    erasure = next(iter(office.ledger._tenant.state.removals.erasures.values()))
    change(
        office,
        f"INSERT OR REPLACE INTO removed SELECT commitment, '{because}', field, {erasure.sequence} "
        f"FROM payload WHERE owner = '{owner}' AND field = '{field}'",
        f"DELETE FROM reference WHERE id = '{owner}' AND role = 'payload:{field}'",
        f"DELETE FROM payload WHERE owner = '{owner}' AND field = '{field}'",
    )


def test_whose_text_it_was_is_what_the_leaf_says(office: Office) -> None:
    office.ledger.erase([office["case"]])
    take_out(office, office["rules"], "content", office["case"])

    assert found(office) == {"a text that it committed to is missing"}


def test_of_a_revision_with_a_gap_no_other_text_may_be_missing(office: Office) -> None:
    office.ledger.erase([office["report"]])
    take_out(office, office["page"], "label", office["page"])

    assert found(office) == {"a text that it committed to is missing"}


def test_a_row_that_takes_the_id_of_a_pruned_entry_hides_no_missing_leaf() -> None:
    seen = RemovalsSeen(cast(SqliteJournal, None))
    prune = r.PruneRecord("era_x", ("ent_a",), frozenset())
    seen.take(r.entry_of("ent_p", 9, "agt_x", datetime(2026, 1, 1, tzinfo=UTC), [prune]))
    seen.miss(3, "ent_a")
    assert [*seen.check_leaves()] == []
    seen.miss(5, "ent_a")
    assert [finding.where for finding in seen.check_leaves()] == ["entry 5"]
