"""SPARQL over the tenant's graph, with text joined afterwards for a reader who may see it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from prov_ledger.errors import QueryError
from prov_ledger.ledger.disclosing import Disclosing, described
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.threads import Threads
from prov_ledger.model.ids import looks_like_id
from prov_ledger.model.records import Node
from prov_ledger.queries import guard
from prov_ledger.queries.binding import load_query
from prov_ledger.queries.parameters import parse_parameters
from prov_ledger.rdf.terms import Iri, Literal, Term
from prov_ledger.store.port import Answer, Rows, graph_iri

#: What has a name: groups, collections, purposes and agents.
_NAMED = ("grp_", "col_", "pur_", "agt_")


class Queries:
    """The verbs ``sparql`` and ``named_query``."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def sparql(
        self, acting: Acting, text: str, columns: Sequence[str] = (), timeout: float | None = None
    ) -> Answer:
        """Answer a caller's query. Raises QueryError; Refused ``denied`` without a role for it."""
        self.session.check_role(acting.agent, "sparql")
        guard.check_query(text)
        guard.check_dataset(text, graph_iri(self.tenant.base))
        with guard.placing_errors(text):
            return self.run(acting, guard.with_prefixes(text), columns, timeout)

    def named(
        self,
        acting: Acting,
        name: str,
        parameters: Mapping[str, str],
        columns: Sequence[str] = (),
        timeout: float | None = None,
    ) -> Answer:
        """Answer one of the library's queries; parameters are written as at a prompt.

        A thread goes by its name as well, for who takes part in it or may read names.
        Raises QueryError for a query or a parameter that there is not, Refused for an ill-typed value.
        """
        self.session.check_role(acting.agent, "sparql")
        query = load_query(name)
        table, now = self.tenant.state.reader.table(), self.tenant.now()
        if "thread" in parameters:
            parameters = {**parameters, "thread": self._thread(acting, parameters["thread"])}
        rows = parse_parameters(query, parameters, base=self.tenant.base, table=table, now=now)
        return self.run(acting, query.bind(rows), columns, timeout)

    def _thread(self, acting: Acting, named: str) -> str:
        """The id of a thread that is named; any other text as it is, to be read as ids."""
        id = self.session.find_name("thread", named)
        if id is None:
            return named
        return id if self.session.may_read_names(acting) else Threads(self.session).require(acting, named).id

    def run(
        self, acting: Acting, text: str, columns: Sequence[str] = (), timeout: float | None = None
    ) -> Answer:
        """Answer a query that is known to be one, and join text to some of its columns."""
        answer = self.tenant.graph.current().query(text, timeout=timeout)
        if not columns:
            return answer
        if not isinstance(answer, Rows):
            raise QueryError("text is joined to the columns of a SELECT; this query has none")
        return self.join(acting, answer, columns)

    def join(self, acting: Acting, rows: Rows, columns: Sequence[str]) -> Rows:
        """Join text to some columns of a result, for a reader who may see it; that is recorded first."""
        disclosing = Disclosing(self.session)
        with self.tenant.lock:
            self.tenant.begin()
            joined, texts = self._joined(acting, rows, columns)
            showing = disclosing.about_to_show(acting, described(id for id, text in texts.items() if text))
        disclosing.record(showing)
        return joined

    def _joined(self, acting: Acting, rows: Rows, columns: Sequence[str]) -> tuple[Rows, dict[Node, str]]:
        """The rows with the texts of some columns, and these texts by id."""
        missing = [column for column in columns if column not in rows.variables]
        if missing:
            raise QueryError(f"the query has no column ?{missing[0]}: it has {', '.join(rows.variables)}")
        places = [rows.variables.index(column) for column in columns]
        ids = {self._id(row[place]) for row in rows.rows for place in places}
        texts = self._texts(acting, {id for id in ids if id is not None})
        widened = [
            (*row, *(_literal(texts.get(self._id(row[place]) or "")) for place in places))
            for row in rows.rows
        ]
        names = tuple(f"{column}_text" for column in columns)
        return replace(rows, variables=(*rows.variables, *names), rows=tuple(widened)), texts

    def _id(self, term: Term | None) -> Node | None:
        if not isinstance(term, Iri) or not term.value.startswith(self.tenant.base):
            return None
        name = term.value[len(self.tenant.base) :]
        return name if looks_like_id(name) and "#" not in name else None

    def _texts(self, acting: Acting, ids: Iterable[Node]) -> dict[Node, str]:
        """The texts of ids that the reader may see; one permission batch for all of them."""
        found: dict[Node, str] = {}
        wanted = sorted(ids)
        reader = self.tenant.state.reader
        world = reader.read([id for id in wanted if id.startswith(("cl_", "ev_"))])
        judge = self.session.judge(acting, world)
        sources = {id: self._source(id) for id in wanted if id.startswith(("src_", "rev_"))}
        pairs = []
        for source in {s for s in sources.values() if s is not None}:
            history = reader.history(source)
            pairs.append((source, history.source.record.collection if history else None))
        allowed = self.session.readable(acting, pairs, self.tenant.now())
        names = self.session.may_read_names(acting)
        for id in wanted:
            if id in sources:
                told = sources[id] in allowed and not (
                    id.startswith("rev_") and self.session.is_revision_gone(id)
                )
            elif id in world.claims:
                told = judge.decide(id).verdict != "withheld" and judge.words(id)
            elif id in world.evidence:
                told = judge.decide(id).verdict != "withheld"
            else:
                told = names and id.startswith(_NAMED) and not self.tenant.state.removals.is_erased(id)
            if told:
                found[id] = self.sources.describe(id)
        return found

    def _source(self, id: Node) -> Node | None:
        return id if id.startswith("src_") else self.tenant.state.reader.source_of(id)


def _literal(text: str | None) -> Term | None:
    return Literal(text) if text is not None else None
