"""Permission labels: which sources suffice to read an id, kept so that a gate needs nothing else.

What fails the gate is withheld with nothing further read, and an id that does not exist is taken
through the same steps with the label of something else that this reader was refused: how long a
refusal takes tells nothing of its cause.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from prov_ledger.model.records import Node
from prov_ledger.readers.fold import Fold, up_to

#: More alternatives than this pass the gate and are decided by what is read behind it.
MOST_ALTERNATIVES = 16


@dataclass(frozen=True, slots=True)
class Label:
    """``sufficient``: sets of sources, each enough to read the id. ``sources``: all that a decision sees."""

    sufficient: tuple[frozenset[Node], ...]
    sources: frozenset[Node]

    def admits(self, readable: frozenset[Node]) -> bool:
        """Whether the readable sources suffice."""
        return any(needed <= readable for needed in self.sufficient)


NOTHING = Label((), frozenset())
#: How many labels that a reader was refused are kept for the ids that do not exist.
MOST_REFUSED = 512


class Labels:
    """The labels of claims and evidence over one fold; equal ones are kept once."""

    def __init__(self, fold: Fold, need: Callable[[Node], None]) -> None:
        self._fold, self._need = fold, need
        self._sufficient: dict[Node, tuple[frozenset[Node], ...]] = {}
        self._labels: dict[Node, Label] = {}
        self._shared: dict[Label, Label] = {}
        self._any: list[Label] = []
        self._refused: dict[Node | None, list[Label]] = {}
        self._state = (0, 0)

    def __len__(self) -> int:
        return len(self._labels)

    def gate(self, id: Node, as_of: datetime | None, reader: Node | None = None) -> tuple[Label, bool]:
        """The label to ask about, and whether it is the id's own; a decoy where there is none."""
        state = (len(self._fold.supersessions), len(self._fold.restatements))
        if state != self._state:
            self._labels.clear()
            self._state = state
        own = self._labels.get(id) or self._label(id)
        pool = self._refused.get(reader) or self._any
        decoy = pool[hash(id) % len(pool)] if pool else NOTHING
        exists = own is not None and self._recorded(id, as_of)
        return (own, True) if own is not None and exists else (decoy, False)

    def refuse(self, label: Label, reader: Node | None) -> None:
        """Remember a label that a reader was refused: what does not exist is refused like it."""
        pool = self._refused.setdefault(reader, [])
        if len(pool) < MOST_REFUSED:
            pool.append(label)
        else:
            pool[hash(label.sources) % MOST_REFUSED] = label

    def _recorded(self, id: Node, as_of: datetime | None) -> bool:
        found = self._fold.claims.get(id) or self._fold.evidence.get(id)
        return found is not None and (as_of is None or found.at <= as_of)

    def _label(self, id: Node) -> Label | None:
        self._need(id)
        if id not in self._fold.claims and id not in self._fold.evidence:
            return None
        label = Label(self._sets(id), frozenset(self._all_sources(id)))
        known = self._shared.get(label)
        if known is None:
            known = self._shared[label] = label
            self._any.append(label)
        self._labels[id] = known
        return known

    def _sets(self, id: Node) -> tuple[frozenset[Node], ...]:
        """The sufficient sets of an id; those of what it rests on come first, without recursion."""
        waiting = [id]
        while waiting:
            node = waiting[-1]
            missing = [m for m in self._members(node) if m not in self._sufficient]
            if missing and node not in self._sufficient:
                waiting += missing
                continue
            waiting.pop()
            if node not in self._sufficient:
                self._sufficient[node] = self._combined(node)
        return self._sufficient[id]

    def _members(self, id: Node) -> Iterable[Node]:
        self._need(id)
        claim = self._fold.claims.get(id)
        return [m for members in claim.record.justifications for m in members] if claim else []

    def _combined(self, id: Node) -> tuple[frozenset[Node], ...]:
        claim = self._fold.claims.get(id)
        if claim is None:
            source = self._source(id)
            return (frozenset((source,)),) if source is not None else ()
        found: set[frozenset[Node]] = set()
        for members in claim.record.justifications:
            sets: set[frozenset[Node]] = {frozenset()}
            for member in members:
                sets = {a | b for a in sets for b in self._sufficient[member]}
                if len(sets) > MOST_ALTERNATIVES:
                    return (frozenset(),)
            found |= sets
        return _smallest(found)

    def _source(self, evidence: Node) -> Node | None:
        self._need(evidence)
        record = self._fold.evidence.get(evidence)
        if record is None:
            return None
        self._need(record.record.revision)
        return self._fold.source_of.get(record.record.revision)

    def _all_sources(self, id: Node) -> set[Node]:
        """The sources under an id, its exposure, its restatements, and the heads that superseded it."""
        found: set[Node] = set()
        waiting, seen = [id], set[Node]()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            self._need(node)
            claim = self._fold.claims.get(node)
            if claim is None:
                source = self._source(node) if node.startswith("ev_") else None
                found |= {source} if source is not None else set()
                continue
            waiting += [m for members in claim.record.justifications for m in members]
            waiting += claim.record.exposure
            for restated in up_to(self._fold.restatements.get(node), None):
                waiting += restated.record.exposure
            supersession = self._fold.supersessions.get(node)
            waiting += [supersession.record.new] if supersession is not None else []
        return found


def _smallest(sets: set[frozenset[Node]]) -> tuple[frozenset[Node], ...]:
    """The sets that contain no other, or one that admits everybody to the gate when there are many."""
    minimal = [s for s in sets if not any(other < s for other in sets)]
    if len(minimal) > MOST_ALTERNATIVES:
        return (frozenset(),)
    return tuple(sorted(minimal, key=sorted))
