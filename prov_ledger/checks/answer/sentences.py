"""Sentences of an answer: plain text or Markdown, English and German, and cautious elsewhere.

Where it is not sure that a sentence ends, it does not end: a marker then answers for more text, never
for less.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prov_ledger.checks.answer.dates import MONTH
from prov_ledger.checks.answer.markers import Marker
from prov_ledger.checks.answer.quotations import Quotation, find_quotations

_SHORT = (
    "e.g i.e etc vs cf approx no nos art sec sect para fig ch vol ed eds dr mr mrs ms prof st inc ltd co "
    "corp dept est incl excl max min resp z.b d.h u.a i.d.r bzw ca evtl ggf inkl exkl nr abs abschn s str "
    "usw sog vgl st.st zzgl abzgl mind mio mrd tsd bspw lt gem u.u o.ä z.t i.s.d v.a std jan feb mar "
    "apr jun jul aug sep sept oct okt nov dec dez mrz tel ziff lit rn bd hrsg p pp"
)
_ABBREVIATIONS = frozenset(_SHORT.split())
_ENDING = re.compile(r"""[.!?…]+["'”“’»«)\]*_]*(?=\s|$)|[。！？]""")
_WORD_BEFORE = re.compile(r"((?:[^\W_]|\.(?=[^\W_]))+)$")
#: After these a number with a full stop is a German ordinal.
_BEFORE_ORDINAL = re.compile(
    r"\b(?:am|vom|zum|der|die|das|dem|den|des|im|ab|bis|beim|jede[nmrs]?|zur)\s+\d{1,2}$", re.IGNORECASE
)
_NUMBER_BEFORE = re.compile(r"(?<![\d.,])\d{1,2}$")
_AFTER_ORDINAL = re.compile(
    rf"(?:{MONTH}|(?:und|bis|oder|Quartal|Halbjahr|Jahr|Tag|Woche|Monat|Absatz|Abschnitt|Kapitel|Auflage"
    r"|Jahrhundert|Fassung|Stock|Klasse|Rate|Mahnung)[a-zäöü]*\b)",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s*+")
_LINE = re.compile(r"[^\n]*(?:\n|$)")
_OPENING = re.compile(r"\s*(?:>\s*)*(?P<mark>(?:[-*+•]|\d+[.)])(?:\s+\[[ xX]\])?\s+|#{1,6}\s+|\|)?")
_FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at ``start`` to ``end`` of the answer with its markers and quotations, in order."""

    start: int
    end: int
    markers: tuple[Marker, ...]
    quotations: tuple[Quotation, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, list item, table row or heading, its own marks left out."""

    start: int
    end: int
    heading: bool = False


def find_sentences(text: str, markers: Sequence[Marker]) -> tuple[Sentence, ...]:
    """The sentences of an answer, in order; together they hold every marker.

    A marker after a full stop belongs to the sentence before it, unless that has one of its own. A
    Markdown heading without a digit or a marker is no sentence.

    >>> text = "Bis zum 3. März z. B. in bar. Danach mit Karte."
    >>> [text[s.start : s.end] for s in find_sentences(text, ())]
    ['Bis zum 3. März z. B. in bar.', 'Danach mit Karte.']
    """
    found: list[Sentence] = []
    for block in _blocks(text):
        quotations = tuple(_quotations(text, block))
        cited = markers[_first(markers, block.start) : _first(markers, block.end)]
        for start, end in _spans(text, block, quotations, cited):
            inside = tuple(cited[_first(cited, start) : _first(cited, end)])
            if not inside and not _says_something(text[start:end], block.heading):
                continue
            within = quotations[_first(quotations, start) : _first(quotations, end)]
            found.append(Sentence(start, end, inside, within))
    return tuple(_joined(text, found))


def _first(placed: Sequence[Marker] | Sequence[Quotation], position: int) -> int:
    """The number of the first, of what is in order, that begins at a position or behind it."""
    return bisect_left(placed, position, key=lambda one: one.start)


def _says_something(text: str, heading: bool) -> bool:
    return any(c.isdigit() if heading else c.isalnum() for c in text)


def _blocks(text: str) -> Iterator[_Block]:
    start: int | None = None
    end, number = 0, 0
    for line in _LINE.finditer(text):
        content = line[0].strip()
        opening = _OPENING.match(line[0])
        mark = opening["mark"] if opening is not None else None
        counted = re.match(r"\d+", mark or "")
        if counted is not None and mark is not None and not _counts(text, line, mark, number):
            mark, counted = None, None
        number = int(counted[0]) if counted is not None else number
        if start is not None and (not content or mark is not None or _FENCE.match(line[0])):
            yield _Block(start, end)
            start = None
        if not content or _FENCE.match(line[0]):
            continue
        own = line.start() + (opening.end() if opening is not None and mark is not None else 0)
        end = line.start() + len(line[0].rstrip())
        if mark is not None and mark[0] in "#|":
            yield _Block(min(own, end), end, mark[0] == "#")
        elif start is None:
            start = own + (len(text[own:end]) - len(text[own:end].lstrip()))
    if start is not None:
        yield _Block(start, end)


def _counts(text: str, line: re.Match[str], mark: str, number: int) -> bool:
    """Whether a number at the start of a line numbers a list: it follows 0 or the one before, no month."""
    counted = int(re.match(r"\d+", mark)[0])  # type: ignore[index]
    after = line[0].lstrip()[len(mark) :].lstrip()
    return counted == number + 1 and re.match(MONTH, after, re.IGNORECASE) is None


def _quotations(text: str, block: _Block) -> Iterator[Quotation]:
    for found in find_quotations(text[block.start : block.end]):
        yield Quotation(found.start + block.start, found.end + block.start, found.exact)


def _spans(
    text: str, block: _Block, quotations: Sequence[Quotation], markers: Sequence[Marker]
) -> Iterator[tuple[int, int]]:
    """Where the sentences of a block are, trailing markers with them; one pass over the text."""
    start, chained = block.start, _chained(text, markers)
    for ending in _ENDING.finditer(text, block.start, block.end):
        end, at = ending.end(), ending.start()
        if end <= start or _is_within(quotations, at) or _is_within(markers, at):
            continue
        cited = _first(markers, start) < _first(markers, at)
        after = _after_markers(text, end, markers, chained)
        if after > end and (after >= block.end or (not cited and not _goes_on(text, after, len(text)))):
            end = after
        if _ends_here(text, ending, end, block.end):
            yield start, end
            start = _past_space(text, end, block.end)
    if start < block.end:
        yield start, block.end


def _is_within(placed: Sequence[Marker] | Sequence[Quotation], position: int) -> bool:
    """Whether a position is inside one of what is in order and does not overlap, not at its end."""
    number = _first(placed, position) - 1
    return number >= 0 and position < placed[number].end - 2


def _past_space(text: str, position: int, stop: int) -> int:
    found = _SPACE.match(text, position, stop)
    return position if found is None else found.end()


def _goes_on(text: str, position: int, stop: int) -> bool:
    """Whether a small letter comes next."""
    position = _past_space(text, position, stop)
    return position < stop and text[position].islower()


def _after_markers(text: str, position: int, markers: Sequence[Marker], chained: Sequence[int]) -> int:
    """Where the markers that follow a position, with white space alone between, end."""
    number = _first(markers, position)
    if number == len(markers) or _past_space(text, position, markers[number].start) < markers[number].start:
        return position
    return chained[number]


def _chained(text: str, markers: Sequence[Marker]) -> list[int]:
    """For each marker, where it ends and those that follow it at once, with a full stop behind each."""
    ends: list[int] = []
    following: int | None = None
    for marker in reversed(markers):
        end = marker.end + (text[marker.end : marker.end + 1] == ".")
        if following is not None and _past_space(text, end, following) == following:
            ends.append(ends[-1])
        else:
            ends.append(end)
        following = marker.start
    return ends[::-1]


def _ends_here(text: str, ending: re.Match[str], end: int, stop: int) -> bool:
    before, after = text[max(ending.start() - 24, 0) : ending.start()], _past_space(text, end, stop)
    if after >= stop or ending[0][0] in "。！？":
        return True
    if text[after].islower():
        return False
    if ending[0][0] != ".":
        return True
    word = _WORD_BEFORE.search(before)
    if word is not None and (word[1].lower() in _ABBREVIATIONS or _is_letter(word[1])):
        return False
    if _NUMBER_BEFORE.search(before[-4:]) is None:
        return True
    return not (_BEFORE_ORDINAL.search(before[-16:]) or _AFTER_ORDINAL.match(text[after : after + 64]))


def _is_letter(word: str) -> bool:
    """An initial, or the end of an abbreviation that is written with spaces, such as ``z. B.``."""
    return len(word) == 1 and word.isalpha()


def _joined(text: str, sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Sentences, with what is nothing but markers put to the uncited sentence before it."""
    last: Sentence | None = None
    for sentence in sentences:
        if last is not None and not last.markers and _is_markers_alone(text, sentence):
            last = Sentence(last.start, sentence.end, sentence.markers, last.quotations)
            continue
        if last is not None:
            yield last
        last = sentence
    if last is not None:
        yield last


def _is_markers_alone(text: str, sentence: Sentence) -> bool:
    position, rest = sentence.start, []
    for marker in sentence.markers:
        rest.append(text[position : marker.start])
        position = marker.end
    rest.append(text[position : sentence.end])
    return bool(sentence.markers) and not any(character.isalnum() for part in rest for character in part)
