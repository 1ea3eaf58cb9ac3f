"""The journal over HTTP: its head, its entries in pages, all its leaves as one stream."""

import base64
import binascii
import json
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from prov_ledger.errors import Refused
from prov_ledger.ledger.journal_verbs import EntryLine
from prov_ledger.model.plain import encode_plain
from prov_ledger.service.acting import CurrentCaller, CurrentService
from prov_ledger.service.negotiating import best_of
from prov_ledger.service.routes import REFUSALS
from prov_ledger.service.service import Caller

NQUADS, NDJSON = "application/n-quads", "application/x-ndjson"
_STREAMED = 500

router = APIRouter(prefix="/v1/{tenant}", tags=["audit"], responses=REFUSALS)


class Head(BaseModel):
    """How many entries there are, and the root over their leaves."""

    size: int = Field(examples=[12])
    root: str = Field(description="64 hex digits.", examples=["5f" * 32])
    base: str = Field(description="The IRI under which entities are.", examples=["https://ledger.example/"])


class EntryPage(BaseModel):
    """Some entries in order; ``next`` leads to those after, None after the last."""

    entries: list[EntryLine]
    next: str | None = Field(description="The cursor of the next page.")


@router.get("/tree-head", operation_id="tree_head", summary="The head of the Merkle tree")
async def tree_head(request: Request, response: Response, caller: CurrentCaller) -> Head:
    """How many entries there are, and the root over their leaves."""
    found = await caller.run(caller.ledger.tree_head)
    head = Head(size=found.size, root=found.root.hex(), base=caller.ledger.base)
    response.headers["ETag"] = f'"{sha256(head.root.encode()).hexdigest()[:32]}"'
    response.headers["Cache-Control"] = "private, no-cache"
    return head


@router.get("/entries", operation_id="entries", summary="Entries in the order of recording")
async def entries(
    request: Request,
    response: Response,
    caller: CurrentCaller,
    service: CurrentService,
    cursor: Annotated[str | None, Query(max_length=64, description="Where an earlier page ended.")] = None,
    limit: Annotated[int | None, Query(ge=1, le=1000)] = None,
) -> EntryPage:
    """A page of entries, without any text; for auditors."""
    after, most = _position(cursor), limit or service.settings.limits.page
    found = await caller.run(lambda: caller.ledger.entries(after, most + 1, by=caller.name))
    page = found[:most]
    following = _cursor(page[-1].sequence) if len(found) > most else None
    if following is not None:
        response.headers["Link"] = f'<{request.url.path}?cursor={following}&limit={most}>; rel="next"'
    return EntryPage(entries=list(page), next=following)


@router.get(
    "/export",
    operation_id="export",
    summary="All leaves, as a stream",
    response_class=StreamingResponse,
    responses={200: {"description": "Leaves in order.", "content": {NQUADS: {}, NDJSON: {}}}},
)
async def export(
    request: Request,
    caller: CurrentCaller,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only what comes after this sequence.")] = 0,
) -> Response:
    """Every leaf after a sequence, as N-Quads, or as lines of JSON with sequence, id and hash; for auditors.

    What is recorded meanwhile is not in it. A stream that breaks off is taken up by ``after``.
    """
    form = best_of(request.headers.get("accept"), (NQUADS, NDJSON))
    await caller.run(lambda: caller.ledger.check_may("audit", called="export", by=caller.name))
    head = await caller.run(caller.ledger.tree_head)
    return StreamingResponse(_leaves(caller, after, head.size, form), media_type=form)


async def _leaves(caller: Caller, after: int, until: int, form: str) -> AsyncIterator[bytes]:
    position = after
    while position < until:
        most = min(_STREAMED, until - position)

        def some(first: int = position, most: int = most) -> tuple[int, bytes]:
            found = caller.ledger.leaves(first, most, by=caller.name)
            if form == NQUADS:
                data = "".join(leaf.nquads for leaf in found)
            else:
                data = "".join(json.dumps(encode_plain(leaf), ensure_ascii=False) + "\n" for leaf in found)
            return first + most, data.encode()

        position, data = await caller.run(some)
        yield data


def _cursor(sequence: int) -> str:
    return base64.urlsafe_b64encode(f"after {sequence}".encode()).decode().rstrip("=")


def _position(cursor: str | None) -> int:
    """The sequence that a cursor stands for. Raises Refused ``bad_input`` for one that was not given out."""
    if cursor is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        word, _, number = text.partition(" ")
    except (ValueError, binascii.Error):
        word, number = "", ""
    if word != "after" or not number.isdecimal() or not number.isascii() or len(number) > 15:
        raise Refused("bad_input", "cursor: give one that an earlier page ended with")
    return int(number)
