"""Under which scopes support holds: one scope for each choice among alternatives, up to a limit."""

from collections.abc import Iterable, Sequence
from itertools import islice, product

from prov_ledger.checks.verdict import Judge
from prov_ledger.errors import Refused
from prov_ledger.model.facts import FactTable
from prov_ledger.model.records import Node
from prov_ledger.model.scopes import Scope, intersect

#: Choices among the alternatives of support that are looked at.
MOST_ALTERNATIVES = 64


class SupportScopes:
    """The scopes of claims and evidence of one world, each computed once, those that others rest on first."""

    def __init__(self, judge: Judge, table: FactTable) -> None:
        self._judge, self._table = judge, table
        self._claims: dict[Node, list[Scope]] = {}

    def alternatives(self, members: Sequence[Node]) -> list[Scope] | Refused:
        """The scopes under which all members hold; a refusal ``bad_scope`` when there is none."""
        for member in members:
            for claim in self._judge.support_first(member):
                if claim not in self._claims:
                    self._claims[claim] = self._of_claim(claim)
        return self._combined(members)

    def _combined(self, members: Sequence[Node]) -> list[Scope] | Refused:
        choices = [self._of(member) for member in members]
        found: dict[Scope, None] = {}
        refusal: Refused | None = None
        for chosen in islice(product(*choices), MOST_ALTERNATIVES):
            try:
                found[self._intersection(chosen)] = None
            except Refused as refused:
                refusal = refused
        return list(found) or refusal or [Scope()]

    def _intersection(self, scopes: Iterable[Scope]) -> Scope:
        """One scope for all; each different one is taken in once."""
        whole = Scope()
        for scope in dict.fromkeys(scopes):
            whole = intersect(whole, scope, self._table)
        return whole

    def _of(self, id: Node) -> list[Scope]:
        return [self._judge.scope(id)] if id.startswith("ev_") else self._claims[id]

    def _is_lost(self, id: Node) -> bool:
        """Whether nothing rests on a member any more: it is erased, expired, or its entry pruned."""
        world = self._judge.world
        return id in self._judge.asked.gone or not (id in world.evidence or id in world.claims)

    def _of_claim(self, id: Node) -> list[Scope]:
        record = self._judge.world.claims[id].record
        found: dict[Scope, None] = {}
        for members in record.justifications:
            if any(map(self._is_lost, members)):
                continue
            scopes = self._combined(members)
            found |= {} if isinstance(scopes, Refused) else dict.fromkeys(scopes)
        kept = list(found)[:MOST_ALTERNATIVES]
        if record.narrow is None:
            return kept
        narrowed = []
        for scope in kept:
            try:
                narrowed.append(intersect(scope, record.narrow, self._table))
            except Refused:
                continue
        return narrowed
