"""Verify tells what was erased from what somebody took out, and what was erased from what is still there."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger.ledger.layout import tenant_folder
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
    change(office, "DELETE FROM leaf WHERE sequence = 7")

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
