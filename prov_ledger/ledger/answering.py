"""The gate in front of the reader: an answer is shown only as far as its markers bear it out now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from prov_ledger.checks.answer.gate import Citable, Draft, Gate, Parsed, Passage, kept_text
from prov_ledger.checks.answer.sentences import Sentence
from prov_ledger.checks.answer.titles import Titles
from prov_ledger.checks.quotes import Quote
from prov_ledger.errors import Refused
from prov_ledger.ledger.known_titles import KnownTitles
from prov_ledger.ledger.reminding import Reminders
from prov_ledger.ledger.resolving import Demand, Resolver
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.threads import Threads
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.slots import Slot
from prov_ledger.readers.port import Reader


@dataclass(frozen=True, slots=True)
class Fault:
    """One faulty marker, as written, with its code and the sentence that was cut for it."""

    marker: str
    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """What the gate says of an answer.

    ``codes``: one per faulty marker in order, then those of the whole text; any code blocks. ``text`` is
    what may be shown: without the sentences that were cut, empty where no citation stands; ``partial``
    where it is not all of the answer. ``uncited``: the sentences without a marker. ``cited``: the ids
    whose markers are sound.
    """

    allowed: bool
    codes: tuple[str, ...]
    text: str
    partial: bool
    uncited: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    cited: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class _Thread:
    """What a thread holds for its reader; nothing where it is another's.

    ``keys`` are what disclosures in it were recorded under, also before it had a packet.
    """

    keys: tuple[Node, ...] = ()
    claims: frozenset[Node] = frozenset()
    labels: Mapping[str, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidenced:
    """An answer with all that it is held against; nothing is read for that any more."""

    draft: Draft
    slots: Mapping[Node, Slot]
    resolved: Mapping[Node, Citable]
    titles: Titles
    conflict: bool

    def checked(self, strict: bool) -> tuple[CheckedAnswer, list[Slot]]:
        """What the gate says, and the slots that the sound markers show; a long answer takes a while."""
        draft = self.draft
        codes = Gate(draft, self.resolved, self.titles).faults()
        sound = [id for marker, ids in draft.ids.items() if marker not in codes for id in ids or ()]
        checked = _checked(draft, {m: codes.get(m) for m in draft.ids}, self.conflict, strict)
        return checked, [self.slots[id] for id in dict.fromkeys(sound)] if checked.text else []


class Answering:
    """The verb ``check_answer``."""

    def __init__(self, session: Session, sources: Sources, titles: KnownTitles) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant
        self.titles, self.resolver = titles, Resolver(session)

    def read(
        self, reader: Reader, acting: Acting, parsed: Parsed, demand: Demand, thread: str | None
    ) -> "Evidenced":
        """What an answer is held against for a reader, as it is now.

        Raises Refused ``undeclared_fact``, ``bad_fact``, ``bad_input``.
        """
        home = self._thread(acting, thread)
        draft = parsed.draft(home.labels)
        found = self.resolver.resolve(reader, acting, draft.cited, demand)
        slots = dict(zip(draft.cited, found, strict=True))
        resolved = {id: self._citable(slot) for id, slot in slots.items()}
        titles = self.titles.named_in(acting, parsed.text)
        return Evidenced(draft, slots, resolved, titles, self._omits(reader, acting, draft, demand, home))

    def _citable(self, slot: Slot) -> Citable:
        passages = []
        for citation in slot.quotes:
            quote = Quote.from_bytes(self.sources.data(citation.evidence, "quote"))
            key = [text for pair in quote.key for text in pair]
            passages.append(Passage(quote.exact, citation.source, (*quote.header_path, *key)))
        return Citable(slot.id, slot.verdict, slot.statement, tuple(passages))

    def _thread(self, acting: Acting, name: str | None) -> _Thread:
        if name is None:
            return _Thread()
        keys = self.session.thread_keys(name)
        id = self.session.find_name("thread", name)
        if id is None:
            return _Thread(keys)
        try:
            claims = Threads(self.session).claims(acting, name)
        except Refused:
            return _Thread()
        packets = [
            stated.record
            for entry in self.tenant.state.entries_about(id)
            for stated in entry.statements
            if isinstance(stated.record, r.ReminderRecord)
        ]
        labels = self._rendered(acting, keys) or self._labels(acting, packets)
        return _Thread(keys, frozenset(claims), labels)

    def _rendered(self, acting: Acting, keys: Sequence[Node]) -> dict[str, Node]:
        """The short labels of the packet that this reader was shown last in a thread."""
        if not self.tenant.records_disclosures:
            return {}
        claims = self.tenant.disclosures.last_rendered(acting.agent, keys)
        return {f"c{number}": claim for number, claim in enumerate(claims, 1)}

    def _labels(self, acting: Acting, packets: Sequence[r.ReminderRecord]) -> dict[str, Node]:
        """The short labels of the last packet, where it is not known to have been rendered for this reader.

        They are those that its writer was shown; where no rendering is recorded at all, a label that
        would mean another claim in a rendering for this reader is none.
        """
        claims = packets[-1].claims if packets else ()
        labels = {f"c{number}": claim for number, claim in enumerate(claims, 1)}
        if not claims or self.tenant.records_disclosures:
            return labels
        shown = Reminders(self.session, self.sources).packet(acting, packets[-1].id).labels
        other = {f"c{number}": claim for number, claim in enumerate(shown, 1)}
        return {label: claim for label, claim in labels.items() if other.get(label, claim) == claim}

    def _resolved_in(self, keys: Sequence[Node]) -> frozenset[Node]:
        if not self.tenant.records_disclosures:
            return frozenset()
        shown = (one for key in keys for one in self.tenant.disclosures.read(thread=key))
        return frozenset(one.disclosed.id for one in shown)

    def _omits(self, reader: Reader, acting: Acting, draft: Draft, demand: Demand, home: _Thread) -> bool:
        """Whether a claim that the thread knows, is citable and contradicts a cited one is not cited."""
        rivals = {rival for id in draft.cited for rival in self._contradicting(id)}
        if not home.keys or not rivals:
            return False
        known = home.claims | self._resolved_in(home.keys)
        left_out = sorted((rivals & known) - set(draft.cited))
        slots = self.resolver.resolve(reader, acting, left_out, demand)
        return any(slot.verdict == "citable" for slot in slots)

    def _contradicting(self, id: Node) -> Iterable[Node]:
        for entry in self.tenant.state.entries_about(id) if id.startswith("cl_") else ():
            for stated in entry.statements:
                if isinstance(stated.record, r.ContradictionRecord) and id in stated.record.claims:
                    yield from (claim for claim in stated.record.claims if claim != id)


def _checked(draft: Draft, codes: Mapping[object, str | None], conflict: bool, strict: bool) -> CheckedAnswer:
    faulty = [(m, code) for m in draft.ids if (code := codes[m]) is not None]
    uncited = [s for s in draft.sentences if not s.markers]
    cut = {s for s in draft.sentences if any(codes[m] is not None for m in s.markers)}
    whole = ["no_citation"] if not draft.ids else []
    whole += ["omitted_conflict"] if conflict else []
    whole += ["uncited"] if strict and uncited else []
    cut |= set(uncited) if strict else set()
    stands = len(faulty) < len(draft.ids)
    text = kept_text(draft, frozenset(cut)) if stands else ""
    found = tuple(code for _, code in faulty) + tuple(whole)
    return CheckedAnswer(
        allowed=not found,
        codes=found,
        text=text,
        partial=text != draft.text,
        uncited=tuple(_shown(draft, s) for s in uncited),
        faults=tuple(
            Fault(draft.text[m.start : m.end], code, _shown(draft, s))
            for s in draft.sentences
            for m in s.markers
            if (code := codes[m]) is not None
        ),
        cited=_sound(draft, codes),
    )


def _sound(draft: Draft, codes: Mapping[object, str | None]) -> tuple[Node, ...]:
    named: Sequence[Node] = [id for m, ids in draft.ids.items() if codes[m] is None for id in ids or ()]
    return tuple(dict.fromkeys(named))


def _shown(draft: Draft, sentence: Sentence) -> str:
    return draft.text[sentence.start : sentence.end]
