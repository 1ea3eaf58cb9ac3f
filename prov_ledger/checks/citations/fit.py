"""Where a position points to in a text, tried by convention until the words there are the words quoted.

A position that was read in the wrong unit, or with the wrong end, points to other words. So the units and
both ends are tried, the stated ones first, and what matched is said. Nothing is accepted that does not match.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from prov_ledger.checks.citations.cited import End, Passage, Position, Unit
from prov_ledger.model.records import TextPosition

_UNITS: tuple[Unit, ...] = ("code_points", "utf8_bytes", "utf16_units")
_ENDS: tuple[End, ...] = ("exclusive", "inclusive")
#: A marker of a citation in an answer stands in brackets, whole.
_BRACKETS = {"(": ")", "[": "]", "【": "】"}


@dataclass(frozen=True, slots=True)
class Fit:
    """A span in code points, and by which reading it was found; ``end_is`` None where both readings fit."""

    span: TextPosition
    unit: Unit
    end_is: End | None


def fit_quote(text: str, position: Position, quote: str) -> Fit | None:
    """The span where exactly the quote stands; None when no reading of the position leads to it.

    >>> fit_quote("für 60 Tage", Position(5, 12, "code_points"), "60 Tage").unit
    'utf8_bytes'
    """
    for unit in dict.fromkeys((position.unit, *_UNITS)):
        for end_is in dict.fromkeys((position.end_is or "exclusive", *_ENDS)):
            span = to_code_points(text, position.half_open(end_is), unit)
            if span is not None and text[span.start : span.end] == quote:
                return Fit(span, unit, end_is)
    return None


def fit_answer(passage: Passage) -> Fit | None:
    """Where in the answer a citation stands; None when it does not say, or says what cannot be.

    With a quote the span must be the quote. Without one it must read as a whole: a bracketed marker, or
    else words that are not cut; where both ends do, the end is taken as exclusive and called unknown.
    """
    position, text = passage.position, passage.within
    if position is None or text is None:
        return None
    if passage.quote is not None:
        return fit_quote(text, position, passage.quote)
    found = [fit for fit in _readings(text, position) if _is_point(fit) or _is_marker(text, fit.span)]
    found = found or [fit for fit in _readings(text, position) if _is_uncut(text, fit.span)]
    if not found:
        return None
    same_unit = [fit for fit in found if fit.unit == found[0].unit]
    undecided = len(same_unit) > 1 and position.end_is is None
    return Fit(found[0].span, found[0].unit, None) if undecided else found[0]


def to_code_points(text: str, bounds: tuple[int, int], unit: Unit) -> TextPosition | None:
    """The same span in code points; None when it is not inside the text or cuts a character."""
    start, end = bounds
    if not 0 <= start <= end:
        return None
    if unit == "code_points":
        return TextPosition(start, end) if end <= len(text) else None
    width, codec = (2, "utf-16-le") if unit == "utf16_units" else (1, "utf-8")
    data = text.encode(codec, "surrogatepass")
    if end * width > len(data):
        return None
    try:
        before = len(data[: start * width].decode(codec))
        return TextPosition(before, before + len(data[start * width : end * width].decode(codec)))
    except UnicodeDecodeError:
        return None


def _readings(text: str, position: Position) -> Iterator[Fit]:
    for unit in dict.fromkeys((position.unit, "code_points", "utf16_units")):
        for end_is in (position.end_is,) if position.end_is is not None else _ENDS:
            span = to_code_points(text, position.half_open(end_is), unit)
            if span is not None:
                yield Fit(span, unit, end_is)


def _is_point(fit: Fit) -> bool:
    return fit.span.start == fit.span.end


def _is_marker(text: str, span: TextPosition) -> bool:
    """Whether the span is one pair of brackets with what they hold."""
    marked = text[span.start : span.end]
    close = _BRACKETS.get(marked[:1])
    depths = accumulate((c == marked[0]) - (c == close) for c in marked)
    return close is not None and 0 not in list(depths)[:-1] and marked.count(marked[0]) == marked.count(close)


def _is_uncut(text: str, span: TextPosition) -> bool:
    """Whether words begin and end where the span does, and it neither begins nor ends in white space."""
    marked = text[span.start : span.end]
    if not marked or marked != marked.strip():
        return False
    cut_before = text[max(0, span.start - 1) : span.start].isalnum() and marked[0].isalnum()
    cut_after = text[span.end : span.end + 1].isalnum() and marked[-1].isalnum()
    return not cut_before and not cut_after
