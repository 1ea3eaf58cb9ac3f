"""Where the visible characters of an HTML page stand in its markup.

The parser tells no positions. So the page is parsed once more with the characters of each run of text
replaced by one that no page has, a different one for each run: what of them is seen, and in which order,
tells where every visible character comes from. What was found is compared with the text by the caller.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prov_ledger.checks.html_text import visible_text

Ranges = tuple[tuple[int, int], ...]

#: Comments, declarations, elements whose content is no markup, and tags; the rest is text.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<[!?][^>]*>"
    r"|<(script|style|title|textarea|iframe|noembed|noframes|xmp|template|noscript)\b.*?</\1\s*>"
    r"""|</?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>""",
    re.IGNORECASE | re.DOTALL,
)
_UNIT = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?|\r\n|.", re.DOTALL)
_SPACE = frozenset(" \t\n\f\r")
#: Characters for private use, which mean nothing to a parser; one for each run of text.
_FIRST, _LAST = 0xF0000, 0xFFFFD


@dataclass(frozen=True, slots=True)
class _Unit:
    """One character of the text of a page, as it is written: ``is_space`` where spaces are joined."""

    start: int
    end: int
    is_space: bool


def html_places(source: str) -> list[Ranges]:
    """The ranges of characters that each visible one stands for; empty for what the layout puts there.

    A page that is written oddly gives places that do not fit its text.
    """
    begin = 1 if source.startswith("\ufeff") else 0
    runs = [_units(source, start, end) for start, end in text_runs(source, begin)]
    if len(runs) > _LAST - _FIRST:
        return []
    return list(_aligned(visible_text(_probe(source, runs)), runs))


def text_runs(source: str, begin: int = 0) -> Iterator[tuple[int, int]]:
    """Where text stands between the markup of a page: half-open, in order."""
    for match in _MARKUP.finditer(source, begin):
        if match.start() > begin:
            yield begin, match.start()
        begin = match.end()
    if begin < len(source):
        yield begin, len(source)


def _units(source: str, start: int, end: int) -> list[_Unit]:
    found = []
    for match in _UNIT.finditer(source, start, end):
        written = match.group()
        character = html.unescape(written) if written.startswith("&") else written
        if written.startswith("&") and character == written:
            # No reference after all: each character stands for itself.
            found += [_Unit(at, at + 1, False) for at in range(match.start(), match.end())]
        else:
            found.append(_Unit(match.start(), match.end(), character[:1] in _SPACE))
    return found


def _probe(source: str, runs: Sequence[Sequence[_Unit]]) -> str:
    """The page with every visible character of run N replaced by the Nth private one."""
    parts, at = [], 0
    for number, units in enumerate(runs):
        mark = chr(_FIRST + number)
        for unit in units:
            parts.append(source[at : unit.start])
            parts.append(source[unit.start : unit.end] if unit.is_space else mark)
            at = unit.end
    parts.append(source[at:])
    return "".join(parts)


def _aligned(seen: str, runs: Sequence[Sequence[_Unit]]) -> Iterator[Ranges]:
    """The places of each character that is seen of the probe."""
    next_in = [0] * len(runs)
    last: tuple[int, int] | None = None
    waiting: list[str] = []
    for character in seen:
        number = ord(character) - _FIRST
        if not 0 <= number < len(runs):
            waiting.append(character)
            continue
        units, at = runs[number], next_in[number]
        while at < len(units) and units[at].is_space:
            at += 1
        if at == len(units):
            return
        yield from _spaces(waiting, runs, last, (number, at))
        waiting.clear()
        yield ((units[at].start, units[at].end),)
        last, next_in[number] = (number, at), at + 1
    yield from (() for _ in waiting)


def _spaces(
    seen: Sequence[str],
    runs: Sequence[Sequence[_Unit]],
    last: tuple[int, int] | None,
    here: tuple[int, int],
) -> Iterator[Ranges]:
    """The places of what is seen between two visible characters: white space, as written or joined."""
    if not seen or last is None:
        yield from (() for _ in seen)
        return
    written = [unit for unit in _between(runs, last, here) if unit.is_space]
    if list(seen) == [" "] and written:
        yield tuple((unit.start, unit.end) for unit in written)
    elif len(seen) == len(written) and last[0] == here[0]:
        yield from (((unit.start, unit.end),) for unit in written)
    else:
        yield from (() for _ in seen)


def _between(
    runs: Sequence[Sequence[_Unit]], last: tuple[int, int], here: tuple[int, int]
) -> Iterator[_Unit]:
    if last[0] == here[0]:
        yield from runs[last[0]][last[1] + 1 : here[1]]
        return
    yield from runs[last[0]][last[1] + 1 :]
    for number in range(last[0] + 1, here[0]):
        yield from runs[number]
    yield from runs[here[0]][: here[1]]
