"""Permission labels: which sources suffice to read an id, kept so that a gate needs nothing else.

What is erased suffices for nothing; where a source is under a retention rule, it suffices until the
revision expires. What fails the gate is withheld with nothing further read, and an id that does not
exist is taken through the same steps with the label of something else that this reader was refused: how
long a refusal takes tells nothing of its cause. Where labels are made as they are asked for, one is
made for such an id too.
"""

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from prov_ledger.authz.removals import Removals
from prov_ledger.authz.roster import FOREVER
from prov_ledger.model.records import Node
from prov_ledger.readers.fold import Fold, up_to

#: More alternatives than this pass the gate and are decided by what is read behind it.
MOST_ALTERNATIVES = 16


@dataclass(frozen=True, slots=True)
class Label:
    """``sufficient``: sets of sources, each enough to read the id until an instant. ``sources``: all that
    a decision sees. ``of`` is an id that has it.
    """

    sufficient: tuple[tuple[frozenset[Node], datetime], ...]
    sources: frozenset[Node]
    of: Node = field(default="", compare=False)

    def admits(self, readable: frozenset[Node], now: datetime) -> bool:
        """Whether the readable sources suffice now."""
        return any(now < until and sources <= readable for sources, until in self.sufficient)


NOTHING = Label((), frozenset())
#: How many labels that a reader was refused are kept for the ids that do not exist.
MOST_REFUSED = 1024
#: For how many ids, each counted for every reader who asked for it, it is kept which label stands for it.
MOST_ASKED = 65_536


_NOTHING_REMOVED = Removals()
_NONE_ASKED: frozenset[Node] = frozenset()


def nothing_removed() -> Removals:
    """For a fold that stands alone: nothing is erased, and nothing expires."""
    return _NOTHING_REMOVED


