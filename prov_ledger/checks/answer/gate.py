"""The gate: each marker of an answer held against what it may show, and the text that is left.

Source: prov-ledger semantics, section 5.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prov_ledger.checks.answer.markers import Marker, cited_ids, find_markers
from prov_ledger.checks.answer.quotations import Quotation, holds_read, read_words
from prov_ledger.checks.answer.sentences import Sentence, find_sentences
from prov_ledger.checks.answer.titles import Titles, has_wrong_title, is_title, without_titles
from prov_ledger.checks.answer.values import Stock, missing_values
from prov_ledger.errors import Refused
from prov_ledger.model.records import Node
from prov_ledger.model.slots import Verdict

#: Code points of an answer that may be checked at once.
LONGEST_ANSWER = 200_000


@dataclass(frozen=True, slots=True)
class Passage:
    """One quote as evidence: the words, and what a table cell has from its headers and its row's key."""

    exact: str
    source: Node
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citable:
    """What resolving an id gave: ``statement`` None where there is none or its words are withheld."""

    id: Node
    verdict: Verdict
    statement: str | None = None
    passages: tuple[Passage, ...] = ()

    @property
    def sources(self) -> frozenset[Node]:
        """The sources of its quotes."""
        return frozenset(passage.source for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it is shown: its sentences, and for each marker the ids that it names or None."""

    text: str
    sentences: tuple[Sentence, ...]
    ids: Mapping[Marker, tuple[Node, ...] | None] = field(default_factory=dict)

    @property
    def cited(self) -> tuple[Node, ...]:
        """All ids that well-formed markers name, each once."""
        named = (id for ids in self.ids.values() for id in ids or ())
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer of which is known where it cites, and not yet what."""

    text: str
    markers: tuple[Marker, ...]
    sentences: tuple[Sentence, ...]

    def draft(self, labels: Mapping[str, Node]) -> Draft:
        """With what is cited; ``labels`` are the short labels of the thread's packet, in lower case."""
        return Draft(self.text, self.sentences, {m: cited_ids(m, labels) for m in self.markers})


def parse_answer(text: str) -> Parsed:
    """Read an answer, in time that grows as its length. Raises Refused ``too_large``."""
    if len(text) > LONGEST_ANSWER:
        raise Refused("too_large", f"an answer of {len(text)} characters: {LONGEST_ANSWER} may be checked")
    markers = find_markers(text)
    return Parsed(text, markers, find_sentences(text, markers))


def read_draft(text: str, labels: Mapping[str, Node]) -> Draft:
    """Read an answer with its labels; raises as ``parse_answer``."""
    return parse_answer(text).draft(labels)


@dataclass(frozen=True, slots=True)
class Gate:
    """What markers are held against: every id of the draft as resolved, and the readable titles."""

    draft: Draft
    resolved: Mapping[Node, Citable]
    titles: Titles
    _stocks: dict[str, Stock] = field(default_factory=dict, init=False, compare=False)
    _words: dict[str, str] = field(default_factory=dict, init=False, compare=False)

    def stock(self, text: str) -> Stock:
        """The values of a text that markers are held against; taken once, whatever the number of markers."""
        found = self._stocks.get(text)
        if found is None:
            found = self._stocks[text] = Stock.of(text)
        return found

    def words(self, text: str) -> str:
        """A passage as quotations are looked for in it; read once too."""
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = read_words(text)
        return found

    def faults(self) -> dict[Marker, str]:
        """The code of each faulty marker, in order."""
        found: dict[Marker, str] = {}
        for sentence in self.draft.sentences:
            for number, marker in enumerate(sentence.markers):
                code = self._fault(sentence, number, marker)
                if code is not None:
                    found[marker] = code
        return found

    def _fault(self, sentence: Sentence, number: int, marker: Marker) -> str | None:
        """The first code that fits one marker; None for a sound one."""
        ids = self.draft.ids[marker]
        if ids is None:
            return "malformed_id"
        if any(id.startswith("rem_") for id in ids):
            return "reminder_cited"
        slots = [self.resolved[id] for id in ids]
        for slot in slots:
            if slot.verdict != "citable":
                return f"not_citable:{slot.verdict}"
        return _Share(self, sentence, number, slots).fault()


class _Share:
    """The text that one marker answers for, against the evidence that it names."""

    def __init__(self, gate: Gate, sentence: Sentence, number: int, slots: list[Citable]) -> None:
        markers, text = sentence.markers, gate.draft.text
        marker = markers[number]
        self.gate, self.titles, self.slots = gate, gate.titles, slots
        self.start = markers[number - 1].end if number else sentence.start
        self.before = text[self.start : marker.start]
        last = number == len(markers) - 1
        self.after_start, self.after = marker.end, text[marker.end : sentence.end] if last else ""
        self.quotations = [self._own(q) for q in self._begun(sentence.quotations, marker.start)]
        if last:
            self.quotations += [self._own(q) for q in sentence.quotations if q.start >= marker.end]
        self.passages = [passage for slot in slots for passage in slot.passages]
        self.sources = frozenset(passage.source for passage in self.passages)

    def _begun(self, quotations: Sequence[Quotation], end: int) -> Sequence[Quotation]:
        """Those that begin before the marker; a sentence may have thousands of each."""
        first, last = (bisect_left(quotations, at, key=lambda one: one.start) for at in (self.start, end))
        return quotations[first:last]

    def _own(self, quotation: Quotation) -> Quotation:
        exact = quotation.exact
        for marker in reversed(find_markers(exact)):
            exact = exact[: marker.start] + exact[marker.end :]
        return Quotation(quotation.start, quotation.end, exact)

    def fault(self) -> str | None:
        if self._wrong_title():
            return "wrong_title"
        if not all(self._is_held(quotation) for quotation in self._of_share()):
            return "quote_not_in_evidence"
        if missing_values(self._unquoted(), self._stocks()):
            return "value_not_in_evidence"
        return None

    def _texts(self) -> list[str]:
        statements = [slot.statement for slot in self.slots if slot.statement is not None]
        return statements + [passage.exact for passage in self.passages]

    def _wrong_title(self) -> bool:
        return any(
            has_wrong_title(part, self.titles, self.sources, self._within(start, start + len(part)), held)
            for held in [self._texts()]
            for part, start in ((self.before, self.start), (self.after.rstrip() + "\0", self.after_start))
        )

    def _within(self, start: int, end: int) -> list[Quotation]:
        """The quotations that begin in a part of the text, at their places in that part."""
        inside = (q for q in self.quotations if start <= q.start < end)
        return [Quotation(q.start - start, q.end - start, q.exact) for q in inside]

    def _of_share(self) -> Iterator[Quotation]:
        yield from self._within(self.start, self.start + len(self.before))
        yield from self._within(self.after_start, self.after_start + len(self.after))

    def _is_held(self, quotation: Quotation) -> bool:
        texts = [text for passage in self.passages for text in (passage.exact, *passage.context)]
        words = [self.gate.words(text) for text in dict.fromkeys(texts)]
        return holds_read(words, quotation.exact) or is_title(quotation.exact, self.titles)

    def _unquoted(self) -> str:
        """The text without what was found word for word in the evidence."""
        parts = []
        for part, start in ((self.before, self.start), (self.after, self.after_start)):
            for quotation in reversed(self._within(start, start + len(part))):
                part = part[: quotation.start] + " ; " + part[quotation.end :]
            parts.append(without_titles(part, self.titles, self.sources))
        return " ; ".join(parts)

    def _stocks(self) -> list[Stock]:
        statements = [slot.statement for slot in self.slots if slot.statement is not None]
        texts = statements + ["; ".join((p.exact, *p.context)) for p in self.passages]
        return [self.gate.stock(text) for text in dict.fromkeys(texts)]


def kept_text(draft: Draft, cut: frozenset[Sentence]) -> str:
    """The answer without some of its sentences; what stood before one that is cut goes with it.

    A line break or a blank line before it stays, so that what follows stands apart as it did.
    """
    if not cut:
        return draft.text
    kept, position, carried = "", 0, ""
    for sentence in draft.sentences:
        before, position = draft.text[position : sentence.start], sentence.end
        if sentence in cut:
            carried = carried or (before if "\n" in before else "")
            continue
        lead = _lead(before, carried)
        kept, carried = kept + lead + draft.text[sentence.start : sentence.end], ""
    return (kept + draft.text[position:]).strip() if kept else ""


def _lead(before: str, carried: str) -> str:
    """What stands before a kept sentence, where ``carried`` stood before one that was cut."""
    if carried and "\n" not in before:
        return carried
    return "\n" + before if carried.startswith("\n\n") and not before.startswith("\n\n") else before
