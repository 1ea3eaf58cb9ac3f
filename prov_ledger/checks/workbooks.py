"""The sheets of an XLSX workbook as rows of texts.

A cell is the value that was stored, in one canonical form, not what a screen's width or a language's
commas make of it: ``1250.5``, ``19%``, ``2026-03-03``, ``TRUE``. A formula is the value that it had when the
file was saved. openpyxl reads it, which the extra ``xlsx`` brings; this is the only file that calls it.
"""

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Protocol

from prov_ledger.errors import Refused

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#: A workbook is a zip file: what it holds may be a thousand times as large as it is.
MAX_UNPACKED_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its title, whether readers see it, its rows as wide as the widest, empty rows left out."""

    title: str
    visible: bool
    rows: tuple[tuple[str, ...], ...]


class _Cell(Protocol):
    @property
    def value(self) -> object: ...
    @property
    def number_format(self) -> str: ...


# Cells are often taken many times from one workbook.
@lru_cache(maxsize=2)
def read_workbook(data: bytes) -> tuple[Sheet, ...]:
    """Give the sheets of a workbook in order, charts left out.

    Raises Refused ``bad_input``: no workbook, encrypted, or too large when unpacked; ``not_supported``
    where the extra is not installed.
    """
    try:
        import openpyxl  # 200 ms, and only where the extra is installed
    except ModuleNotFoundError:
        raise Refused(
            "not_supported", "cells of XLSX files need the extra 'xlsx': install prov-ledger[xlsx]"
        ) from None
    _check_size(data)
    try:
        with warnings.catch_warnings():
            # Styles and validations that it does not know do not matter for values.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            try:
                return tuple(
                    Sheet(sheet.title, sheet.sheet_state == "visible", _rows(sheet.iter_rows()))
                    for sheet in book.worksheets
                )
            finally:
                book.close()
    except Exception:
        # Damaged files fail in it in a dozen ways; its messages may repeat what the cells say.
        raise Refused("bad_input", "The XLSX file cannot be read: it is damaged, or none.") from None


@cache
def workbook_extractor() -> str:
    """The library that gives the cells, and its version."""
    return f"openpyxl {version('openpyxl')}"


def _check_size(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(part.file_size for part in packed.infolist())
    except zipfile.BadZipFile:
        raise Refused(
            "bad_input", "The XLSX file cannot be read: it is no zip file; it may be encrypted, or XLS."
        ) from None
    if size > MAX_UNPACKED_BYTES:
        raise Refused(
            "bad_input",
            f"The XLSX file unpacks to {size} bytes, expected at most {MAX_UNPACKED_BYTES}.",
        )


def _rows(rows: Iterator[Sequence[_Cell]]) -> tuple[tuple[str, ...], ...]:
    texts = [tuple(map(_text, row)) for row in rows]
    width = max((len(row) for row in texts), default=0)
    used = [i for i in range(width) if any(len(row) > i and row[i] for row in texts)]
    # Columns without any text before and after the table are its margins.
    inside = slice(used[0], used[-1] + 1) if used else slice(0, 0)
    return tuple((row + ("",) * (width - len(row)))[inside] for row in texts if any(row))


def _text(cell: _Cell) -> str:
    value, shown_as = cell.value, cell.number_format or ""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        number = Decimal(repr(value))
        return _plain(number * 100) + "%" if "%" in shown_as else _plain(number)
    if isinstance(value, datetime) and "h" not in shown_as.lower() and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _plain(number: Decimal) -> str:
    """The digits of a number without exponent and without zeros at the end of a fraction."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
