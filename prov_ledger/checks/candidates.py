"""What a conclusion may be derived from anew, when it no longer stands."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf

from prov_ledger.checks.verdict import Judge
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.slots import NEXT, Decision, Verdict
from prov_ledger.model.world import Recorded, World

#: So many are listed at most.
MOST_CANDIDATES = 20
#: In scope, readable, neither corrected nor erased.
_USABLE: frozenset[Verdict] = frozenset({"conflict", "not_authoritative", "unchecked", "citable"})


def wants_candidates(decision: Decision) -> bool:
    """Whether the next step is to derive anew."""
    return NEXT[decision.verdict] == "rederive"


def leaves_of(world: World, id: Node) -> list[Node]:
    """All evidence that an id rests on at any depth, whichever justification; itself for evidence."""
    found: dict[Node, None] = {}
    waiting, seen = [id], set[Node]()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in world.evidence:
            found[node] = None
        elif node in world.claims:
            waiting += [m for members in world.claims[node].record.justifications for m in members]
    return list(found)


def readable_leaves(judge: Judge, id: Node) -> list[Node]:
    """Of the evidence that an id rests on, what this reader may be shown today."""
    return [leaf for leaf in leaves_of(judge.world, id) if judge.is_readable(leaf)]


def sources_under(judge: Judge, id: Node) -> list[Node]:
    """The sources of all evidence that an id rests on and that this reader may be shown today."""
    world = judge.world
    revisions = (world.evidence[leaf].record.revision for leaf in readable_leaves(judge, id))
    return list(dict.fromkeys(world.source_of[rev] for rev in revisions))


def widened(
    world: World,
    evidence: Mapping[Node, Recorded[r.EvidenceRecord]],
    scopes: Mapping[Node, tuple[Recorded[r.ScopeRecord], ...]],
) -> World:
    """The world with further evidence on its sources in it."""
    source_of = dict(world.source_of)
    for history in world.sources.values():
        source_of |= {x.record.id: history.id for x in history.revisions}
    return replace(
        world,
        evidence={**world.evidence, **evidence},
        scopes={**world.scopes, **scopes},
        source_of=source_of,
    )


def revisions_without(judge: Judge, decision: Decision, taken: Iterable[Node]) -> list[Node]:
    """The governing, uncorrected revisions of a claim's sources without those that evidence is taken from."""
    world = judge.world
    used = {*taken, *(world.evidence[id].record.revision for id in readable_leaves(judge, decision.id))}
    return [
        revision
        for source in sources_under(judge, decision.id)
        for revision in sorted(judge.standing(source))
        if revision not in used
    ]


def proposed(judge: Judge, decision: Decision, others: Iterable[Recorded[r.EvidenceRecord]]) -> list[Node]:
    """Evidence that may do to derive anew from, nearest first; ``is_usable`` says which does.

    For a superseded claim the evidence of its head; otherwise the claim's own evidence and ``others``,
    in recorded order: evidence taken from other revisions of its sources. Near is what is of a revision that
    governs, then what lies in its page about where something was cited.
    """
    world = judge.world
    own = readable_leaves(judge, decision.id)
    if decision.verdict == "superseded":
        named = decision.superseded_by
        return leaves_of(world, named) if named is not None else []
    cited = {world.evidence[id].record.revision for id in own}
    places = _Places(world.evidence[id].record for id in own)
    governing = {
        revision for source in sources_under(judge, decision.id) for revision in judge.governing(source)
    }
    found = {x.record.id: x.record for x in others if x.record.revision not in cited}
    near = sorted(found, key=lambda id: (found[id].revision not in governing, places.distance(found[id])))
    return list(dict.fromkeys([*own, *near]))


def is_usable(judge: Judge, evidence: Node) -> bool:
    """Whether evidence is readable, in scope, and neither corrected nor in doubt."""
    return judge.evidence(evidence).verdict in _USABLE


class _Places:
    """Where in their pages some evidence lies: texts by code point, cells by row."""

    def __init__(self, records: Iterable[r.EvidenceRecord]) -> None:
        self._at: dict[type[r.Selector], list[int]] = {}
        for record in records:
            self._at.setdefault(type(record.selector), []).append(_place(record.selector))
        for places in self._at.values():
            places.sort()

    def distance(self, record: r.EvidenceRecord) -> float:
        """How far from the nearest of them evidence lies; infinite where none is of its kind."""
        places, place = self._at.get(type(record.selector), []), _place(record.selector)
        after = bisect_left(places, place)
        return min((abs(place - x) for x in places[max(after - 1, 0) : after + 1]), default=inf)


def _place(selector: r.Selector) -> int:
    return selector.start if isinstance(selector, r.TextPosition) else selector.row
