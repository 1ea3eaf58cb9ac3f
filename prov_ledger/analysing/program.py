"""What a worker does: it shuts itself off, opens one snapshot, and answers one query after another.

It ends when nobody listens any more, when the snapshot is removed, and, by a timer of the kernel that no
query can hold up, soon after a deadline; whoever asked ends it before that.
"""

import json
import os
import queue
import select
import signal
import sys
import threading
from pathlib import Path

import pyoxigraph as ox

from prov_ledger.analysing.question import IDLE_S
from prov_ledger.analysing.rendering import Rendered, render_boolean, render_rows, render_triples
from prov_ledger.analysing.wall import NoWall, confine
from prov_ledger.analysing.wire import Incoming, Message, send
from prov_ledger.errors import ProvLedgerError
from prov_ledger.store.port import graph_iri
from prov_ledger.store.results import each_row, names_of
from prov_ledger.store.snapshots import reading

#: How often a worker looks whether its snapshot is still there.
LOOK_S = 0.2
#: How long after a deadline the kernel ends a worker that nobody ended.
GRACE_S = 2.0
_IN, _OUT = 0, 1


def main() -> None:
    """Serve what ``argv[1]``, an object of JSON, says: marker, graph, base, memory_bytes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    told = json.loads(sys.argv[1])
    try:
        confine(told["memory_bytes"])
        with reading(Path(told["marker"])):
            store = ox.Store.read_only(told["graph"])
            send(_OUT, Message({"ready": True}))
            _serve(store, ox.NamedNode(graph_iri(told["base"])), Path(told["marker"]))
    except NoWall as error:
        send(_OUT, Message({"failed": "no_wall", "why": str(error)}))
    except FileNotFoundError:
        send(_OUT, Message({"failed": "gone"}))
    except (OSError, RuntimeError) as error:
        send(_OUT, Message({"failed": "snapshot", "why": type(error).__name__}))


def _serve(store: ox.Store, graph: ox.NamedNode, marker: Path) -> None:
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, marker), daemon=True).start()
    while True:
        try:
            asked = requests.get(timeout=IDLE_S)
        except queue.Empty:
            return
        signal.setitimer(signal.ITIMER_REAL, float(str(asked.said["deadline_s"])) + GRACE_S)
        reply = _reply(store, graph, asked)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(_OUT, reply)


def _listen(requests: "queue.SimpleQueue[Message]", marker: Path) -> None:
    """Take requests in, in a thread of its own: a query lets it run."""
    incoming = Incoming(_IN)
    try:
        while marker.exists():
            if select.select([_IN], [], [], LOOK_S)[0]:
                message = incoming.read()
                if message is not None:
                    requests.put(message)
    except BaseException:
        os._exit(0)
    os._exit(0)


def _reply(store: ox.Store, graph: ox.NamedNode, asked: Message) -> Message:
    try:
        rendered = _answer(store, graph, asked.said)
    except SyntaxError as error:
        return _refusal("bad_query", f"the query is not valid SPARQL: {error}")
    except ProvLedgerError as error:
        return _refusal(error.code, error.message)
    except MemoryError:
        return _refusal("query_memory", "")
    except (OSError, RuntimeError, ValueError) as error:
        return _refusal("bad_query", f"the query failed: {type(error).__name__}")
    said: dict[str, object] = {"rows": rendered.rows, "cut": rendered.cut}
    return Message(said, rendered.body)


def _answer(store: ox.Store, graph: ox.NamedNode, said: dict[str, object]) -> Rendered:
    form, max_rows, max_bytes = str(said["form"]), int(str(said["rows"])), int(str(said["bytes"]))
    result = store.query(
        str(said["text"]),
        default_graph=[graph] if said["as_default"] else [],
        named_graphs=[graph] if said["as_named"] else [],
    )
    if isinstance(result, ox.QueryBoolean):
        return render_boolean(form, bool(result))
    if isinstance(result, ox.QuerySolutions):
        return render_rows(form, names_of(result), each_row(result), max_rows, max_bytes)
    return render_triples(form, result, max_rows, max_bytes)


def _refusal(code: str, message: str) -> Message:
    return Message({"refused": code, "message": message})
