"""Titles that an answer uses to cite: after a citing word, or directly before the marker."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prov_ledger.checks.answer.quotations import Quotation
from prov_ledger.checks.answer.stretches import Stretches
from prov_ledger.model.records import Node

#: Each title, as written, with the readable sources that have it.
Titles = Mapping[str, frozenset[Node]]

_CITING = r"according\s+to|per|under|see|laut|gemäß|gemäss|gemaess|nach"
#: What may stand between a citing word and the title: an article, an adjective, a numbered part of the page.
_BETWEEN = (
    r"(?:the|a|an|our|your|their|its|this|that|current|latest|new|official|page|document|policy"
    r"|de[rnms]|die|das|unsere[rnms]?|ihre[rnms]?|eine[rnms]?|diese[rnms]?|aktuelle[rnms]?|neue[rnms]?"
    r"|section|sections|clause|article|paragraph|abschnitt|absatz|ziffer|kapitel|punkt|art\.|nr\.|§+"
    r"|\d+(?:\.\d+)*[a-z]?|of|in|from|aus|von|vom|zu[rm]?|and|und|also|auch)"
)
_OPENING_MARKS = r"[\s\"'“„«»‚‘*_`(:]*"
_AFTER_CITING = re.compile(
    rf"(?<!\w)(?:{_CITING})(?!\w){_OPENING_MARKS}(?:{_BETWEEN}(?!\w){_OPENING_MARKS}){{0,6}}$", re.IGNORECASE
)
_UP_TO_MARKER = re.compile(r"[\s\"'”“’»«*_`).,:;–—-]*$")
_FURTHEST_BACK = 80


@dataclass(frozen=True, slots=True)
class TitleFound:
    """A title at ``start`` to ``end`` of a text, and the sources that have it."""

    start: int
    end: int
    sources: frozenset[Node]


def find_titles(text: str, titles: Titles) -> tuple[TitleFound, ...]:
    """The titles that a text names, in order; where titles overlap, the longest.

    White space may differ; so may the case, but not of a title that is one word (``see hours below``).

    >>> titles = {"Refund Policy": frozenset({"a"}), "Refund Policy (EU)": frozenset({"b"})}
    >>> [found.sources for found in find_titles("the refund policy (EU)", titles)] == [{"b"}]
    True
    """
    folded = _folded(text)
    found = [
        match
        for title, sources in titles.items()
        if _folded(title) in folded
        for match in _occurrences(text, title, sources)
    ]
    taken = Stretches()
    kept = [x for x in sorted(found, key=lambda x: x.start - x.end) if taken.take(x.start, x.end)]
    return tuple(sorted(kept, key=lambda x: x.start))


def _occurrences(text: str, title: str, sources: frozenset[Node]) -> Iterator[TitleFound]:
    words = title.split()
    if not words:
        return
    pattern = r"(?<!\w)" * (words[0][0].isalnum()) + r"\s+".join(map(re.escape, words))
    pattern += r"(?!\w)" * words[-1][-1].isalnum()
    for match in re.finditer(pattern, text, re.IGNORECASE if len(words) > 1 else 0):
        yield TitleFound(match.start(), match.end(), sources)


def _folded(text: str) -> str:
    """For a quick look whether a text may name a title at all, before the exact one."""
    return " ".join(text.split()).casefold()


def has_wrong_title(
    text: str, titles: Titles, own: frozenset[Node], quotations: Iterable[Quotation], passages: Iterable[str]
) -> bool:
    """Whether a title that is used to cite is that of other readable sources alone.

    ``text`` ends where the marker begins; ``own`` are the sources of the marker. A reference within a
    quotation, or one that a passage of the evidence itself makes in the same words, is the evidence's.
    """
    marks, held = tuple(quotations), _Held(passages)
    for found in find_titles(text, titles):
        if found.sources & own or _is_quoted(found, marks):
            continue
        citing = _AFTER_CITING.search(text[max(found.start - _FURTHEST_BACK, 0) : found.start])
        if citing is None and _UP_TO_MARKER.match(text, found.end) is None:
            continue
        words = (citing[0] if citing is not None else "") + text[found.start : found.end]
        if words not in held:
            return True
    return False


class _Held:
    """The words of passages; what was asked for once is known."""

    def __init__(self, passages: Iterable[str]) -> None:
        self._passages = passages
        self._folded: list[str] | None = None
        self._known: dict[str, bool] = {}

    def __contains__(self, words: str) -> bool:
        if self._folded is None:
            self._folded = [_folded(passage) for passage in self._passages]
        if words not in self._known:
            folded = _folded(words)
            self._known[words] = any(folded in passage for passage in self._folded)
        return self._known[words]


def _is_quoted(found: TitleFound, quotations: Sequence[Quotation]) -> bool:
    """Whether one of the quotations, in order and apart from each other, holds a title."""
    before = bisect_right(quotations, found.start, key=lambda one: one.start)
    return before > 0 and _is_within(found, quotations[before - 1])


def _is_within(found: TitleFound, quotation: Quotation) -> bool:
    """Whether a title stands among other words of a quotation; one that is all of it is no quotation."""
    length = len(quotation.exact.strip(" .,;:"))
    return quotation.start <= found.start < quotation.end and found.end - found.start < length


def is_title(text: str, titles: Titles) -> bool:
    """Whether a text is nothing but a title, as when titles are set in quotation marks."""
    bare = text.strip(" .,;:")
    return any(found.start == 0 and found.end == len(bare) for found in find_titles(bare, titles))


def without_titles(text: str, titles: Titles, own: frozenset[Node]) -> str:
    """The text without the titles of its own sources: a number in them is no statement."""
    for found in reversed(find_titles(text, titles)):
        if found.sources & own:
            text = text[: found.start] + " " + text[found.end :]
    return text
