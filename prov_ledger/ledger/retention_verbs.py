"""The verbs about what must be kept, and how long anything may be kept."""

from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.retaining import Hold, Retaining, RetentionRule


class RetentionVerbs(Handle):
    """Legal holds and retention rules."""

    def hold(self, on: str, reason: str | None = None, *, by: str | None = None) -> None:
        """Let no erasure touch a source, or the sources of ``collection:NAME``, until it is released.

        Raises Refused ``denied``, ``unknown_id``, ``bad_input`` where it is held already.
        """
        with self._writing("hold", by, None) as (work, acting):
            self._retaining.hold(work, acting, on, reason)

    def release(self, on: str, reason: str | None = None, *, by: str | None = None) -> None:
        """End a legal hold. Raises Refused ``denied``, ``unknown_id``, ``not_found``."""
        with self._writing("hold", by, None, "release") as (work, acting):
            self._retaining.release(work, acting, on, reason)

    def holds(self, *, by: str | None = None) -> tuple[Hold, ...]:
        """The legal holds in force, the oldest first. Raises Refused ``denied``."""
        with self._tenant.lock:
            return self._retaining.holds(self._acting(by, None))

    def retention(
        self,
        on: str,
        *,
        bytes_for: str | None = None,
        metadata_for: str | None = None,
        by: str | None = None,
    ) -> None:
        """Bound how long what is recorded of a source, or of ``collection:NAME``, is kept; from then on.

        ISO 8601 durations, in calendar months, from the recording of each revision; without one there is no
        limit. What expires is withheld at once; ``sweep`` erases it. What expired stays so under a later
        rule. Raises Refused ``denied``, ``unknown_id``, ``bad_input``.
        """
        with self._writing("retention", by, None) as (work, acting):
            self._retaining.retention(work, acting, on, bytes_for, metadata_for)

    def retention_rules(self, *, by: str | None = None) -> tuple[RetentionRule, ...]:
        """The retention rules in force. Raises Refused ``denied``."""
        with self._tenant.lock:
            return self._retaining.rules(self._acting(by, None))

    @property
    def _retaining(self) -> Retaining:
        return Retaining(self._session, self._sources)
