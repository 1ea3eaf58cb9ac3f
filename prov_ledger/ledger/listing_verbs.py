"""The verbs that list what there is, for the one who asks."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from prov_ledger.ledger.disclosing import Disclosing, described
from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.listing import ListedCollection, ListedGrant, ListedSource, ListedThread, Listing
from prov_ledger.ledger.session import Acting
from prov_ledger.model.records import Node

T = TypeVar("T")


class ListingVerbs(Handle):
    """Listing sources, collections, grants and threads. What is withheld is not there, and not counted.

    What is shown of sources and collections is recorded first; then StorageError may be raised.
    """

    def list_sources(
        self, *, principal: str | None = None, purpose: str | None = None
    ) -> tuple[ListedSource, ...]:
        """The sources that the reader may read, in recorded order, with their present names."""
        return self._listed(principal, purpose, Listing.sources, lambda found: [x.id for x in found])

    def list_collections(
        self, *, principal: str | None = None, purpose: str | None = None
    ) -> tuple[ListedCollection, ...]:
        """The collections with a source that the reader may read, and how they are set; their names to an
        admin, a curator and whoever may read everything.
        """
        return self._listed(
            principal, purpose, Listing.collections, lambda found: [x.id for x in found if x.name is not None]
        )

    def list_grants(
        self, *, principal: str | None = None, purpose: str | None = None
    ) -> tuple[ListedGrant, ...]:
        """The grants that hold now, of what the reader may read: all to an admin, a curator and whoever may
        read everything, to others their own and their groups'.
        """
        return self._listed(principal, purpose, Listing.grants, lambda _: ())

    def list_threads(
        self, *, principal: str | None = None, purpose: str | None = None
    ) -> tuple[ListedThread, ...]:
        """The threads that the reader owns or is a reader of, in the order in which they were begun."""
        return self._listed(principal, purpose, Listing.threads, lambda _: ())

    def _listed(
        self,
        principal: str | None,
        purpose: str | None,
        verb: Callable[[Listing, Acting], tuple[T, ...]],
        named: Callable[[tuple[T, ...]], Iterable[Node]],
    ) -> tuple[T, ...]:
        disclosing = Disclosing(self._session)
        with self._tenant.lock:
            acting = self._acting(principal, purpose)
            found = verb(Listing(self._session, self._sources), acting)
            showing = disclosing.about_to_show(acting, described(named(found)))
        disclosing.record(showing)
        return found
