"""The text that a tool answered with, out of the forms in which the SDKs and MCP carry it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from prov_ledger.checks.citations.wire import as_mapping, items_in, text_in, value_in
from prov_ledger.errors import Refused


@dataclass(frozen=True, slots=True)
class ToolText:
    """The text of a result, its media type, and the id of the call that it answers where that is said."""

    text: str
    media_type: str
    call: str | None = None


def parse_tool_result(raw: object) -> ToolText:
    """Give the text of a tool's result.

    ``raw`` is a text, or an Anthropic ``tool_result``, an OpenAI tool message or ``function_call_output``,
    an MCP ``CallToolResult``, a LangChain ``ToolMessage``, as objects or JSON. Several pieces of text are
    lines of one. Raises Refused ``bad_input``: an error, or a result that holds no text.
    """
    fields = {"content": raw} if isinstance(raw, str) else as_mapping(raw) or {}
    if value_in(fields, "is_error") is True or value_in(fields, "status") == "error":
        raise Refused("bad_input", "the tool answered with an error: that is no evidence of anything")
    text = _text(fields)
    if not text.strip():
        raise Refused(
            "bad_input", "the result of the tool holds no text: give a text, or content blocks of type text"
        )
    call = text_in(fields, "tool_use_id", "tool_call_id", "call_id")
    return ToolText(text, "application/json" if _is_json(text) else "text/plain", call)


def canonical_call(tool: str, arguments: Mapping[str, object]) -> str:
    """The native id of what a call asks for: equal for equal arguments, in whatever order they came.

    Raises Refused ``bad_input`` for arguments that are no JSON.

    >>> canonical_call("orders.get", {"id": "88-1417"})
    'orders.get {"id":"88-1417"}'
    """
    try:
        told = json.dumps(
            dict(arguments), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
    except (TypeError, ValueError):
        raise Refused(
            "bad_input", "the arguments of a tool call are JSON values: texts, numbers, lists, objects"
        ) from None
    return f"{tool} {told}"


def _text(fields: Mapping[str, object]) -> str:
    told = text_in(fields, "content", "output")
    if told is not None:
        return told
    blocks = [as_mapping(raw) or {} for name in ("content", "output") for raw in items_in(fields, name)]
    return "\n".join(text for block in blocks if (text := text_in(block, "text")))


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False
