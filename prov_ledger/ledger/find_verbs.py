"""The verb that looks for what may be shown: where a conclusion is derived anew, or for the first time."""

from collections.abc import Mapping
from pathlib import Path

from prov_ledger.ledger.disclosing import Disclosing
from prov_ledger.ledger.finding import Finding, Found, disclosed_by
from prov_ledger.ledger.handle import Instant
from prov_ledger.ledger.reading_verbs import ReadingVerbs
from prov_ledger.ledger.resolving import Demand
from prov_ledger.ledger.search_index import SearchIndex


class FindVerbs(ReadingVerbs):
    """Finding, and the index behind it."""

    _search_index: SearchIndex | None = None

    def find(
        self,
        text: str,
        facts: Mapping[str, object] | None = None,
        principal: str | None = None,
        purpose: str | None = None,
        *,
        limit: int | None = 20,
        now: Instant | None = None,
        min_authority: str = "informal",
        max_age: str | None = None,
    ) -> Found:
        """Find evidence that holds every word of a text and is citable now, for this reader and facts.

        Beside it, passages of governing revisions that answer the text best and are no evidence yet. Words
        match by their stems, in English and German; one that no readable text holds may match its nearest.
        At most ``limit`` of each, best first; None: all. What is shown is recorded first. Raises Refused
        ``incomplete``, ``undeclared_fact``, ``bad_fact``, ``bad_input``; StorageError.
        """
        demand = Demand(facts or {}, now, None, min_authority, max_age)
        disclosing = Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            finding = Finding(self._session, self._sources, self._index())
            found = finding.find(self._reading(), acting, text, demand, limit)
            showing = disclosing.about_to_show(acting, tuple(disclosed_by(found)))
        disclosing.record(showing)
        return found

    def keep_search_index(self, folder: Path | str) -> None:
        """Keep the search index in a folder from now on, in clear text; by default it is in memory alone.

        Raises Refused ``bad_input`` for a place inside the ledger's folder.
        """
        with self._tenant.lock:
            self._index().keep(Path(folder))

    def drop_search_index(self) -> None:
        """Forget the search index, and delete its file; the next ``find`` makes it again."""
        with self._tenant.lock:
            self._index().drop()

    def _index(self) -> SearchIndex:
        if self._search_index is None:
            self._search_index = SearchIndex(self._tenant, self._sources)
        return self._search_index
