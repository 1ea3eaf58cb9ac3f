"""SPARQL from afar: a query of one's own, or one of the library, bound here and answered there."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlencode

from prov_ledger.client.calls import Remote, asked
from prov_ledger.client.transport import Reply
from prov_ledger.errors import ProvLedgerError, QueryError, Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.queries.binding import load_query
from prov_ledger.queries.parameters import parse_parameters
from prov_ledger.store.port import Answer, Triples
from prov_ledger.store.results import answer_of_json, parse_triples

_ROWS, _TRIPLES = "application/sparql-results+json", "application/n-triples"
#: The header that says that an answer was cut at a limit of the service.
_CUT = "prov-ledger-cut"


class Asking(Remote):
    """The verbs ``sparql`` and ``named_query``; answers may be as old as the service says."""

    facts = asked("facts", Ledger.facts)

    def sparql(
        self,
        text: str,
        *,
        text_columns: Sequence[str] = (),
        timeout: float | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Answer:
        """Answer a SPARQL query over the tenant's graph; text only for columns named, if readable.

        The service's own time limit counts, and not ``timeout``. Raises QueryError too where the answer is
        larger than the service gives out; Refused ``not_supported`` for ``by`` and ``purpose``.
        """
        for name, value in (("by", by), ("purpose", purpose)):
            if value is not None:
                raise Refused("not_supported", f"'{name}' cannot be said to a service's SPARQL endpoint")
        columns = f"?{urlencode([('text', column) for column in text_columns])}" if text_columns else ""
        headers = {"Content-Type": "application/sparql-query", "Accept": f"{_ROWS}, {_TRIPLES};q=0.9"}
        path = f"{self._tenant}/sparql{columns}"
        return _answer(self._transport.send("POST", path, text.encode(), headers, again=True))

    def named_query(
        self,
        name: str,
        parameters: Mapping[str, str] | None = None,
        *,
        text_columns: Sequence[str] = (),
        timeout: float | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Answer:
        """Answer one of the library's queries, with its parameters as written at a prompt; as ``sparql``."""
        query, table = load_query(name), self.facts()
        now = datetime.now(UTC)
        rows = parse_parameters(query, parameters or {}, base=self.base, table=table, now=now)
        return self.sparql(
            query.bind(rows), text_columns=text_columns, timeout=timeout, by=by, purpose=purpose
        )

    @property
    def base(self) -> str:
        """The base IRI of the tenant's entities."""
        return str(self._head()["base"])

    def _head(self) -> Mapping[str, object]:
        found = self._transport.send("GET", f"{self._tenant}/tree-head", again=True).json()
        if not isinstance(found, dict):
            raise ProvLedgerError("the server answered tree-head with something else", code="internal")
        return found


def _answer(reply: Reply) -> Answer:
    if _CUT in reply.headers:
        raise QueryError(
            f"the answer was cut ({reply.headers[_CUT]}): ask for less, or with LIMIT and OFFSET"
        )
    if reply.headers.get("content-type", "").startswith(_TRIPLES):
        return Triples(parse_triples(reply.body))
    return answer_of_json(reply.body)
