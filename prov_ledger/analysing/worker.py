"""One worker, as seen from the process that asks it."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

from prov_ledger.analysing.question import Limits, Question
from prov_ledger.analysing.rendering import Rendered
from prov_ledger.analysing.wire import Incoming, Message, send
from prov_ledger.errors import ProvLedgerError, QueryError, Refused, StorageError
from prov_ledger.store.snapshots import Snapshot

#: A worker has to be ready within this: on a machine at full load it comes last.
START_S = 20.0
#: How often it is looked whether the query is still wanted, and the snapshot still there.
LOOK_S = 0.1
_OUT_OF_MEMORY = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS)
_PROGRAM = Path(__file__).with_name("start.py")
#: What a worker gets of the environment: no key and no setting of a ledger.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")


class SnapshotGone(StorageError):
    """The snapshot was removed while it was asked: what was found in it is not given out."""

    code = "busy"


class Worker:
    """A process that answers queries over one snapshot; it is used by one thread at a time."""

    def __init__(self, snapshot: Snapshot, base: str, memory_bytes: int) -> None:
        self.snapshot, self.base, self.memory_bytes = snapshot, base, memory_bytes
        told = {
            "marker": str(snapshot.marker),
            "graph": str(snapshot.graph),
            "base": base,
            "memory_bytes": memory_bytes,
        }
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_PROGRAM), json.dumps(told)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**environment, "RUST_BACKTRACE": "0"},
                cwd="/",
                # A session of its own would get a share of the processor of its own, whatever its priority.
                process_group=0,
            )
        except OSError as error:
            raise StorageError(f"a worker cannot be started: {error.strerror}", code="busy") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._incoming = Incoming(self._out)
        self._readable = select.poll()
        self._readable.register(self._out, select.POLLIN)
        self.is_ready = False
        #: When it answered last.
        self.used = time.monotonic()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    def ask(self, question: Question, limits: Limits, unwanted: threading.Event) -> Rendered:
        """Answer a query; after an error that is not its refusal the worker has ended.

        Raises QueryError ``bad_query``, ``query_timeout``, ``query_memory``; SnapshotGone; StorageError
        ``busy`` when the worker was ended by somebody else, or ``unwanted`` is set.
        """
        try:
            return self._asked(question, limits, unwanted)
        except BaseException:
            if not self.is_ready:
                self.end()
            raise

    def _asked(self, question: Question, limits: Limits, unwanted: threading.Event) -> Rendered:
        if not self.is_ready:
            self._await_start(unwanted)
        self.is_ready = False
        request = {
            **asdict(question),
            "rows": limits.rows,
            "bytes": limits.answer_bytes,
            "deadline_s": limits.deadline_s,
        }
        with contextlib.suppress(OSError):  # reading tells why it ended
            send(self._in, Message(request))
        reply = self._next(limits.deadline_s, unwanted)
        if reply is None:
            raise QueryError(
                f"the query took longer than {limits.deadline_s:g} s and was ended: narrow it",
                code="query_timeout",
            )
        if not self.snapshot.is_there():
            raise _gone()
        if reply.said.get("refused") == "query_memory":
            raise self._out_of_memory()
        self.is_ready, self.used = True, time.monotonic()
        if "refused" in reply.said:
            raise QueryError(str(reply.said["message"]), code=str(reply.said["refused"]))
        cut = reply.said["cut"]
        return Rendered(
            reply.body, int(str(reply.said["rows"])), "rows" if cut == "rows" else "bytes" if cut else None
        )

    def _await_start(self, unwanted: threading.Event) -> None:
        reply = self._next(START_S, unwanted)
        if reply is None:
            raise StorageError("a worker did not start in time: the machine is too busy", code="busy")
        if reply.said.get("failed") == "gone":
            raise _gone()
        if reply.said.get("failed") == "no_wall":
            raise Refused(
                "not_supported", f"queries cannot be shut off from the network here: {reply.said['why']}"
            )
        if "failed" in reply.said:
            raise StorageError(f"a worker cannot open its snapshot: {reply.said['why']}")
        self.is_ready = True

    def _next(self, wait_s: float, unwanted: threading.Event) -> Message | None:
        """The next message; None when it does not come in time. Raises when the worker ends."""
        until = time.monotonic() + wait_s
        while (left := until - time.monotonic()) > 0:
            if not self._readable.poll(min(left, LOOK_S) * 1000):
                if not self.snapshot.is_there():
                    raise _gone()
                if unwanted.is_set():
                    raise StorageError("the query was ended: nobody waits for it any more", code="busy")
                continue
            try:
                message = self._incoming.read()
            except EOFError:
                raise self._lost() from None
            if message is not None:
                return message
        return None

    def _lost(self) -> ProvLedgerError:
        """Why the process ended by itself, or by somebody else's hand."""
        status = self._process.wait()
        if not self.snapshot.is_there():
            return _gone()
        if -status in _OUT_OF_MEMORY:
            return self._out_of_memory()
        if -status == signal.SIGALRM:
            return QueryError("the query took too long and was ended: narrow it", code="query_timeout")
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        return StorageError(f"the process of this query was ended ({how}): ask again", code="busy")

    def _out_of_memory(self) -> QueryError:
        allowed = self.memory_bytes >> 20
        return QueryError(
            f"the query needed more than the {allowed} MB of memory that it may have: narrow it",
            code="query_memory",
        )

    def kill(self) -> None:
        """Kill the process, from any thread: whoever asks it is told."""
        if self._process.poll() is None:
            self._process.kill()

    def end(self) -> None:
        """Kill the process, and return when it is gone."""
        self.is_ready = False
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _gone() -> SnapshotGone:
    return SnapshotGone("the snapshot that this query read was removed: ask again")
