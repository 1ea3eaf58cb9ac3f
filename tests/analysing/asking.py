"""A ledger with something in it, queries that never end or want all memory, and waiting without sleep."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.analysing.rendering import CSV
from prov_ledger.queries.guard import Kind

#: A join that no deadline outlasts, over any graph with a few dozen triples.
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " . ".join(f"?a{i} ?b{i} ?c{i}" for i in range(9)) + " }"
#: As text and as seconds: a deadline that no answer of a test needs, and one that ends a query soon.
LONG_S, SHORT_S = 60.0, 0.5

BOMBS = {
    "sorting": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?l ?a",
    "grouping": "SELECT ?a ?d ?g (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } "
    "GROUP BY ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l",
    "distinct": "SELECT DISTINCT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } OFFSET 1000000000",
    "doubling": "SELECT (STRLEN(?v39) AS ?n) { BIND('xxxxxxxxxxxxxxxx' AS ?v0) "
    + " ".join(f"BIND(CONCAT(?v{i}, ?v{i}) AS ?v{i + 1})" for i in range(39))
    + " }",
    "concatenating": "SELECT (STRLEN(GROUP_CONCAT(?all)) AS ?n) "
    "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . BIND(CONCAT(STR(?a), STR(?d), STR(?g)) AS ?all) . ?j ?k ?l }",
    "replacing": "SELECT (STRLEN(REPLACE(REPLACE(REPLACE(?x, 'x', ?x), 'x', ?x), 'x', ?x)) AS ?n) "
    "{ BIND('" + "x" * 2000 + "' AS ?x) }",
}


def as_csv(kind: Kind) -> str:
    return CSV


def make_ledger(folder: Path, revisions: int = 6) -> Ledger:
    ledger = Ledger.init(folder, facts={"purchase_date": "date"})
    source = ledger.source(native="wiki:returns", title="Returns policy")
    for number in range(revisions):
        ledger.revision(source, data=f"Goods may be returned within {number} days.", label=str(number))
    return ledger


def becomes(holds: Callable[[], bool], within_s: float = 20.0) -> bool:
    """Whether something comes to hold in time."""
    over = threading.Event()
    for _ in range(int(within_s / 0.02)):
        if holds():
            return True
        over.wait(0.02)
    return holds()


def is_running(pid: int) -> bool:
    """Whether a process is there, and no zombie that only waits to be told of."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def end_group(pid: int) -> None:
    """Kill a process of this test's own."""
    if is_running(pid):
        os.kill(pid, 9)
