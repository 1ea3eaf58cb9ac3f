"""Where a quote stands in a text: positions in code points, half-open, found exactly.

Nothing is normalised: a quote that differs from the text in one code point is not found. What the text
of stored bytes is, per media type, is said in ``documents``.
"""

from collections.abc import Iterator

from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition

#: Code points of context that are kept on either side of a quote.
CONTEXT_LENGTH = 32


def find_quote(text: str, exact: str, prefix: str | None = None, suffix: str | None = None) -> TextPosition:
    """Find the one place of ``exact`` in ``text``: code points, start inside, end outside.

    ``prefix`` must stand immediately before it and ``suffix`` immediately after; None or empty asks for
    nothing. Raises Refused: ``empty_quote`` (empty, or white space alone), ``quote_not_found``,
    ``ambiguous_quote``. Places that overlap count each.

    Source: Web Annotation Data Model 4.2.4 and 4.2.5.

    >>> find_quote("a fee, no fee", "fee", prefix="no ")
    TextPosition(start=10, end=13)
    """
    if not exact.strip():
        raise Refused(
            "empty_quote",
            "The quote is empty or white space alone; give the words as they stand in the text.",
        )
    starts = list(_starts_of(exact, text))
    fitting = [start for start in starts if _fits(text, start, start + len(exact), prefix, suffix)]
    if not fitting:
        raise Refused("quote_not_found", _not_found(len(exact), len(text), len(starts)))
    if len(fitting) > 1:
        context = " with that prefix and suffix" if prefix or suffix else ""
        raise Refused(
            "ambiguous_quote",
            f"The quote of {len(exact)} code points occurs {len(fitting)} times{context}, expected once; "
            "give a longer prefix or suffix, or a longer quote.",
        )
    return TextPosition(fitting[0], fitting[0] + len(exact))


def context_around(text: str, position: TextPosition, length: int = CONTEXT_LENGTH) -> tuple[str, str]:
    """Give up to ``length`` code points before and after a span, shorter at the ends of the text.

    >>> context_around("a fee, no fee", TextPosition(2, 5), length=4)
    ('a ', ', no')
    """
    before = text[max(0, position.start - length) : position.start]
    return before, text[position.end : position.end + length]


def text_at(text: str, position: TextPosition) -> str:
    """Give the text of a span; raises Refused ``bad_input`` when it does not lie inside the text."""
    if not 0 <= position.start < position.end <= len(text):
        raise Refused(
            "bad_input",
            f"The span {position.start}-{position.end} is not inside the text of {len(text)} code points; "
            "expected 0 <= start < end <= length.",
        )
    return text[position.start : position.end]


def _starts_of(exact: str, text: str) -> Iterator[int]:
    start = text.find(exact)
    while start >= 0:
        yield start
        start = text.find(exact, start + 1)


def _fits(text: str, start: int, end: int, prefix: str | None, suffix: str | None) -> bool:
    # A prefix longer than what stands before must fail, not be cut.
    before = not prefix or (start >= len(prefix) and text.startswith(prefix, start - len(prefix)))
    return before and (not suffix or text.startswith(suffix, end))


def _not_found(length: int, text_length: int, elsewhere: int) -> str:
    if elsewhere:
        return (
            f"The quote of {length} code points occurs {elsewhere} times, but nowhere with that prefix and "
            "suffix immediately before and after it; correct or leave out the prefix and suffix."
        )
    return (
        f"The quote of {length} code points is not in the text of {text_length} code points; copy it exactly "
        "as it stands there (case, spaces, line breaks and accents count)."
    )
