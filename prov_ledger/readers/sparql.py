"""A reader over any graph store: the reference that every other reader has to agree with.

Four queries per read at most: the closure and the tenant, its claims, its evidence, their sources. What they
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

    Make one for each time that something is read: what it has fetched, it keeps and does not ask for
    again. Raises QueryError when the store cannot answer, Corrupt when a statement lacks a part.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._fold = Fold()
        self._fetched: set[r.Node] = set()
        self._source_of: dict[r.Node, r.Node] = {}
        self._quoted: dict[r.Node, set[r.Node]] = {}

    def read(self, ids: Sequence[r.Node], as_of: datetime | None = None) -> World:
        """Read the closure of the ids; see ``Reader.read``."""
        gathered = Gathered(self._store.base)
        evidence = {id for id in ids if id.startswith("ev_")}
        claims = {id for id in ids if id.startswith("cl_")}
        # The closure of what was fetched was fetched with it; the tenant comes with the first.
        if not claims <= self._fetched or not self._fold.tenant:
            closure = self._ask("closure", "id", claims - self._fetched)
            gathered.add(closure, rows.TENANT)
            reached = gathered.names(closure, "node")
            evidence |= {id for id in reached if id.startswith("ev_")}
            reached_claims = [id for id in reached if id.startswith("cl_")]
            self._fetch(gathered, "claims", "claim", reached_claims, rows.CLAIMS)
        self._fetch_evidence(gathered, evidence)
        sources = {self._source_of[id] for id in evidence & self._source_of.keys()}
        self._fetch(gathered, "sources", "source", sources, rows.SOURCES)
        self._take(gathered)
        return Closure(self._fold, lambda id: None, as_of).of(ids)

    def evidence_on(
        self, sources: Sequence[r.Node], as_of: datetime | None = None
    ) -> Mapping[r.Node, Recorded[r.EvidenceRecord]]:
        """Read all evidence on the sources; see ``Reader.evidence_on``."""
        gathered = Gathered(self._store.base)
        missing = [id for id in sources if id not in self._quoted]
        if missing:
            self._quoted |= {id: set() for id in missing}
            answer = self._ask("evidence_on", "source", missing)
            for source, evidence in gathered.pairs(answer, "source", "evidence"):
                self._quoted[source].add(evidence)
        wanted = set[r.Node]().union(*(self._quoted[id] for id in sources))
        self._fetch_evidence(gathered, wanted)
        self._take(gathered)
        found = {id: self._fold.evidence[id] for id in wanted}
        return in_recorded_order({id: x for id, x in found.items() if as_of is None or x.at <= as_of})

    def _fetch_evidence(self, gathered: Gathered, evidence: Iterable[r.Node]) -> None:
        answer = self._fetch(gathered, "evidence", "evidence", evidence, rows.EVIDENCE)
        if answer is not None:
            self._source_of |= dict(gathered.pairs(answer, "evidence", "source"))

    def _fetch(
        self, gathered: Gathered, query: str, parameter: str, ids: Iterable[r.Node], pattern: rows.Pattern
    ) -> Rows | None:
        """Gather what was not fetched before; None when that is nothing."""
        missing = sorted(set(ids) - self._fetched)
        if not missing:
            return None
        self._fetched.update(missing)
        answer = self._ask(query, parameter, missing)
        gathered.add(answer, pattern)
        return answer

    def _ask(self, query: str, parameter: str, ids: Iterable[r.Node]) -> Rows:
        base = self._store.base
        text = reader_query(query).bind({parameter: [(Iri(base + id),) for id in ids]})
        return rows.rows_in(self._store.query(text))

    def _take(self, gathered: Gathered) -> None:
        """Decode everything gathered into the fold."""
        instants: dict[str, datetime] = {}
        try:
            for stated in decode_statements(gathered.nodes, self._store.base):
                if isinstance(stated.record, r.EndingRecord):
                    continue
                properties = gathered.nodes[stated.node]
                at = properties[rows.AT][0]
                if at not in instants:
                    instants[at] = instant_of(at)
                self._fold.take(stated, instants[at], int(text_of(properties[rows.SEQUENCE][0])))
        except KeyError as missing:
            raise Corrupt(f"a statement in the graph lacks {missing}: rebuild the graph") from None
