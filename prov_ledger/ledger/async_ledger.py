"""The ledger for asyncio: the same verbs, awaited; the work is done on one thread per handle."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial, wraps
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from prov_ledger.ledger.ledger import Ledger

P = ParamSpec("P")
T = TypeVar("T")


def _awaited(
    verb: Callable[Concatenate[Ledger, P], T],
) -> Callable[Concatenate["AsyncLedger", P], Awaitable[T]]:
    @wraps(verb)
    async def call(self: "AsyncLedger", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(partial(verb, self.ledger, *args, **kwargs))

    return call


class AsyncLedger:
    """An open ``Ledger`` behind awaitable verbs; closes it. Verbs run one after another.

    A task that is cancelled leaves its verb to finish: what was begun is durable or undone as a whole.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prov-ledger")

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the ledger and end its thread."""
        await self._run(self.ledger.close)
        self._worker.shutdown()

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Self]:
        """All writes within become durable together at its end, or none does; one task at a time."""
        writing = self.ledger.batch()
        await self._run(writing.__enter__)
        try:
            yield self
        except BaseException as error:
            if not await self._run(partial(writing.__exit__, type(error), error, error.__traceback__)):
                raise
        else:
            await self._run(partial(writing.__exit__, None, None, None))

    declare_fact = _awaited(Ledger.declare_fact)
    agent = _awaited(Ledger.agent)
    collection = _awaited(Ledger.collection)
    sensitive = _awaited(Ledger.sensitive)
    source = _awaited(Ledger.source)
    rename = _awaited(Ledger.rename)
    revision = _awaited(Ledger.revision)
    scope = _awaited(Ledger.scope)
    evidence = _awaited(Ledger.evidence)
    check = _awaited(Ledger.check)
    retire = _awaited(Ledger.retire)
    authority = _awaited(Ledger.authority)
    sync = _awaited(Ledger.sync)
    bind = _awaited(Ledger.bind)
    tool_result = _awaited(Ledger.tool_result)
    claim = _awaited(Ledger.claim)
    supersede = _awaited(Ledger.supersede)
    retract = _awaited(Ledger.retract)
    restate = _awaited(Ledger.restate)
    reaffirm = _awaited(Ledger.reaffirm)
    contradict = _awaited(Ledger.contradict)
    grant = _awaited(Ledger.grant)
    revoke = _awaited(Ledger.revoke)
    member = _awaited(Ledger.member)
    deny = _awaited(Ledger.deny)
    allow = _awaited(Ledger.allow)
    remind = _awaited(Ledger.remind)
    packet = _awaited(Ledger.packet)
    thread = _awaited(Ledger.thread)
    resolve = _awaited(Ledger.resolve)
    check_answer = _awaited(Ledger.check_answer)
    find = _awaited(Ledger.find)
    keep_search_index = _awaited(Ledger.keep_search_index)
    drop_search_index = _awaited(Ledger.drop_search_index)
    list_sources = _awaited(Ledger.list_sources)
    list_collections = _awaited(Ledger.list_collections)
    list_grants = _awaited(Ledger.list_grants)
    list_threads = _awaited(Ledger.list_threads)
    explain = _awaited(Ledger.explain)
    changes = _awaited(Ledger.changes)
    show = _awaited(Ledger.show)
    sparql = _awaited(Ledger.sparql)
    backup = _awaited(Ledger.backup)
    rotate_keys = _awaited(Ledger.rotate_keys)
    confirm_grants = _awaited(Ledger.confirm_grants)
    disclosures = _awaited(Ledger.disclosures)
    forget_disclosures = _awaited(Ledger.forget_disclosures)
    tree_head = _awaited(Ledger.tree_head)
    verify = _awaited(Ledger.verify)
    validate = _awaited(Ledger.validate)
    rebuild = _awaited(Ledger.rebuild)
