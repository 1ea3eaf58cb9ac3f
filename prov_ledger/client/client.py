"""``Client``: what ``Ledger`` does, done by a service."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Never, Self

from prov_ledger.client.asking import Asking
from prov_ledger.client.calls import alone, asked, not_offered, written
from prov_ledger.client.transport import Transport
from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import parse_tenant
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.merkle.tree import TreeHead

_HERE = "a service does not offer this: it is for whoever has the ledger's folder"


class Client(Asking):
    """A tenant of a ledger that a service serves; a context manager, for any number of threads.

    Verbs have the names, arguments and results of ``Ledger``. Who acts is who the ``token`` says: a verb
    that is given ``by`` or ``principal`` is refused. ``purpose`` is stated where a verb is given none.
    What reads is repeated after a lost connection, and so is what writes: each write carries a key by
    which the service makes it once.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        tenant: str = "default",
        purpose: str | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        """``url`` as in ``https://ledger.example``.

        Raises Refused ``bad_input`` for one that is none, and for a token that would go over plain http to
        another machine.
        """
        super().__init__(Transport(url, token, timeout_s), f"/v1/{parse_tenant(tenant)}", purpose)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Never:
        """Refuse a verb of ``Ledger`` that no service offers, with the reason."""
        if not name.startswith("_") and hasattr(Ledger, name):
            raise Refused("not_supported", f"'{name}': {_HERE}")
        raise AttributeError(name)

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()

    @contextmanager
    def batch(self) -> Iterator[Self]:
        """Refused: a service makes each write durable by itself."""
        raise Refused("not_supported", "a service has no batch: each write is durable by itself")
        yield self

    def tree_head(self) -> TreeHead:
        """How many entries there are, and the root over their leaves."""
        found = self._head()
        return TreeHead(int(str(found["size"])), bytes.fromhex(str(found["root"])))

    declare_fact = written("fact", Ledger.declare_fact)
    agent = written("agent", Ledger.agent)
    collection = written("collection", Ledger.collection)
    sensitive = written("sensitive", Ledger.sensitive)
    source = written("source", Ledger.source)
    rename = written("rename", Ledger.rename)
    revision = written("revision", Ledger.revision)
    scope = written("scope", Ledger.scope)
    evidence = written("evidence", Ledger.evidence)
    check = written("check", Ledger.check)
    retire = written("retire", Ledger.retire)
    authority = written("authority", Ledger.authority)
    bind = written("bind", Ledger.bind)
    tool_result = written("tool-result", Ledger.tool_result)
    claim = written("claim", Ledger.claim)
    supersede = written("supersede", Ledger.supersede)
    retract = written("retract", Ledger.retract)
    restate = written("restate", Ledger.restate)
    reaffirm = written("reaffirm", Ledger.reaffirm)
    contradict = written("contradict", Ledger.contradict)
    grant = written("grant", Ledger.grant)
    revoke = written("revoke", Ledger.revoke)
    member = written("member", Ledger.member)
    deny = written("deny", Ledger.deny)
    allow = written("allow", Ledger.allow)
    remind = written("remind", Ledger.remind)
    packet = asked("packet", Ledger.packet)
    thread = asked("thread", Ledger.thread)
    resolve = asked("resolve", Ledger.resolve)
    check_answer = asked("answer", Ledger.check_answer)
    find = asked("find", Ledger.find)
    explain = asked("explain", Ledger.explain)
    changes = asked("changes", Ledger.changes)
    show = asked("show", Ledger.show)
    list_sources = asked("list-sources", Ledger.list_sources)
    list_collections = asked("list-collections", Ledger.list_collections)
    list_grants = asked("list-grants", Ledger.list_grants)
    list_threads = asked("list-threads", Ledger.list_threads)
    plan_erasure = asked("plan-erasure", Ledger.plan_erasure)
    run_erasure = alone("run-erasure", Ledger.run_erasure)
    erase = alone("erase", Ledger.erase)
    certificate = asked("certificate", Ledger.certificate)
    traces = asked("traces", Ledger.traces)
    access = asked("access", Ledger.access)
    mentions = asked("mentions", Ledger.mentions)
    hold = written("hold", Ledger.hold)
    release = written("release", Ledger.release)
    holds = asked("holds", Ledger.holds)
    retention = written("retention", Ledger.retention)
    retention_rules = asked("retention-rules", Ledger.retention_rules)
    sweep = alone("sweep", Ledger.sweep)
    disclosures = asked("disclosures", Ledger.disclosures)
    forget_disclosures = alone("forget-disclosures", Ledger.forget_disclosures)
    verify = asked("verify", Ledger.verify)
    validate = asked("validate", Ledger.validate)
    rebuild = asked("rebuild", Ledger.rebuild)

    sync = not_offered(_HERE, Ledger.sync)
    keep_search_index = not_offered(_HERE, Ledger.keep_search_index)
    drop_search_index = not_offered(_HERE, Ledger.drop_search_index)
