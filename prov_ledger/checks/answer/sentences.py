"""Sentences of an answer: plain text or Markdown, English and German, and cautious elsewhere.

Where it is not sure that a sentence ends, it does not end: a marker then answers for more text, never
for less.
"""

import re
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
        for start, end in _spans(text, block, markers):
            inside = tuple(m for m in markers if start <= m.start < end)
            if not inside and not _says_something(text[start:end], block.heading):
                continue
            quotations = tuple(q for q in _quotations(text, block) if start <= q.start < end)
            found.append(Sentence(start, end, inside, quotations))
    return tuple(_joined(text, found))


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


def _spans(text: str, block: _Block, markers: Sequence[Marker]) -> Iterator[tuple[int, int]]:
    """Where the sentences of a block are, trailing markers with them."""
    closed = [(q.start, q.end) for q in _quotations(text, block)] + [(m.start, m.end) for m in markers]
    start = block.start
    for ending in _ENDING.finditer(text, block.start, block.end):
        end = ending.end()
        if end <= start or any(a < ending.start() < b - 2 for a, b in closed):
            continue
        cited = any(start <= m.start < ending.start() for m in markers)
        after = _after_markers(text, end, block.end, markers)
        if after > end and (after >= block.end or (not cited and not text[after:].lstrip()[:1].islower())):
            end = after
        if _ends_here(text, ending, end, block.end):
            yield start, end
            start = end + (len(text[end : block.end]) - len(text[end : block.end].lstrip()))
    if start < block.end:
        yield start, block.end


def _after_markers(text: str, position: int, stop: int, markers: Sequence[Marker]) -> int:
    """Where the markers that follow a position, with white space alone between, end."""
    for marker in markers:
        if position <= marker.start < stop and not text[position : marker.start].strip():
            position = marker.end
            if text[position : position + 1] == ".":
                position += 1
    return position


def _ends_here(text: str, ending: re.Match[str], end: int, stop: int) -> bool:
    before, after = text[: ending.start()], text[end:stop].lstrip()
    if not after or ending[0][0] in "。！？":
        return True
    if after[0].islower():
        return False
    if ending[0][0] != ".":
        return True
    word = _WORD_BEFORE.search(before[-24:])
    if word is not None and (word[1].lower() in _ABBREVIATIONS or _is_letter(word[1])):
        return False
    if _NUMBER_BEFORE.search(before[-4:]) is None:
        return True
    return not (_BEFORE_ORDINAL.search(before[-16:]) or _AFTER_ORDINAL.match(after))


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
    rest = text[sentence.start : sentence.end]
    for marker in sentence.markers:
        rest = rest.replace(text[marker.start : marker.end], "")
    return bool(sentence.markers) and not any(character.isalnum() for character in rest)
