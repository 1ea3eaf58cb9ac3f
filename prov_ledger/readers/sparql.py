"""A reader over any graph store: the reference that every other reader has to agree with.

Four queries per read: the closure and the tenant, its claims, its evidence, their sources. What they
bring may be more than a past time saw; the walk that every reader shares leaves that out.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib import resources

from prov_ledger.errors import Corrupt
from prov_ledger.model import records as r
from prov_ledger.model.world import Recorded, World
from prov_ledger.queries.binding import NamedQuery, parse_query
from prov_ledger.rdf.decode import decode_statements
from prov_ledger.rdf.decoder import instant_of, text_of
from prov_ledger.rdf.terms import Iri
from prov_ledger.readers import rows
from prov_ledger.readers.closure import Closure
from prov_ledger.readers.fold import Fold, in_recorded_order
from prov_ledger.readers.rows import Gathered
from prov_ledger.store.port import GraphStore, Rows


@functools.cache
def reader_query(name: str) -> NamedQuery:
    """A query file of this reader: ``closure``, ``claims``, ``evidence``, ``sources``, ``evidence_on``."""
    file = resources.files("prov_ledger.readers").joinpath(f"queries/{name}.rq")
    return parse_query(name, file.read_text(encoding="utf-8"))


class SparqlReader:
    """Answers from a graph that holds every entry of the journal; see ``Reader`` for the contract.

    Keeps nothing between calls. Raises QueryError when the store cannot answer.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def read(self, ids: Sequence[r.Node], as_of: datetime | None = None) -> World:
        """Read the closure of the ids; see ``Reader.read``."""
        gathered = Gathered(self._store.base)
        closure = self._ask("closure", "id", [id for id in ids if id.startswith(("cl_", "ev_"))])
        gathered.add(closure, rows.TENANT)
        nodes = gathered.names(closure, "node")
        claims = [id for id in nodes if id.startswith("cl_")]
        gathered.add(self._ask("claims", "claim", claims), rows.CLAIMS)
        sources = self._add_evidence(gathered, [id for id in nodes if id.startswith("ev_")])
        gathered.add(self._ask("sources", "source", sources), rows.SOURCES)
        return Closure(_fold(gathered, self._store.base), lambda id: None, as_of).of(ids)

    def evidence_on(
        self, sources: Sequence[r.Node], as_of: datetime | None = None
    ) -> Mapping[r.Node, Recorded[r.EvidenceRecord]]:
        """Read all evidence on the sources; see ``Reader.evidence_on``."""
        gathered = Gathered(self._store.base)
        quoted = self._ask("evidence_on", "source", sources)
        self._add_evidence(gathered, gathered.names(quoted, "evidence"))
        found = _fold(gathered, self._store.base).evidence
        return in_recorded_order({id: x for id, x in found.items() if as_of is None or x.at <= as_of})

    def _add_evidence(self, gathered: Gathered, evidence: Sequence[r.Node]) -> list[r.Node]:
        """Gather evidence; gives the sources that it is from."""
        answer = self._ask("evidence", "evidence", evidence)
        gathered.add(answer, rows.EVIDENCE)
        return gathered.names(answer, "source")

    def _ask(self, query: str, parameter: str, ids: Iterable[r.Node]) -> Rows:
        base = self._store.base
        text = reader_query(query).bind({parameter: [(Iri(base + id),) for id in ids]})
        return rows.rows_in(self._store.query(text))


def _fold(gathered: Gathered, base: str) -> Fold:
    """Everything gathered, decoded and by subject. Raises Corrupt where a statement lacks a part."""
    fold = Fold()
    instants: dict[str, datetime] = {}
    try:
        for stated in decode_statements(gathered.nodes, base):
            if isinstance(stated.record, r.EndingRecord):
                continue
            properties = gathered.nodes[stated.node]
            at = properties[rows.AT][0]
            if at not in instants:
                instants[at] = instant_of(at)
            fold.take(stated, instants[at], int(text_of(properties[rows.SEQUENCE][0])))
    except KeyError as missing:
        raise Corrupt(f"a statement in the graph lacks {missing}: rebuild the graph") from None
    return fold
