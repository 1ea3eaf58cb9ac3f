"""What a caller's own credentials leave of the roles and groups that the ledger records of an agent."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from prov_ledger.model.records import Role


@dataclass(frozen=True, slots=True)
class Narrowing:
    """At most these roles, at most these groups, by name; None leaves all that are recorded."""

    roles: frozenset[Role] | None = None
    groups: frozenset[str] | None = None


_ALL = Narrowing()
_NARROWED: ContextVar[Narrowing | None] = ContextVar("narrowed", default=None)


def narrowing() -> Narrowing:
    """What holds in this thread or task."""
    return _NARROWED.get() or _ALL


@contextmanager
def narrowed(roles: Iterable[Role] | None, groups: Iterable[str] | None) -> Iterator[None]:
    """Within, in this thread or task alone, no more than these roles and groups count, whoever acts."""
    kept = Narrowing(
        None if roles is None else frozenset(roles), None if groups is None else frozenset(groups)
    )
    token = _NARROWED.set(kept)
    try:
        yield
    finally:
        _NARROWED.reset(token)
