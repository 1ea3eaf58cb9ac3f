"""A citation that a model provider or a retriever made, in one form whoever made it.

Providers count in different units, from 0 or from 1, with the end inside or outside, in the source or in
the answer. Nothing of that is converted on reading; it is said beside the numbers.
"""

from dataclasses import dataclass
from typing import Literal

#: ``code_points`` as Python counts, ``utf16_units`` as JavaScript does; blocks and pages of a document.
Unit = Literal["code_points", "utf8_bytes", "utf16_units", "pages", "blocks"]
End = Literal["exclusive", "inclusive"]
Frame = Literal["source", "answer"]
Role = Literal["document", "search_result"]


@dataclass(frozen=True, slots=True)
class Position:
    """Two numbers and how to read them; ``end_is`` None: the provider does not keep to one convention."""

    start: int
    end: int
    unit: Unit = "code_points"
    base: Literal[0, 1] = 0
    end_is: End | None = "exclusive"

    def half_open(self, end_is: End) -> tuple[int, int]:
        """From 0, end outside, in the same unit.

        >>> Position(3, 4, "pages", base=1, end_is="inclusive").half_open("inclusive")
        (2, 4)
        """
        return self.start - self.base, self.end - self.base + (end_is == "inclusive")


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote and a position, in the source or in the answer; either may be missing.

    ``within`` is the text that the position counts in, where it came with the citation.
    """

    frame: Frame
    quote: str | None = None
    position: Position | None = None
    within: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """How a citation says which document it means: a place in the request's list, or names.

    ``names`` are addresses, file ids, ids: any of them may be known. Never a title.
    """

    index: int | None = None
    role: Role = "document"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation: ``scheme`` names its form (``anthropic/char_location``).

    ``source`` None: it names the document alone, without its words. ``answer`` None: it does not say for
    which words of the answer it stands.
    """

    scheme: str
    document: DocumentReference = DocumentReference()
    source: Passage | None = None
    answer: Passage | None = None


#: The scheme of something that is no citation of a known form.
NOT_UNDERSTOOD = "not_understood"
