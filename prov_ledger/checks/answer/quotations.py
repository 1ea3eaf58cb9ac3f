"""Quotations: what an answer puts in quotation marks, and whether a text holds it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

#: Opening mark and the marks that may close it; English, German and French-style guillemets both ways.
_CLOSERS = {
    "“": "”",
    "„": "“”",
    '"': '"',
    "”": "”",
    "«": "»",
    "»": "«",
    "‘": "’",
    "‚": "‘’",
    "'": "'",
    "‹": "›",
    "›": "‹",
}
_SINGLE = frozenset("‘‚'")
#: An apostrophe that nothing closes within so many characters is one; bounds the search for its other half.
_LONGEST_SINGLE = 600
_MARK = re.compile("[" + "".join(_CLOSERS) + "]")
_SPACE = re.compile(r"\s+")
#: What a writer may add within the marks without changing the words: an ellipsis or punctuation at an end.
_EDGE_BEFORE = re.compile(r"^(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*")
_EDGE_AFTER = re.compile(r"\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\]|[.,;:!?])$")
_MARKS = str.maketrans({"’": "'", "‘": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation at ``start`` to ``end`` of a text, marks included; ``exact`` is what stands between."""

    start: int
    end: int
    exact: str


def find_quotations(text: str) -> tuple[Quotation, ...]:
    """The outermost quotations of one paragraph, in order.

    A double mark that nothing closes quotes up to the end; an apostrophe and an inch sign quote nothing.

    >>> [quotation.exact for quotation in find_quotations("Don't say “sixty”, „dreißig“; 15\\" wide")]
    ['sixty', 'dreißig']
    """
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Quotation]:
    closing = _Closing(text)
    behind = 0
    for mark in _MARK.finditer(text):
        position = mark.start()
        end = closing.end(position) if position >= behind and _opens(text, position) else None
        if end is not None:
            behind = end + 1 if end < len(text) else end
            yield Quotation(position, behind, text[position + 1 : end])


def _opens(text: str, position: int) -> bool:
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    if text[position] in _SINGLE or text[position] in "»›":
        return not before.isalnum() and not after.isspace()
    return not (text[position] == '"' and before.isdigit() and not after.isalnum())


class _Closing:
    """Where the marks of a text are closed; each kind of mark is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[str, str], dict[int, int]] = {}

    def end(self, start: int) -> int | None:
        """Where the quotation that opens at ``start`` is closed; None where the mark quotes nothing.

        Pairs of the same marks may stand within; where a curly mark has no other half, a straight one
        closes.
        """
        mark = self._text[start]
        found = self._closed(start, _CLOSERS[mark])
        if found is None and mark in "“„":
            found = self._closed(start, '"')
        return found if found is not None or mark in _SINGLE else len(self._text)

    def _closed(self, start: int, closers: str) -> int | None:
        mark = self._text[start]
        pairs = self._found.get((mark, closers))
        if pairs is None:
            pairs = self._found[mark, closers] = _pairs(self._text, mark, closers)
        end = pairs.get(start)
        return None if end is None or (mark in _SINGLE and end >= start + _LONGEST_SINGLE) else end


def _pairs(text: str, mark: str, closers: str) -> dict[int, int]:
    """Where each mark is closed: those that still are open wait, by how deep what follows them nests."""
    pairs: dict[int, int] = {}
    waiting: dict[int, list[int]] = {}
    depth = 0
    for found in re.finditer(f"[{mark}{closers}]", text):
        position = found.start()
        closes = found[0] in closers and not (mark in _SINGLE and _within_word(text, position))
        if closes:
            pairs |= dict.fromkeys(waiting.pop(depth, ()), position)
            depth -= 1
        elif found[0] == mark:
            depth += 1
        if found[0] == mark:
            waiting.setdefault(depth, []).append(position)
    return pairs


def _within_word(text: str, position: int) -> bool:
    after = text[position + 1] if position + 1 < len(text) else " "
    return after.isalnum() or text[position - 1].isspace()


def holds(passages: Iterable[str], quotation: str) -> bool:
    """Whether a passage holds the quotation word for word, beginning and ending where words do.

    Runs of white space count as one space, and marks within a quotation as their straight forms. An
    ellipsis or punctuation that stands at its ends, and the case of its first letter, may be the writer's.
    A quotation without a letter or a digit is held by nothing.

    >>> holds(["returned within 60 days"], "Within 60 days."), holds(["within 60 days"], "0 days")
    (True, False)
    """
    return holds_read([read_words(passage) for passage in passages], quotation)


def holds_read(passages: Sequence[str], quotation: str) -> bool:
    """The same of passages that ``read_words`` was called for: for many quotations of the same."""
    forms = list(_forms(read_words(quotation)))
    return any(_occurs(passage, form) for passage in passages for form in forms)


def read_words(text: str) -> str:
    """A text as quotations are looked for in it: one space for each run, marks in their straight forms."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text).translate(_MARKS)).strip()


def _forms(quotation: str) -> Iterator[str]:
    trimmed = _EDGE_AFTER.sub("", _EDGE_BEFORE.sub("", quotation))
    for form in dict.fromkeys((quotation, trimmed)):
        if any(character.isalnum() for character in form):
            yield form
            yield form[0].swapcase() + form[1:]


def _occurs(passage: str, form: str) -> bool:
    start = passage.find(form)
    while start >= 0:
        if _is_whole(passage, start, start + len(form)):
            return True
        start = passage.find(form, start + 1)
    return False


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word and no number goes on before ``start`` or after ``end``."""
    return not _joined(text, start) and not _joined(text, end)


def _joined(text: str, cut: int) -> bool:
    if not 0 < cut < len(text):
        return False
    before, after = text[cut - 1], text[cut]
    if before.isalnum() and after.isalnum():
        return True
    digit_after = after.isdigit() or (after in ".,'" and text[cut + 1 : cut + 2].isdigit())
    digit_before = before.isdigit() or (before in ".,'-" and text[max(cut - 2, 0) : cut - 1].isdigit())
    return digit_before and digit_after
