"""An open tenant with who acts through it; what every verb of the ledger begins with."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from types import TracebackType
from typing import Self

from prov_ledger.authz.port import DEADLINE_S, Authoriser
from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session, check_named
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model.records import Node

Instant = str | datetime
Moment = str | date | datetime


#: Codes that come before ``denied`` where several fit.
_BEFORE_DENIED = frozenset({"malformed_id", "unknown_id"})


class Handle:
    """The tenant, the agent and the purpose of an open ledger; a context manager."""

    def __init__(
        self,
        tenant: Tenant,
        agent: str | None,
        purpose: str | None,
        authoriser: Authoriser | AuthoriserFactory | None,
        authoriser_deadline_s: float = DEADLINE_S,
    ) -> None:
        self._tenant, self._agent, self._purpose = tenant, agent, purpose
        self._session = Session(tenant, authoriser, authoriser_deadline_s)
        self._sources = Sources(self._session)
        self._first: Node | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every file of the tenant."""
        self._tenant.close()

    @property
    def base(self) -> str:
        """The base IRI of the tenant's entities."""
        return self._tenant.base

    @contextmanager
    def batch(self) -> Iterator[Self]:
        """All writes within become durable together at its end, or none does."""
        with self._tenant.writing(batched=True):
            yield self

    @contextmanager
    def _writing(
        self, verb: str, by: str | None, purpose: str | None, called: str | None = None
    ) -> Iterator[tuple[Work, Acting]]:
        """The write lock, and who acts. Raises Refused ``denied`` when no role of theirs does this.

        An id that is malformed or unknown to them is refused before that, so the verb runs first, and
        nothing of it is kept when the role is lacking. ``called`` as in ``Session.check_role``.
        """
        name, stated = self._names(by, purpose)
        with self._tenant.writing() as work:
            self._tenant.begin()
            acting = self._founder(stated) if name is None else self._session.acting_in(work, name, stated)
            lacking = self._session.lacking_role(acting.agent, verb, called)
            try:
                yield work, acting
            except Refused as refusal:
                if lacking is None or refusal.code in _BEFORE_DENIED:
                    raise
                raise lacking from None
            if lacking is not None:
                raise lacking

    def _acting(self, by: str | None, purpose: str | None) -> Acting:
        self._tenant.begin()
        name, stated = self._names(by, purpose)
        return self._founder(stated) if name is None else self._session.acting(name, stated)

    def _names(self, by: str | None, purpose: str | None) -> tuple[str | None, str | None]:
        """Who acts and for what: as given, else the handle's own. Raises Refused ``bad_input``."""
        name = by if by is not None else self._agent
        stated = purpose if purpose is not None else self._purpose
        check_named("agent", name)
        check_named("purpose", stated)
        return name, stated

    def _founder(self, purpose: str | None) -> Acting:
        if self._first is None:
            self._first = next(iter(self._tenant.state.entries_of("tenant"))).agent
        known = self._session.find_name("purpose", purpose) if purpose is not None else None
        return Acting(self._first, known)
