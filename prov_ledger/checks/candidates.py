"""What a conclusion may be derived from anew, when it no longer stands."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from prov_ledger.checks.verdict import Judge
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.model.slots import NEXT, Decision, Verdict
from prov_ledger.model.world import Recorded, World

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


def revisions_without(judge: Judge, decision: Decision, chosen: Iterable[Node]) -> list[Node]:
    """The governing, uncorrected revisions of a claim's sources of which no candidate was taken yet."""
    world = judge.world
    used = {world.evidence[id].record.revision for id in [*chosen, *readable_leaves(judge, decision.id)]}
    return [
        revision
        for source in sources_under(judge, decision.id)
        for revision in sorted(judge.standing(source))
        if revision not in used
    ]


def candidate_evidence(judge: Judge, decision: Decision, others: Iterable[Node]) -> list[Node]:
    """Evidence to derive anew from, in scope for this reader and question.

    For a superseded claim the evidence of its head; otherwise the claim's own evidence and
    ``others``: evidence taken from other revisions of its sources.
    """
    world = judge.world
    own = readable_leaves(judge, decision.id)
    if decision.verdict == "superseded":
        named = decision.superseded_by
        pool: Iterable[Node] = leaves_of(world, named) if named is not None else ()
    else:
        cited = {world.evidence[id].record.revision for id in own}
        pool = [*own, *(id for id in others if world.evidence[id].record.revision not in cited)]
    return [id for id in dict.fromkeys(pool) if judge.evidence(id).verdict in _USABLE]
