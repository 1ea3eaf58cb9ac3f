"""The verbs about agents and who may read what."""

from collections.abc import Sequence

from prov_ledger.ledger.access import Access
from prov_ledger.ledger.handle import Handle, Moment
from prov_ledger.model.records import Node


class AccessVerbs(Handle):
    """Agents with roles, groups, grants, denials."""

    def agent(self, name: str, roles: Sequence[str] = ("agent",), *, by: str | None = None) -> Node:
        """Record an agent, or give it other roles; its id."""
        with self._writing("agent", by, None) as (work, acting):
            return Access(self._session, self._sources).agent(work, acting, name, roles)

    def grant(
        self,
        who: str,
        read: str,
        *,
        for_purpose: str | None = None,
        until: Moment | None = None,
        max_age: str | None = None,
        by: str | None = None,
    ) -> None:
        """Let an agent or ``group:NAME`` read a source, ``collection:NAME`` or ``*``.

        ``until``: from when on it no longer holds. ``max_age``: how long it holds from its recording, an
        ISO 8601 duration; a grant that was copied from an access list elsewhere is not trusted for longer.
        Raises Refused ``unknown_id``, ``bad_input``, ``denied``.
        """
        with self._writing("grant", by, None) as (work, acting):
            Access(self._session, self._sources).grant(work, acting, who, read, for_purpose, until, max_age)

    def revoke(self, who: str, read: str, *, for_purpose: str | None = None, by: str | None = None) -> None:
        """End grants: those for one purpose, or all that gave this reader this thing."""
        with self._writing("revoke", by, None) as (work, acting):
            Access(self._session, self._sources).revoke(work, acting, who, read, for_purpose)

    def member(self, who: str, of: str, *, left: bool = False, by: str | None = None) -> None:
        """Let an agent join ``group:NAME``, or leave it."""
        with self._writing("member", by, None) as (work, acting):
            Access(self._session, self._sources).member(work, acting, who, of, left)

    def deny(self, source: str, reason: str | None = None, *, by: str | None = None) -> None:
        """Withhold a source from everyone, until it is allowed again."""
        with self._writing("deny", by, None) as (work, acting):
            Access(self._session, self._sources).deny(work, acting, source, reason, allowed=False)

    def allow(self, source: str, reason: str | None = None, *, by: str | None = None) -> None:
        """End a denial."""
        with self._writing("deny", by, None, "allow") as (work, acting):
            Access(self._session, self._sources).deny(work, acting, source, reason, allowed=True)
