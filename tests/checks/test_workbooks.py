"""XLSX workbooks: sheets as tables, cells as the values that were stored, read from files made here."""

import io
import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from prov_ledger.checks import workbooks
from prov_ledger.checks.documents import CELL_END, ROW_END, extractor_of, text_of
from prov_ledger.checks.quotes import Quote, fate_of
from prov_ledger.checks.tables import find_cell, get_cell
from prov_ledger.checks.workbooks import XLSX, read_workbook
from prov_ledger.errors import Refused

ROWS: list[list[object]] = [["Region", "Days", "Fee"], ["EU", 60, 0], ["US", 30, 9.99]]


def _saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _book(sheets: dict[str, list[list[object]]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return book


def _stored(value: object, number_format: str = "General") -> str:
    book = _book({"S": [["H"], [value]]})
    book["S"]["A2"].number_format = number_format
    return read_workbook(_saved(book))[0].rows[1][0]


def _bad_cell(data: bytes, row: int, column: str, table: int | str = 1) -> bool:
    with pytest.raises(Refused) as refused:
        find_cell(data, XLSX, row, column, table)
    return refused.value.code == "bad_cell"


def test_a_cell_is_found_by_key_and_header_under_the_title_of_its_sheet() -> None:
    cell = find_cell(_saved(_book({"Fees 2026": ROWS})), XLSX, {"Region": "US"}, "Fee")
    assert (cell.text, cell.header_path, cell.key) == ("9.99", ("Fees 2026", "Fee"), (("Region", "US"),))


def test_a_sheet_is_named_by_number_or_title() -> None:
    data = _saved(_book({"Old": [["Region", "Days"], ["EU", 30]], "New": ROWS}))
    assert find_cell(data, XLSX, 1, "Days", "New") == find_cell(data, XLSX, 1, "Days", 2)
    assert find_cell(data, XLSX, 1, "Days").text == "30"


def test_the_position_of_a_cell_leads_back_to_it() -> None:
    data = _saved(_book({"Old": ROWS, "New": ROWS}))
    cell = find_cell(data, XLSX, 2, "Days", "New")
    assert get_cell(data, XLSX, cell.position).text == cell.text


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (60, "General", "60"),
        (1250.5, "#,##0.00 €", "1250.5"),
        (60.0, "0.00", "60"),
        (0.19, "0%", "19%"),
        (0.075, "0.0%", "7.5%"),
        (1e20, "General", "100000000000000000000"),
        (0.1, "General", "0.1"),
        (True, "General", "TRUE"),
        ("  spaced ", "General", "  spaced "),
        (date(2026, 3, 3), "dd.mm.yyyy", "2026-03-03"),
        (datetime(2026, 3, 3, 10, 30), "yyyy-mm-dd hh:mm", "2026-03-03T10:30:00"),
    ],
)
def test_a_cell_is_the_value_that_was_stored(value: object, number_format: str, text: str) -> None:
    assert _stored(value, number_format) == text


def test_margins_and_empty_rows_are_no_part_of_the_table() -> None:
    sheet: list[list[object]] = [[None, None], [None, "Region", "Days"], [None, None], [None, "EU", 60, None]]
    assert read_workbook(_saved(_book({"S": sheet})))[0].rows == (("Region", "Days"), ("EU", "60"))


def test_the_text_of_a_workbook_parts_cells_rows_and_sheets() -> None:
    data = _saved(_book({"A": [["x", "y"], [1, 2]], "B": [["z"]]}))
    first = f"x{CELL_END}y{ROW_END}1{CELL_END}2{ROW_END}\f"
    assert text_of(data, XLSX) == f"{first}z{ROW_END}\f"


def test_what_readers_do_not_see_is_not_quoted() -> None:
    book = _book({"Shown": ROWS, "Drafts": [["Region", "Days"], ["EU", 90]]})
    book["Drafts"].sheet_state = "hidden"
    data = _saved(book)
    assert "90" not in text_of(data, XLSX)
    assert _bad_cell(data, 1, "Days", "Drafts")


def test_a_formula_that_was_never_computed_has_no_value() -> None:
    assert _bad_cell(_saved(_book({"S": [["A", "B"], [1, "=A2*2"]]})), 1, "B")


@pytest.mark.parametrize(
    ("row", "column", "table"), [(3, "Days", 1), (1, "Weeks", 1), (1, "Days", 2), (1, "Days", "New")]
)
def test_what_is_not_there_is_refused(row: int, column: str, table: int | str) -> None:
    assert _bad_cell(_saved(_book({"S": ROWS})), row, column, table)


def test_a_cell_is_the_same_where_its_sheet_has_moved() -> None:
    data = _saved(_book({"Fees": ROWS}))
    cell = find_cell(data, XLSX, {"Region": "EU"}, "Days")
    quote = Quote(cell.text, header_path=cell.header_path, key=cell.key or ())
    later = _saved(_book({"Cover": [["Fees"]], "Fees": [*ROWS[:1], ["AT", 14, 0], *ROWS[1:]]}))
    became, selector = fate_of(quote, cell.position, later, XLSX)
    assert became == "same"
    assert selector == find_cell(later, XLSX, 2, "Days", "Fees").position


@pytest.mark.parametrize("data", [b"", b"Region,Days\n", b"PK\x03\x04 broken"])
def test_a_file_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_workbook(data)
    assert refused.value.code == "bad_input"


def test_a_zip_file_that_holds_no_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("a.txt", "60 days")
    with pytest.raises(Refused) as refused:
        read_workbook(file.getvalue())
    assert refused.value.code == "bad_input"


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _saved(_book({"S": [["x" * 1000]]}))
    monkeypatch.setattr(workbooks, "MAX_UNPACKED_BYTES", 1000)
    with pytest.raises(Refused) as refused:
        read_workbook(data)
    assert "1000" in refused.value.message


def test_the_extractor_is_named_with_its_version() -> None:
    assert extractor_of(XLSX) == f"openpyxl {openpyxl.__version__}"
