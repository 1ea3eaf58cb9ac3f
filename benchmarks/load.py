"""Clients that send prepared requests as fast as they are answered, in a process of their own.

python -m benchmarks.load    (reads a plan as JSON on its standard input, prints what came of it)
"""

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass, field

import uvloop


@dataclass(slots=True)
class Plan:
    """So many connections to a port, for so many seconds; each sends the requests in turn.

    ``writes``: every so many requests one is sent from ``written`` instead, each with a key of its own.
    """

    port: int
    token: str
    seconds: float
    connections: int
    requests: list[tuple[str, str]]
    written: list[tuple[str, str]] = field(default_factory=list)
    writes: int = 0


@dataclass(slots=True)
class Came:
    """Answers by status, milliseconds of each that was 200, and the ids that acknowledged writes gave."""

    statuses: dict[str, int] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    lost: int = 0


def _encoded(plan: Plan, path: str, body: str, key: str | None) -> bytes:
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{plan.port}",
        f"Authorization: Bearer {plan.token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body.encode())}",
    ]
    if key is not None:
        head.append(f"Idempotency-Key: {key}")
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    lowered = head.lower()
    at = lowered.find(b"content-length:")
    length = int(lowered[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    return int(head[9:12]), await reader.readexactly(length) if length else b""


async def _connection(plan: Plan, number: int, until: float, came: Came) -> None:
    reads = [_encoded(plan, path, body, None) for path, body in plan.requests]
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", plan.port)
    except OSError:
        came.lost += 1
        return
    turn = number * 7
    while time.perf_counter() < until:
        turn += 1
        written = plan.writes and turn % plan.writes == 0
        if written:
            path, body = plan.written[turn % len(plan.written)]
            sent = _encoded(plan, path, body, f"{number}-{turn}-{until}")
        else:
            sent = reads[turn % len(reads)]
        began = time.perf_counter()
        try:
            writer.write(sent)
            status, body_sent = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError):
            came.lost += 1
            break
        came.statuses[str(status)] = came.statuses.get(str(status), 0) + 1
        if status == 200:
            came.ms.append((time.perf_counter() - began) * 1e3)
            if written:
                came.ids.append(json.loads(body_sent)["id"])
    writer.close()


async def _run(plan: Plan) -> Came:
    came = Came()
    until = time.perf_counter() + plan.seconds
    tasks = [_connection(plan, number, until, came) for number in range(plan.connections)]
    await asyncio.gather(*tasks)
    return came


def main() -> None:
    plan = Plan(**json.loads(sys.stdin.read()))
    print(json.dumps(asdict(uvloop.run(_run(plan)))))


if __name__ == "__main__":
    main()
