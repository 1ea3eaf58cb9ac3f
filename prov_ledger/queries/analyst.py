"""The analyst's library: a typed function for each query file, and one call that runs any by name.

Each returns the rows of its file, in the file's order; ids go in without the base, nodes come out
as IRIs. Texts are never among them (they are not in the graph).
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from prov_ledger.errors import QueryError
from prov_ledger.model.facts import FactTable, FactValue
from prov_ledger.queries.binding import Row, load_query
from prov_ledger.queries.parameters import (
    day_rows,
    fact_rows,
    id_rows,
    instant_rows,
    interval_rows,
    parse_parameters,
)
from prov_ledger.store.port import GraphStore, Rows

#: Ids, without the base; None where the parameter may be left out.
Ids = Iterable[str]


def run_query(
    store: GraphStore, name: str, values: Mapping[str, Iterable[Row]], timeout: float | None = None
) -> Rows:
    """Run the query file ``name`` with rows of terms; raises QueryError as the store does."""
    answer = store.query(load_query(name).bind(values), timeout=timeout)
    if not isinstance(answer, Rows):
        raise QueryError(f"{name} is not a SELECT")
    return answer


def run_named(
    store: GraphStore,
    name: str,
    typed: Mapping[str, str],
    *,
    table: FactTable,
    now: datetime,
    timeout: float | None = None,
) -> Rows:
    """Run a query with parameters as typed at a prompt (see ``parse_parameters``)."""
    rows = parse_parameters(load_query(name), typed, base=store.base, table=table, now=now)
    return run_query(store, name, rows, timeout)


def _optional(store: GraphStore, name: str, ids: Ids | None) -> dict[str, list[Row]]:
    return {} if ids is None else {name: id_rows(store.base, ids)}


def derivation_chain(store: GraphStore, claims: Ids) -> Rows:
    """The derivation chain of claims down to their sources: ``claim, node, relation, next``."""
    return run_query(store, "derivation_chain", {"claim": id_rows(store.base, claims)})


def rests_on(store: GraphStore, nodes: Ids) -> Rows:
    """Everything that rests on a revision, an evidence item or a claim: ``node, dependent``."""
    return run_query(store, "rests_on", {"node": id_rows(store.base, nodes)})


def stale_in_threads(store: GraphStore, threads: Ids | None = None) -> Rows:
    """Superseded claims that a thread still holds: ``thread, reminder, claim, successor``."""
    return run_query(store, "stale_in_threads", _optional(store, "thread", threads))


def ending_soon(store: GraphStore, *, now: datetime, days: int, zone: str) -> Rows:
    """Standing claims with a period under them that ends within ``days``: ``claim, of, fact, until``.

    Today's date is taken in ``zone``.
    """
    return run_query(store, "ending_soon", {"days": day_rows(now, days, zone)})


def unused_evidence(store: GraphStore, sources: Ids | None = None) -> Rows:
    """Evidence that no claim was ever based on: ``evidence, source``."""
    return run_query(store, "unused_evidence", _optional(store, "source", sources))


def applicability(store: GraphStore, claims: Ids, facts: Mapping[str, FactValue]) -> Rows:
    """How each condition under claims fares with facts: ``claim, of, fact, condition, outcome``."""
    values = {"claim": id_rows(store.base, claims), "facts": fact_rows(store.base, facts)}
    return run_query(store, "applicability", values)


def state_as_of(store: GraphStore, at: datetime, claims: Ids | None = None) -> Rows:
    """The claims that stood at a time, as recorded by then: ``claim, recorded``."""
    return run_query(store, "state_as_of", {"at": instant_rows(at), **_optional(store, "claim", claims)})


def statements_as_of(store: GraphStore, nodes: Ids, at: datetime) -> Rows:
    """The latest statements about nodes at a time: ``node, statement, kind, recorded``."""
    return run_query(store, "statements_as_of", {"node": id_rows(store.base, nodes), "at": instant_rows(at)})


def who_concluded(store: GraphStore, first: datetime, last: datetime, agents: Ids | None = None) -> Rows:
    """Who concluded what from what in [first, last): ``claim, agent, at, plan, support``."""
    values = {"interval": interval_rows(first, last), **_optional(store, "agent", agents)}
    return run_query(store, "who_concluded", values)


def how_concluded(store: GraphStore, claims: Ids) -> Rows:
    """How claims were concluded: ``claim, agent, at, plan, support``."""
    return run_query(store, "how_concluded", {"claim": id_rows(store.base, claims)})


def single_source(store: GraphStore, sources: Ids) -> Rows:
    """Claims that rest on one of the sources and on no other: ``source, claim``."""
    return run_query(store, "single_source", {"source": id_rows(store.base, sources)})


def unchecked_sources(store: GraphStore, before: datetime) -> Rows:
    """Sources not confirmed since ``before``, or that failed later: ``source, confirmed, failed``."""
    return run_query(store, "unchecked_sources", {"before": instant_rows(before)})


def words_exposed_to(store: GraphStore, nodes: Ids) -> Rows:
    """Claims whose words were written with a node before the writer: ``node, claim``."""
    return run_query(store, "words_exposed_to", {"node": id_rows(store.base, nodes)})


def contradictions(store: GraphStore, claims: Ids | None = None) -> Rows:
    """Pairs recorded as contradicting, both still standing, each way round: ``claim, other``."""
    return run_query(store, "contradictions", _optional(store, "claim", claims))


def successors(store: GraphStore, claims: Ids) -> Rows:
    """All that replaced claims: ``claim, successor, retraction``."""
    return run_query(store, "successors", {"claim": id_rows(store.base, claims)})
