"""The headings and tables of a Markdown page, by line.

Parsed with markdown-it-py: CommonMark with the tables of GitHub. Front matter (``---`` lines around
YAML at the very top) is no part of the page: CommonMark would read it as a heading.

Source: CommonMark 0.31; GitHub Flavored Markdown 4.10 (tables).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from prov_ledger.errors import Refused
from prov_ledger.model.records import CellPosition, TextPosition

_NEWLINE = re.compile(r"\r\n?|\n")
_FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*(?:\r\n?|\n)(?s:.*?)(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
# ``|`` parts cells unless a backslash stands before it, inside code spans too.
_PIPE = re.compile(r"(?<!\\)\|")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the line that it starts on (from 0), its level (1 to 6), its text without markup."""

    line: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: the texts of its cells, and how many cells its line was written with."""

    cells: tuple[str, ...]
    written: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the line that it starts on, its header, its data rows (as wide as the header)."""

    line: int
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The headings and tables of a page in order, and where each of its lines starts (code points)."""

    headings: tuple[Heading, ...]
    tables: tuple[Table, ...]
    line_starts: tuple[int, ...]

    def headings_above(self, line: int) -> tuple[str, ...]:
        """Give the texts of the headings that the line stands under, outermost first, its own included."""
        path: list[Heading] = []
        for heading in self.headings:
            if heading.line > line:
                break
            path = [outer for outer in path if outer.level < heading.level]
            path.append(heading)
        return tuple(heading.text for heading in path)


# Evidence is often taken many times from one page; a parse takes about 2 ms per 10 kB.
@lru_cache(maxsize=4)
def parse_page(text: str) -> Page:
    """Give the headings and tables of a Markdown page as stored (BOM and CRLF may be there)."""
    body = _FRONT_MATTER.sub(_blank, text, count=1) if text.startswith(("---", "\ufeff---")) else text
    # The BOM is no part of the first line; the starts still count it.
    lines = _NEWLINE.split(body)
    tokens = _parser().parse(body.removeprefix("\ufeff"))
    starts = (0, *(match.end() for match in _NEWLINE.finditer(text)))
    return Page(tuple(_headings(tokens)), tuple(_tables(tokens, lines)), starts)


def heading_path(markdown: str, position: TextPosition) -> tuple[str, ...]:
    """Give the headings that a span of a Markdown page stands under, outermost first, without markup.

    A span inside a heading stands under that heading. A level that is skipped leaves no gap.

    >>> heading_path("# Returns\\n\\n## *EU*\\n\\n60 days\\n", TextPosition(19, 26))
    ('Returns', 'EU')
    """
    page = parse_page(markdown)
    return page.headings_above(bisect_right(page.line_starts, position.start) - 1)


def cell_span(markdown: str, position: CellPosition) -> TextPosition:
    """Give where a cell is written between its bars, marks included, white space around it not.

    Raises Refused ``bad_cell`` where the page has no such cell.

    >>> cell_span("| a | b |\\n|---|---|\\n| 1 | *two* |\\n", CellPosition(row=1, column=2))
    TextPosition(start=26, end=31)
    """
    page = parse_page(markdown)
    if not 1 <= position.table <= len(page.tables):
        raise Refused("bad_cell", f"There is no table {position.table} in the page.")
    # The header is the first row, the delimiter row follows it.
    line = page.tables[position.table - 1].line + 1 + position.row
    ends = (*page.line_starts[1:], len(markdown))
    if position.row < 1 or line >= len(ends):
        raise Refused("bad_cell", f"There is no row {position.row} in table {position.table}.")
    start = page.line_starts[line]
    written = markdown[start : ends[line]].rstrip()
    quoted = len(written) - len(written.lstrip("> \t\ufeff"))
    bars = [match.start() for match in _PIPE.finditer(written, quoted)]
    begins = ([] if written.startswith("|", quoted) else [quoted]) + [bar + 1 for bar in bars]
    if position.column > len(begins):
        raise Refused("bad_cell", f"There is no column {position.column} in row {position.row}.")
    first = begins[position.column - 1]
    last = next((bar for bar in bars if bar >= first), len(written))
    cell = written[first:last]
    inside = first + len(cell) - len(cell.lstrip())
    return TextPosition(start + inside, start + first + len(cell.rstrip()))


def _blank(match: re.Match[str]) -> str:
    return "\n" * len(_NEWLINE.findall(match.group()))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Only headings and cells need their inline markup parsed; the rest of a page is most of the cost.
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def _inline_text(content: str) -> str:
    """Give the text of inline markup: what is written, without marks; alternative texts for images."""
    tokens = _inline_parser().parseInline(content)[0].children or []
    return "".join(_text_of(token) for token in tokens).strip()


def _text_of(token: Token) -> str:
    if token.type in ("text", "code_inline"):
        return token.content
    if token.type == "image":
        return "".join(_text_of(child) for child in token.children or [])
    if token.type == "hardbreak" or (token.type == "html_inline" and _BREAK_TAG.fullmatch(token.content)):
        return "\n"
    return " " if token.type == "softbreak" else ""


def _headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.map is not None:
            yield Heading(token.map[0], int(token.tag[1:]), _inline_text(tokens[index + 1].content))


def _tables(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Table]:
    rows: list[TableRow] = []
    cells: list[str] = []
    start = 0
    for index, token in enumerate(tokens):
        match token.type:
            case "table_open":
                rows, start = [], token.map[0] if token.map else 0
            case "tr_open":
                cells = []
            case "th_open" | "td_open":
                cells.append(_inline_text(tokens[index + 1].content))
            case "tr_close":
                # The header is the first row, the delimiter row follows it.
                line = start if not rows else start + 1 + len(rows)
                rows.append(TableRow(tuple(cells), _written_cells(lines[line])))
            case "table_close":
                yield Table(start, rows[0].cells, tuple(rows[1:]))


def _written_cells(line: str) -> int:
    inside = line.strip().lstrip("> \t")
    pipes = [match.start() for match in _PIPE.finditer(inside)]
    outer = (inside.startswith("|")) + (bool(pipes) and pipes[-1] == len(inside) - 1)
    return len(pipes) + 1 - outer
