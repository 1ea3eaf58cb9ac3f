"""The verb that stands in front of a reader: whether an answer may be shown, and as far as what."""

from collections.abc import Mapping

from prov_ledger.checks.answer.gate import parse_answer
from prov_ledger.ledger.answering import Answering, CheckedAnswer, Evidenced
from prov_ledger.ledger.disclosing import Disclosing
from prov_ledger.ledger.handle import Instant
from prov_ledger.ledger.known_titles import KnownTitles
from prov_ledger.ledger.reading_verbs import ReadingVerbs
from prov_ledger.ledger.resolving import Demand
from prov_ledger.ledger.session import Acting


class AnswerVerbs(ReadingVerbs):
    """Checking answers."""

    _titles: KnownTitles | None = None

    def check_answer(
        self,
        text: str,
        *,
        principal: str | None = None,
        facts: Mapping[str, object] | None = None,
        purpose: str | None = None,
        thread: str | None = None,
        strict: bool = False,
        now: Instant | None = None,
        min_authority: str = "informal",
        max_age: str | None = None,
    ) -> CheckedAnswer:
        """Check an answer for a reader: every marker, its quotations, titles and values, and conflicts.

        ``thread`` gives short labels and what is known there; ``strict`` blocks on sentences without a
        citation and cuts them. What its sound citations show is recorded first. Raises Refused
        ``undeclared_fact``, ``bad_fact``, ``bad_input``, ``too_large`` (200,000 characters); StorageError.
        """
        demand = Demand(facts or {}, now, None, min_authority, max_age)
        disclosing = Disclosing(self._session)
        # However long it takes to read, nobody waits for that.
        parsed = parse_answer(text)

        def read() -> tuple[Acting, Evidenced, int]:
            acting, size = self._acting(principal, purpose), self._tenant.journal.size()
            if self._titles is None:
                self._titles = KnownTitles(self._session, self._sources)
            answering = Answering(self._session, self._sources, self._titles)
            return acting, answering.read(self._reading(), acting, parsed, demand, thread), size

        with self._tenant.lock:
            acting, evidenced, size = read()
        checked, slots = evidenced.checked(strict)
        with self._tenant.lock:
            if self._tenant.journal.size() != size:
                # What was taken away meanwhile is not shown.
                acting, now_evidenced, _ = read()
                if now_evidenced != evidenced:
                    checked, slots = now_evidenced.checked(strict)
            showing = disclosing.showing(acting, slots, thread)
        disclosing.record(showing)
        return checked
