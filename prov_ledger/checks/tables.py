"""Cells of tables in CSV files, Markdown pages and workbooks: by row number or key, column by header.

Data rows are counted from 1 after the header, columns from 1, tables of a page from 1 in order. A sheet of
a workbook is a table with a title: its first row with text is its header. Header
texts, keys and cells are texts of the source: no message repeats them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prov_ledger.checks.documents import MediaType, csv_rows, decode_text, parse_media_type
from prov_ledger.checks.markdown import Page, parse_page
from prov_ledger.checks.workbooks import XLSX, Sheet, read_workbook
from prov_ledger.errors import Refused
from prov_ledger.model.records import CellPosition

_MARKDOWN = frozenset(("text/markdown", "text/x-markdown"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with what makes it readable alone and findable again.

    ``header_path`` is the headings that its table stands under and then the header of its column. ``key``
    is the pairs (column header, text) that single out its row: those asked for, or the first column's where
    the row was given by number; None when the first column does not single it out.
    """

    position: CellPosition
    text: str
    header_path: tuple[str, ...]
    key: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table in one form: ``written`` is how many cells each row has in the file."""

    table: int
    headings: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    written: tuple[int, ...]


def find_cell(
    data: bytes, media_type: str, row: int | Mapping[str, object], column: str, table: int | str = 1
) -> Cell:
    """Find one cell: ``row`` is a number from 1 or ``{column header: text}``, ``column`` a header, exactly.

    A key is compared as text (``str`` of what is given); all of its pairs must hold in the row. ``table`` is
    a number, or the title of a sheet. Only CSV and tab-separated files, Markdown pages and XLSX workbooks
    have cells. Raises Refused: ``bad_cell`` when no row or several have the key, the row is out of range, the
    header is unknown or stands twice, the row has more or fewer cells than the header, the cell is empty, or
    the page has no such table; ``bad_input`` for bytes that are not text.
    """
    grid = _parse_grid(data, parse_media_type(media_type), table)
    number = _column_number(grid, column, "column")
    index = _row_number(grid, row) if isinstance(row, int) else _row_of_key(grid, row)
    pairs = None if isinstance(row, int) else tuple((name, str(value)) for name, value in row.items())
    return _cell(grid, index, number, pairs)


def get_cell(data: bytes, media_type: str, position: CellPosition) -> Cell:
    """Give the cell at a position; raises as ``find_cell``, ``bad_cell`` when there is none."""
    grid = _parse_grid(data, parse_media_type(media_type), position.table)
    if not 1 <= position.column <= len(grid.header):
        raise _bad(grid, f"has no column {position.column}", f"columns are numbered 1 to {len(grid.header)}")
    return _cell(grid, _row_number(grid, position.row), position.column - 1, None)


def _cell(grid: _Grid, index: int, number: int, key: tuple[tuple[str, str], ...] | None) -> Cell:
    where = f"row {index + 1}"
    if grid.written[index] != len(grid.header):
        raise _bad(
            grid,
            f"is ragged at {where}: {grid.written[index]} cells, expected {len(grid.header)} as its header",
            "mend the row in the source (quote or escape its delimiters), or take a quote instead",
        )
    text = grid.rows[index][number]
    if not text.strip():
        raise _bad(grid, f"has an empty cell at {where}, column {number + 1}", "name a cell with text in it")
    position = CellPosition(row=index + 1, column=number + 1, table=grid.table)
    path = (*grid.headings, grid.header[number])
    return Cell(position, text, path, key if key is not None else _first_column_key(grid, index))


def _first_column_key(grid: _Grid, index: int) -> tuple[tuple[str, str], ...] | None:
    name, text = grid.header[0], grid.rows[index][0]
    alike = sum(1 for row in grid.rows if row[:1] == (text,))
    return ((name, text),) if alike == 1 and grid.header.count(name) == 1 else None


def _row_number(grid: _Grid, row: int) -> int:
    if isinstance(row, bool) or not 1 <= row <= len(grid.rows):
        raise _bad(
            grid,
            f"has no row {row}",
            f"data rows are numbered 1 to {len(grid.rows)}, after the header"
            if grid.rows
            else "it has no data",
        )
    return row - 1


def _row_of_key(grid: _Grid, key: Mapping[str, object]) -> int:
    if not key:
        raise _bad(grid, "was asked for a row by an empty key", "give at least one column with its text")
    wanted = {_column_number(grid, name, "key column"): str(value) for name, value in key.items()}
    found = [
        index
        for index, row in enumerate(grid.rows)
        if all(number < len(row) and row[number] == text for number, text in wanted.items())
    ]
    if not found:
        raise _bad(grid, "has no row with that key", "the key must be the whole text of the cell, exactly")
    if len(found) > 1:
        numbers = ", ".join(str(index + 1) for index in found[:5]) + (", ..." if len(found) > 5 else "")
        raise _bad(
            grid,
            f"has {len(found)} rows with that key (rows {numbers}), expected one",
            "add another column to the key, or give the row's number",
        )
    return found[0]


def _column_number(grid: _Grid, name: str, role: str) -> int:
    count = grid.header.count(name)
    if count == 1:
        return grid.header.index(name)
    if count > 1:
        raise _bad(
            grid,
            f"has {count} columns with the header of the {role}",
            "a header must be there once; take a quote",
        )
    alike = [number for number, header in enumerate(grid.header, 1) if _folded(header) == _folded(name)]
    hint = f"column {alike[0]} differs only in case or spaces" if alike else "headers are compared exactly"
    raise _bad(grid, f"has no such {role} among its {len(grid.header)} columns", hint)


def _folded(header: str) -> str:
    return "".join(header.split()).casefold()


def _parse_grid(data: bytes, media: MediaType, table: int | str) -> _Grid:
    if media.essence == XLSX:
        return _sheet_grid(read_workbook(data), table)
    if isinstance(table, str):
        raise Refused("bad_cell", "Only sheets of a workbook have titles; name the table by its number.")
    if media.is_csv:
        return _csv_grid(list(csv_rows(data, media)), table)
    if media.essence in _MARKDOWN:
        return _markdown_grid(parse_page(decode_text(data, media)), table)
    raise Refused(
        "bad_cell",
        f"Cells cannot be taken from the media type {media.essence}; expected text/csv, "
        "text/tab-separated-values, text/markdown or XLSX. Take a quote instead.",
    )


def _csv_grid(rows: Sequence[Sequence[str]], table: int) -> _Grid:
    _check_table(table, 1 if rows else 0)
    header, *data = (tuple(row) for row in rows)
    return _Grid(table, (), header, tuple(data), tuple(len(row) for row in data))


def _markdown_grid(page: Page, table: int) -> _Grid:
    _check_table(table, len(page.tables))
    found = page.tables[table - 1]
    headings = page.headings_above(found.line)
    rows = tuple(row.cells for row in found.rows)
    return _Grid(table, headings, found.header, rows, tuple(row.written for row in found.rows))


def _sheet_grid(sheets: Sequence[Sheet], table: int | str) -> _Grid:
    titles = [sheet.title for sheet in sheets]
    number = titles.index(table) + 1 if table in titles else table
    if isinstance(number, str):
        raise Refused("bad_cell", f"The workbook has {len(titles)} sheets, none with that title.")
    _check_table(number, len(sheets))
    sheet = sheets[number - 1]
    if not sheet.visible or len(sheet.rows) < 2:
        what = "has no row under its header" if sheet.visible else "is hidden"
        raise Refused("bad_cell", f"Sheet {number} {what}; name one that readers see and that has data.")
    header, *data = sheet.rows
    return _Grid(number, (sheet.title,), header, tuple(data), (len(header),) * len(data))


def _check_table(table: int, count: int) -> None:
    if not 1 <= table <= count:
        raise Refused(
            "bad_cell", f"There is no table {table} in the revision; it has {count}, numbered from 1."
        )


def _bad(grid: _Grid, what: str, remedy: str) -> Refused:
    return Refused("bad_cell", f"Table {grid.table} {what}; {remedy}.")
