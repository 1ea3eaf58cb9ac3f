"""What an erasure will take, who had it, and what it leaves: a plan with a hash, ids alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from prov_ledger.model.records import ErasureCause, ErasureOutcome, Node, TextPosition

_DOMAIN = "prov-ledger/manifest/1"


@dataclass(frozen=True, slots=True)
class Text:
    """A sealed text that goes, by what holds it and the field."""

    owner: Node
    field: str


@dataclass(frozen=True, slots=True)
class Derived:
    """What becomes of a claim that rests on what goes, or had it in its exposure.

    ``words`` are the nodes whose statements go: the claim, and its restatements.
    """

    claim: Node
    outcome: ErasureOutcome
    words: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """What goes from the bytes of a revision that stays, in code points of its text; and the evidence that
    keeps its place and loses what it kept of the text beside it.
    """

    revision: Node
    spans: tuple[TextPosition, ...]
    neighbours: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """The same text in a revision that stays; ``whole`` where all of its bytes are the same."""

    revision: Node
    whole: bool
    evidence: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup or an export from before: when it was made, and the epoch of the key that opens it."""

    id: Node
    at: datetime
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that an erasure does and leaves.

    ``hash``, 64 hex digits, is SHA-256 over the plan but ``at``, when it was made, ``copies``, ``shown_to``
    and ``held``: where else the same text stays, who read it, and which sources are under a legal hold change
    nothing of what goes. It is what a run has to present; while anything is held it is refused.
    """

    hash: str = field(init=False, default="")
    targets: tuple[Node, ...]
    goes: tuple[Node, ...]
    texts: tuple[Text, ...]
    derived: tuple[Derived, ...] = ()
    gaps: tuple[Gap, ...] = ()
    reminders: tuple[Node, ...] = ()
    threads: tuple[Node, ...] = ()
    backups: tuple[Kept, ...] = ()
    exports: tuple[Kept, ...] = ()
    cause: ErasureCause = "request"
    at: datetime | None = None
    copies: tuple[Copy, ...] = ()
    shown_to: tuple[tuple[Node | None, int], ...] = ()
    held: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        hashed = sha256("\n".join((_DOMAIN, *self._hashed())).encode()).hexdigest()
        object.__setattr__(self, "hash", hashed)

    def _hashed(self) -> Iterator[str]:
        """One line per part; no part holds a line break, and the first word tells its kind."""
        yield f"cause {self.cause}"
        yield from (f"target {id}" for id in self.targets)
        yield from (f"goes {id}" for id in self.goes)
        yield from (f"text {x.owner} {x.field}" for x in self.texts)
        yield from (f"derived {x.claim} {x.outcome} {' '.join(x.words)}" for x in self.derived)
        for gap in self.gaps:
            spans = " ".join(f"{span.start}-{span.end}" for span in gap.spans)
            yield f"gap {gap.revision} {spans} beside {' '.join(gap.neighbours)}"
        yield from (f"reminder {id}" for id in self.reminders)
        yield from (f"thread {id}" for id in self.threads)
        yield from (f"backup {x.id} {x.at.isoformat()} {x.epoch}" for x in self.backups)
        yield from (f"export {x.id} {x.at.isoformat()} {x.epoch}" for x in self.exports)

    def count(self, prefix: str) -> int:
        """How many of what goes are of a kind, by the beginning of its ids."""
        return sum(id.startswith(f"{prefix}_") for id in self.goes)

    def outcomes(self, outcome: ErasureOutcome) -> tuple[Node, ...]:
        """The claims of which this becomes."""
        return tuple(x.claim for x in self.derived if x.outcome == outcome)

    def lines(self) -> Iterator[str]:
        """The plan for a person: what goes first, then what it touches, then what it cannot reach."""
        yield f"plan     {self.hash}"
        for source in self.held:
            yield f"held     {source} is under a legal hold"
        yield f"asked    {', '.join(self.targets)}"
        yield f"goes     {_counted(self)}"
        yield from _listed("", self.goes)
        for gap in self.gaps:
            spans = ", ".join(f"{span.start}-{span.end}" for span in gap.spans)
            yield f"gap      {gap.revision}: code points {spans}"
            if gap.neighbours:
                yield from _listed("context of", gap.neighbours)
        yield from _derived_lines(self)
        yield from _titled("reminder", self.reminders)
        yield from _titled("thread", self.threads)
        for copy in self.copies:
            what = "the same bytes" if copy.whole else "the same text"
            yield f"stays    {copy.revision} holds {what}"
            yield from _listed("cited by", copy.evidence)
        for reader, times in self.shown_to:
            yield f"shown    to {reader or 'somebody without an id'}, {_number(times, 'time')}"
        yield from _kept_lines(self)


_KINDS = {
    "src": "source",
    "rev": "revision",
    "ev": "evidence item",
    "cl": "claim",
    "agt": "agent's name",
    "grp": "group's name",
    "col": "collection's name",
    "pur": "purpose's name",
    "ent": "thread's name",
    "era": "erasure's subject",
}
_MOST_LISTED = 12
_BECOMES = {
    "erased": "erased: nothing else carries them",
    "kept": "kept on what is left, their words go",
    "unknown": "unknown: what is left was withdrawn or replaced",
}


def _number(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _counted(plan: Manifest) -> str:
    counts = [(plan.count(prefix), word) for prefix, word in _KINDS.items()]
    parts = [_number(count, word) for count, word in counts if count]
    return ", ".join([*parts, _number(len(plan.texts), "sealed text")])


def _listed(what: str, ids: tuple[Node, ...]) -> Iterator[str]:
    lead = f"{what} " if what else ""
    for id in ids[:_MOST_LISTED]:
        yield f"         {lead}{id}"
    if len(ids) > _MOST_LISTED:
        yield f"         and {len(ids) - _MOST_LISTED} more (--json lists all)"


def _titled(title: str, ids: tuple[Node, ...]) -> Iterator[str]:
    if ids:
        yield f"{title:<8} {_number(len(ids), title)} {'loses' if len(ids) == 1 else 'lose'} lines"
        yield from _listed("", ids)


def _derived_lines(plan: Manifest) -> Iterator[str]:
    for outcome, becomes in _BECOMES.items():
        claims = tuple(x.claim for x in plan.derived if x.outcome == outcome)
        if claims:
            yield f"derived  {_number(len(claims), 'claim')} {becomes}"
            yield from _listed("", claims)


def _kept_lines(plan: Manifest) -> Iterator[str]:
    for what, kept in (("backup", plan.backups), ("export", plan.exports)):
        for each in kept:
            epoch = f", key of epoch {each.epoch}" if each.epoch is not None else ""
            yield f"{what:<8} {each.id} of {each.at:%Y-%m-%d}{epoch}"
    if not plan.backups and not plan.exports:
        yield "copies   no backup and no export is known to the ledger"