class Labels:
    """The labels of claims and evidence over one fold; equal ones are kept once."""

    def __init__(
        self, fold: Fold, need: Callable[[Node], None], removals: Callable[[], Removals] = nothing_removed
    ) -> None:
        self._fold, self._need, self._removals = fold, need, removals
        self._sufficient: dict[Node, tuple[frozenset[Node], ...]] = {}
        self._alike: dict[tuple[frozenset[Node], ...], tuple[frozenset[Node], ...]] = {}
        self._labels: dict[Node, Label] = {}
        self._shared: dict[Label, Label] = {}
        self._any: list[Label] = []
        self._refused: dict[Node | None, list[Label]] = {}
        self._pooled: set[tuple[Node, Node | None]] = set()
        self._asked: dict[Node | None, dict[Node, tuple[Label, bool]]] = {}
        self._kept = 0
        self._absent: set[Node] = set()
        self._state = (0, 0)
        self._losses = 0
        #: Whether every id that there is has its label.
        self.complete = False

    def __len__(self) -> int:
        return len(self._labels)

    def gates(
        self, ids: Iterable[Node], as_of: datetime | None, reader: Node | None = None
    ) -> list[tuple[Node, Label, bool]]:
        """For each id the label to ask about, and whether it is the id's own; a decoy where there is none.

        It is found once for each reader, and then looked up alike whether the id exists or not.
        """
        self._look_again()
        if as_of is not None:
            return [(id, *self._found(id, as_of, reader)) for id in ids]
        asked = self._asked.setdefault(reader, {})
        pool = self._refused.get(reader) or self._any
        found: list[tuple[Node, Label, bool]] = []
        for id in ids:
            own, exists = asked.get(id) or self._ask(id, reader, asked)
            decoy = pool[hash(id) % len(pool)] if pool else NOTHING
            found.append((id, own if exists else decoy, exists))
        return found

    def asked_by(self, reader: Node | None) -> Container[Node]:
        """Ids that this reader asked for before, whether they exist or not."""
        return self._asked.get(reader, _NONE_ASKED)

    def _ask(
        self, id: Node, reader: Node | None, asked: dict[Node, tuple[Label, bool]]
    ) -> tuple[Label, bool]:
        """Look for the label of an id that this reader asks for first, and keep what was found."""
        if self._kept >= MOST_ASKED:
            self._forget_asked()
        self._kept += 1
        found = asked[id] = self._found(id, None, reader)
        if not found[1]:
            self._absent.add(id)
        return found

    def _look_again(self) -> None:
        """Forget labels that something recorded since then may have changed."""
        losses = self._removals().losses
        if losses != self._losses:
            self._forget_removed(losses)
        state = (len(self._fold.supersessions), len(self._fold.restatements))
        if state != self._state:
            self._labels.clear()
            self._forget_asked()
            self._state, self.complete = state, False

    def _forget_removed(self, losses: int) -> None:
        """What is erased or under another rule now must not be admitted, or asked about, as before."""
        for known in (self._sufficient, self._labels, self._shared, self._any, self._refused, self._pooled):
            known.clear()
        self._forget_asked()
        self._losses, self.complete = losses, False

    def _forget_asked(self) -> None:
        self._asked.clear()
        self._absent.clear()
        self._kept = 0

    def make_all(self) -> None:
        """Make the labels of all claims and evidence, so that none has to be made when it is asked for."""
        self._look_again()
        for id in [*self._fold.evidence, *self._fold.claims]:
            self._label(id)
        self._state = (len(self._fold.supersessions), len(self._fold.restatements))
        self.complete = True

    def recorded(self, ids: Collection[Node], make: bool) -> None:
        """Know that claims and evidence were just recorded; ``make`` their labels where all are made."""
        if not self._absent.isdisjoint(ids):
            self._forget_asked()
        for id in ids if make else ():
            self._label(id)

    def _decoy(self, id: Node, reader: Node | None) -> Label:
        """What stands for an id that does not exist: mostly the same, so that it takes the same time."""
        pool = self._refused.get(reader) or self._any
        return pool[hash(id) % len(pool)] if pool else NOTHING

    def _found(self, id: Node, as_of: datetime | None, reader: Node | None) -> tuple[Label, bool]:
        decoy = self._decoy(id, reader)
        own = self._labels.get(id)
        if own is None and not self.complete:
            own = self._label(id)
            if own is None and decoy.of:
                self._made(decoy.of)
        if own is None or (as_of is not None and not self._recorded(id, as_of)):
            return decoy, False
        return own, True

    def refuse(self, label: Label, reader: Node | None) -> None:
        """Remember a label that a reader was refused: what does not exist is refused like it."""
        key = (label.of, reader)
        pool = self._refused.setdefault(reader, [])
        if key not in self._pooled and len(pool) < MOST_REFUSED:
            pool.append(label)
            self._pooled.add(key)

    def _recorded(self, id: Node, as_of: datetime | None) -> bool:
        found = self._fold.claims.get(id) or self._fold.evidence.get(id)
        return found is not None and (as_of is None or found.at <= as_of)

    def _label(self, id: Node) -> Label | None:
        self._need(id)
        if id not in self._fold.claims and id not in self._fold.evidence:
            return None
        label = self._made(id)
        known = self._shared.get(label)
        if known is None:
            known = self._shared[label] = label
            self._any.append(label)
        self._labels[id] = known
        return known

    def _made(self, id: Node) -> Label:
        sets = self._sets(id)
        return Label(tuple(map(self._until, sets)), frozenset(self._all_sources(id)), id)

    def _until(self, needed: frozenset[Node]) -> tuple[frozenset[Node], datetime]:
        """The sources of a sufficient set, and when the first of the revisions beside them expires."""
        if not self._removals().retention:
            return needed, FOREVER
        limited = frozenset(node for node in needed if node.startswith("rev_"))
        return needed - limited, min(map(self._end_of, limited), default=FOREVER)

    def _end_of(self, revision: Node) -> datetime:
        """When a revision expires by the rules that are known; what is recorded later does not move it."""
        source = self._fold.source_of[revision]
        self._need(source)
        history = self._fold.history(source, None)
        end = self._removals().revision_end(history, revision) if history is not None else None
        return FOREVER if end is None else end

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
                found = self._combined(node)
                self._sufficient[node] = self._alike.setdefault(found, found)
        return self._sufficient[id]

    def _members(self, id: Node) -> Iterable[Node]:
        self._need(id)
        claim = self._fold.claims.get(id)
        return [m for members in claim.record.justifications for m in members] if claim else []

    def _combined(self, id: Node) -> tuple[frozenset[Node], ...]:
        claim = self._fold.claims.get(id)
        if self._removals().is_erased(id):
            return ()
        if claim is None:
            return self._enough_for(id)
        found: set[frozenset[Node]] = set()
        for members in claim.record.justifications:
            sets: set[frozenset[Node]] = {frozenset()}
            for member in members:
                sets = {a | b for a in sets for b in self._sufficient[member]}
                if len(sets) > MOST_ALTERNATIVES:
                    return (frozenset(),)
            found |= sets
        return _smallest(found)

    def _enough_for(self, evidence: Node) -> tuple[frozenset[Node], ...]:
        """What suffices to read an evidence item: nothing where its revision or source is erased."""
        source, removals = self._source(evidence), self._removals()
        if source is None:
            return ()
        revision = self._fold.evidence[evidence].record.revision
        if removals.is_erased(revision) or removals.is_erased(source):
            return ()
        if removals.retention:
            self._need(source)
        collection = self._fold.sources[source].record.collection if source in self._fold.sources else None
        limited = removals.retention.covers(source, collection)
        return (frozenset((source, revision) if limited else (source,)),)

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
