"""What an interface asks about who acts; none of it is offered to a caller."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from prov_ledger.ledger.handle import Handle
from prov_ledger.ledger.narrowing import narrowed
from prov_ledger.model.records import Node, Role


class IdentityVerbs(Handle):
    """Agents by name and id, credentials that narrow what they may do, keyed hashes."""

    def find_agent(self, name: str) -> Node | None:
        """The id of the agent of that name; None where none is recorded."""
        with self._tenant.lock:
            return self._session.find_name("agent", name)

    def agent_name(self, id: str) -> str | None:
        """The name of an agent; None where there is none, or it was erased."""
        with self._tenant.lock:
            if self._tenant.journal.payload(id, "name") is None:
                return None
            return self._sources.text(id, "name")

    def roles_of(self, agent: Node) -> frozenset[Role]:
        """The roles that are recorded of an agent."""
        with self._tenant.lock:
            self._tenant.begin()
            return self._tenant.state.roster.roles.get(agent, frozenset())

    def names_version(self) -> tuple[int, int]:
        """Other numbers than before as soon as anything was committed that a name could be gone by."""
        return self._tenant.tickets.data_version(), self._tenant.journal.data_version()

    def is_founder(self, name: str) -> bool:
        """Whether an agent's name is that of the agent that made the tenant."""
        return self.find_agent(name) == self._acting(None, None).agent

    def narrowed(
        self, roles: Iterable[Role] | None = None, groups: Iterable[str] | None = None
    ) -> AbstractContextManager[None]:
        """Within, in this thread, no more than these roles and groups count, whoever acts; None: all."""
        return narrowed(roles, groups)

    def check_may(self, verb: str, *, called: str | None = None, by: str | None = None) -> None:
        """Raise Refused ``denied`` unless one of the agent's roles does this; verbs as in ``VERB_ROLES``.

        ``called`` is what the refusal names instead.
        """
        self._session.check_role(self._acting(by, None).agent, verb, called)

    def keyed_hash(self, kind: str, text: str) -> bytes:
        """16 bytes that stand for a text in this tenant and tell nothing of it without the tenant's key."""
        return self._tenant.sealer.lasting_token(kind, text)

    def passing_hash(self, kind: str, text: str) -> tuple[int, bytes]:
        """As ``keyed_hash``, until the next erasure destroys its key: then nobody can guess at the text.

        The number is another one for each key, so that hashes under different keys are not compared.
        """
        while True:
            generation = self._tenant.journal.cover_generation()
            hashed = self._tenant.sealer.token(kind, text)
            if self._tenant.journal.cover_generation() == generation:
                return generation, hashed

    def last_entry(self) -> tuple[int, Node] | None:
        """Within a batch, sequence and id of the entry that was recorded last in it; None where none was."""
        return self._tenant.last_entry()

    def has_entry(self, sequence: int, id: str) -> bool:
        """Whether the journal holds that entry at that place."""
        found = self._tenant.journal.entry(sequence)
        return found is not None and found.id == id

    @contextmanager
    def held(self) -> Iterator[None]:
        """The write lock, around one verb and what has to be durable before it is."""
        with self._tenant.writing():
            yield

    def catch_up(self) -> int:
        """Read what was recorded since this handle last read; how many entries that was."""
        with self._tenant.lock:
            return self._tenant.reading.catch_up()
