"""One query of an analyst, from its text to the bytes of its answer and how old what it says is."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from prov_ledger.analysing.question import Limits, Question
from prov_ledger.analysing.rendering import JSON, Rendered, render_rows
from prov_ledger.analysing.workers import Workers
from prov_ledger.errors import QueryError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.queries.guard import Kind, check_dataset, check_query, placing_errors, with_prefixes
from prov_ledger.store.port import Rows, graph_iri
from prov_ledger.store.results import answer_of_json

#: Most rows that text is joined to.
TEXT_ROWS = 1_000
#: Media type of an answer, by the kind of its query; raises what the caller is to be told.
Choice = Callable[[Kind], str]


@dataclass(frozen=True, slots=True)
class Analysed:
    """An answer as bytes of ``form``; where it was cut, if it was; the entry that it goes up to, and when."""

    answer: Rendered
    form: str
    sequence: int
    taken: datetime

    @property
    def age_s(self) -> float:
        """How long ago it was taken, in seconds."""
        return (datetime.now(UTC) - self.taken).total_seconds()


class Analysis:
    """Answers queries about one ledger with the workers that it is given; owns nothing.

    ``max_age``: how long ago something may have been recorded that an answer does not know of yet.
    """

    def __init__(self, ledger: Ledger, workers: Workers, max_age: timedelta = timedelta(seconds=10)) -> None:
        self.ledger, self.workers, self.max_age = ledger, workers, max_age

    def ask(
        self,
        text: str,
        choose: Choice,
        *,
        text_columns: Sequence[str] = (),
        as_default: bool = True,
        as_named: bool = True,
        by: str | None = None,
        purpose: str | None = None,
        limits: Limits | None = None,
        unwanted: threading.Event | None = None,
    ) -> Analysed:
        """Answer a query as what ``choose`` says; ``unwanted`` set meanwhile ends it.

        ``as_default``, ``as_named``: whether the query sees the tenant's graph in these two ways; where it
        does in both, FROM may name no other.

        Raises Refused ``denied``; QueryError, as ``Workers.ask`` too; StorageError ``busy``; GraphBusy.
        """
        self.ledger.check_may("sparql", by=by)
        kind = check_query(text)
        if as_default and as_named:
            check_dataset(text, graph_iri(self.ledger.base))
        form = choose(kind)
        if text_columns and kind != "SELECT":
            raise QueryError("text is joined to the columns of a SELECT; this query has none")
        limits = limits if limits is not None else self.workers.limits
        if text_columns:
            limits = replace(limits, rows=min(limits.rows, TEXT_ROWS))
        snapshot = self.ledger.snapshot(self.max_age)
        question = Question(with_prefixes(text), JSON if text_columns else form, as_default, as_named)
        with placing_errors(text):
            answer = self.workers.ask(snapshot, self.ledger.base, question, limits, unwanted)
        if text_columns:
            answer = self._joined(answer, form, text_columns, by, purpose, limits)
        return Analysed(answer, form, snapshot.position.sequence, snapshot.taken)

    def _joined(
        self,
        found: Rendered,
        form: str,
        columns: Sequence[str],
        by: str | None,
        purpose: str | None,
        limits: Limits,
    ) -> Rendered:
        rows = answer_of_json(found.body)
        assert isinstance(rows, Rows)
        joined = self.ledger.join_texts(rows, columns, by=by, purpose=purpose)
        written = render_rows(form, joined.variables, joined.rows, limits.rows, limits.answer_bytes)
        return Rendered(written.body, written.rows, written.cut or found.cut)
