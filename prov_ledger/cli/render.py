"""Slots and tables as lines of text that fit a narrow terminal."""

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence

from prov_ledger.model.slots import Citation, Slot

NARROWEST = 40
#: C0 and C1: to a terminal they may be commands.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_PAGE = re.compile(r"(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BLANK = re.compile(r"[\t\n\v\f\r]")


def visible(text: str) -> str:
    r"""A line for a terminal: control characters are shown as escapes, and none takes effect.

    >>> print(visible("red: \x1b[31m"))
    red: \x1b[31m
    """
    return _CONTROL.sub(_escape, text)


def visible_page(text: str) -> str:
    """A text of many lines for a terminal: as ``visible`` has it, but for ends of lines and tabs."""
    return _CONTROL_IN_PAGE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _on_one_line(text: str) -> str:
    return visible(_BLANK.sub(" ", text))


def terminal_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return max(NARROWEST, shutil.get_terminal_size((80, 24)).columns)


def slot_lines(slot: Slot, width: int) -> Iterator[str]:
    """One answer: verdict and what decided, then the statement and its quotes where they are shown."""
    yield f"{slot.id}  {slot.verdict}{_because(slot)} -> {slot.next}"
    if slot.statement is not None:
        yield from wrapped(slot.statement, width)
    elif slot.words == "withheld":
        yield "  (its words are withheld: something the writer had read is not yours to read)"
    for citation in slot.quotes:
        yield from wrapped(_quote(citation), width)
    yield from wrapped(_remarks(slot), width)


def _because(slot: Slot) -> str:
    reasons = [slot.decided_by] if slot.decided_by else []
    reasons += [f"{name} is missing" for name in slot.missing]
    reasons += [f"{name} is not considered" for name in slot.unconsidered]
    if slot.superseded_by:
        reasons.append(f"by {slot.superseded_by}")
    return f" ({', '.join(reasons)})" if reasons else ""


def _quote(citation: Citation) -> str:
    place = " > ".join(citation.header_path)
    where = f"{citation.title}, {citation.label}" + (f", {place}" if place else "")
    return f'"{citation.quote}" -- {where} [{citation.evidence}]'


def _remarks(slot: Slot) -> str:
    remarks = []
    if slot.historical:
        remarks.append("as of a past time: never to be cited")
    if slot.next == "show" and slot.same_question is False:
        remarks.append("made for other facts than these")
    if slot.assumed_open:
        confirmed = slot.last_confirmed.date().isoformat() if slot.last_confirmed else "never"
        remarks.append(f"no end stated; last confirmed {confirmed}")
    remarks += _remedies(slot)
    if slot.candidates:
        more = ", and there are more" if slot.more_candidates else ""
        remarks.append("derive anew from " + ", ".join(x.id for x in slot.candidates) + more)
    return "; ".join(remarks)


def _remedies(slot: Slot) -> Iterator[str]:
    """What settles a slot that is ``unknown``."""
    if slot.verdict != "unknown":
        return
    if slot.missing:
        yield "ask, and give " + " ".join(f"-f {name}=VALUE" for name in slot.missing)
    if slot.unconsidered:
        names = ", ".join(slot.unconsidered)
        yield f"nobody said whether it depends on {names}: state its scope, or that it is --indifferent-to it"
    if slot.decided_by:
        yield f"how far it holds in {slot.decided_by} is not known there: state a scope, or check the source"


def wrapped(text: str, width: int) -> list[str]:
    """A text as indented lines that fit a width."""
    shown = _on_one_line(text)
    return textwrap.wrap(shown, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def hanging(text: str, width: int) -> list[str]:
    """A line as lines that fit a width: all but the first are indented further than it is."""
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return textwrap.wrap(_on_one_line(text), width, subsequent_indent=indent, break_on_hyphens=False)


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows under a header in aligned columns; a row wider than ``width`` becomes one line per cell."""
    header, *rows = ([_on_one_line(cell) for cell in row] for row in (header, *rows))
    sizes = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if sum(sizes) + 2 * (len(sizes) - 1) <= width:
        for row in (header, *rows):
            cells = (cell.ljust(size) for cell, size in zip(row, sizes, strict=True))
            yield "  ".join(cells).rstrip()
        return
    longest = max(map(len, header))
    for row in rows:
        for name, cell in zip(header, row, strict=True):
            indent = " " * (longest + 2)
            first = f"{name.ljust(longest)}  "
            yield from textwrap.wrap(
                cell, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
            ) or [first.rstrip()]
        yield ""
