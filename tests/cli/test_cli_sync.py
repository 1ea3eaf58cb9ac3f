"""Syncing pages of the web and tables, and quoting files of people, by command."""

import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.checks.small_pdf import pdf_of
from tests.cli.cli_process import Command
from tests.connectors.small_site import Site, site

__all__ = ["site"]


@pytest.fixture(scope="module")
def run(new_command: Callable[[], Command]) -> Command:
    run = new_command()
    run.made("init", "--fact", "order_no=code")
    return run


def test_a_page_is_captured_and_checked(run: Command, site: Site) -> None:
    site.put("/returns", "<title>Returns</title><p>60 days")
    first = run("sync", "http", site.url("/returns"), "--allow-private")
    assert (first.status, first.out) == (0, "1 new sources, 1 revisions")
    again = run("sync", "http", site.url("/returns"), "--allow-private", "--json")
    assert json.loads(again.out)["checked"] == 1


def test_a_page_of_this_machine_is_left_out_unless_allowed(run: Command, site: Site) -> None:
    ran = run("sync", "http", site.url("/private"))
    assert (ran.status, ran.out) == (0, "nothing new, 1 skipped (private)")


def test_what_names_no_page_is_an_error(run: Command) -> None:
    ran = run("sync", "http", "file:///etc/passwd")
    assert ran.status == 7
    assert "names no page of the web" in ran.err


def test_a_table_is_captured_and_a_column_cited(run: Command, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("CREATE TABLE orders (order_no TEXT PRIMARY KEY, total INT)")
        connection.execute("INSERT INTO orders VALUES ('88-1417', 129)")
    connection.close()
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    ran = run(
        "sync", "sql", "--table", "orders", "--key", "order_no", environment={"PROV_LEDGER_DSN": address}
    )
    assert (ran.status, ran.out) == (0, "1 new sources, 1 revisions")
    shown = json.loads(run("show", "orders?order_no=88-1417", "--json").out)
    evidence = run.made("evidence", shown["revision"], "--row", "1", "--column", "total")
    resolved = run("resolve", evidence, "-f", "order_no=88-1417")
    assert "citable" in resolved.out


def test_a_page_of_a_pdf_and_a_sheet_of_a_workbook_are_named(run: Command, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "terms.pdf").write_bytes(pdf_of([["60 days"], ["60 days"]]))
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.create_sheet("Fees").append(["Region", "Fee"])
    book["Fees"].append(["EU", 9])
    book.save(file)
    (folder / "fees.xlsx").write_bytes(file.getvalue())
    assert run("sync", "files", str(folder)).status == 0
    terms = json.loads(run("show", "terms.pdf", "--json").out)["revision"]
    fees = json.loads(run("show", "fees.xlsx", "--json").out)["revision"]
    run.made("evidence", terms, "--quote", "60 days", "--page", "2")
    run.made("evidence", fees, "--row", "Region=EU", "--column", "Fee", "--table", "Fees")
