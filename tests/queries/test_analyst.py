"""Each analyst query returns the rows that brute force finds, on every backend."""

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import pytest
from backends import MakeStore
from random_world import DAYS, START, RandomWorld
from twins import Cells, Twin

from prov_ledger.model.facts import FactValue
from prov_ledger.queries import analyst
from prov_ledger.queries.binding import load_query, query_names
from prov_ledger.rdf.terms import Literal, Term
from prov_ledger.store.port import GraphStore, Rows

SEEDS = range(8)
Asked = tuple[Rows, set[Cells]]
Ask = Callable[[GraphStore, RandomWorld, Twin], list[Asked]]


def _chain(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    return [(analyst.derivation_chain(s, ids), t.derivation_chain(ids)) for ids in _subsets(w, "cl")]


def _rests(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    return [(analyst.rests_on(s, ids), t.rests_on(ids)) for ids in _subsets(w, "rev", "ev", "cl")]


def _stale(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    every = (analyst.stale_in_threads(s), t.stale_in_threads(w.threads))
    return [every, *((analyst.stale_in_threads(s, [x]), t.stale_in_threads([x])) for x in w.threads)]


def _ending(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    nows = [w.instant() for _ in range(3)]
    return [(analyst.ending_soon(s, now=n, days=20, zone="UTC"), t.ending_soon(n, 20)) for n in nows]


def _unused(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    every = (analyst.unused_evidence(s), t.unused_evidence(w.ids["src"]))
    return [every, *((analyst.unused_evidence(s, i), t.unused_evidence(i)) for i in _subsets(w, "src"))]


def _applicability(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    claims = w.ids["cl"]
    given: list[dict[str, FactValue]] = [{}, *(_facts(w) for _ in range(4))]
    return [(analyst.applicability(s, claims, facts), t.applicability(claims, facts)) for facts in given]


def _facts(w: RandomWorld) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {
        "purchase_date": date(2026, 1, 1) + timedelta(days=w.rng.randrange(DAYS)),
        "shipped_at": START + timedelta(days=w.rng.randrange(DAYS)),
        "total": Decimal(w.rng.randrange(22)) / 2,
        "region": w.rng.choice(["DE", "FR", "NL"]),
        "order": "88-1417",
    }
    return {name: facts[name] for name in w.rng.sample(sorted(facts), w.rng.randrange(1, 6))}


def _state(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    at, some = w.instant(), w.ids["cl"][:4]
    return [
        (analyst.state_as_of(s, at), t.state_as_of(at, w.ids["cl"])),
        (analyst.state_as_of(s, at, some), t.state_as_of(at, some)),
    ]


def _statements(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    nodes = [name for names in w.ids.values() for name in names]
    return [
        (analyst.statements_as_of(s, nodes, at), t.statements_as_of(nodes, at))
        for at in (w.instant(), w.instant())
    ]


def _who(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    first = w.instant()
    last, some = first + timedelta(days=30), w.agents[:1]
    return [
        (analyst.who_concluded(s, first, last), t.who_concluded(first, last, w.agents)),
        (analyst.who_concluded(s, first, last, some), t.who_concluded(first, last, some)),
    ]


def _how(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    return [(analyst.how_concluded(s, ids), t.how_concluded(ids)) for ids in _subsets(w, "cl")]


def _single(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    return [(analyst.single_source(s, ids), t.single_source(ids)) for ids in _subsets(w, "src")]


def _unchecked(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    befores = [w.instant() for _ in range(3)]
    return [(analyst.unchecked_sources(s, before), t.unchecked_sources(before)) for before in befores]


def _exposed(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    chosen = _subsets(w, "src", "rev", "ev")
    return [(analyst.words_exposed_to(s, ids), t.words_exposed_to(ids)) for ids in chosen]


def _contradictions(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    some = w.ids["cl"][:5]
    return [
        (analyst.contradictions(s), t.contradictions(w.ids["cl"])),
        (analyst.contradictions(s, some), t.contradictions(some)),
    ]


def _successors(s: GraphStore, w: RandomWorld, t: Twin) -> list[Asked]:
    return [(analyst.successors(s, w.ids["cl"]), t.successors(w.ids["cl"]))]


def _subsets(w: RandomWorld, *kinds: str) -> list[list[str]]:
    """Nothing, one, some and all of the ids of some kinds."""
    pool = [name for kind in kinds for name in w.ids[kind]]
    return [[], pool[:1], w.rng.sample(pool, len(pool) // 2), pool]


ASKED: dict[str, Ask] = {
    "applicability": _applicability,
    "contradictions": _contradictions,
    "derivation_chain": _chain,
    "ending_soon": _ending,
    "how_concluded": _how,
    "rests_on": _rests,
    "single_source": _single,
    "stale_in_threads": _stale,
    "state_as_of": _state,
    "statements_as_of": _statements,
    "successors": _successors,
    "unchecked_sources": _unchecked,
    "unused_evidence": _unused,
    "who_concluded": _who,
    "words_exposed_to": _exposed,
}


@pytest.mark.parametrize("name", sorted(ASKED))
def test_a_query_finds_what_brute_force_finds(new_store: MakeStore, name: str) -> None:
    found = 0
    for seed in SEEDS:
        world, store = RandomWorld(seed), new_store()
        store.load(world.leaves(store.base))
        for rows, expected in ASKED[name](store, world, Twin(world, store.base)):
            assert Counter(rows.rows) == Counter(expected), f"seed {seed}"
            assert rows.variables == load_query(name).returns
            _check_order(rows, load_query(name).order)
            found += len(rows.rows)
    assert found > len(SEEDS), "the random ledgers give this query too little to find"


def _check_order(rows: Rows, order: str) -> None:
    columns = [rows.variables.index(name.strip()) for name in order.split(",")]
    keys = [tuple(_key(row[column]) for column in columns) for row in rows.rows]
    if not any(isinstance(part, tuple) for key in keys for part in key):
        assert keys == sorted(keys)


def _key(term: Term | None) -> object:
    if isinstance(term, Literal):
        return term.lexical if term.lexical.endswith("Z") else (term.lexical,)
    return getattr(term, "value", "")


def test_every_analyst_query_has_a_twin() -> None:
    library = {name for name in query_names() if hasattr(analyst, name)}
    assert library == set(ASKED)
