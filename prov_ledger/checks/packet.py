"""The text of a reminder packet: fenced data, one line per claim, never above its budget.

Everything outside statements and titles is one fixed template without an imperative.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from prov_ledger.model.conditions import Edge, Period, Range
from prov_ledger.model.facts import SealedValue, canonical
from prov_ledger.model.records import Node
from prov_ledger.model.scopes import Condition, Scope

TokenCounter = Callable[[str], int]
_OPEN = (
    "```prov-ledger packet {id}\n"
    "Memories of conclusions, not evidence; each line is unverified until resolved."
)
_CLOSE = "```"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_STATEMENT_CHARACTERS = 160
_SHORTEST_STATEMENT = 24


def count_tokens(text: str) -> int:
    """The default count: one token per four UTF-8 bytes, rounded up; over-counts plain English a little.

    >>> count_tokens("within 60 days")
    4
    """
    return -(-len(text.encode()) // 4)


@dataclass(frozen=True, slots=True)
class PacketLine:
    """What one line says; ``statement`` is None where no statement is carried."""

    id: Node
    statement: str | None
    titles: tuple[str, ...]
    scope: str
    status: str = "unverified until resolved"


def smallest_budget(id: Node, count: TokenCounter = count_tokens) -> int:
    """How many tokens a packet needs before it holds anything: those of its fence."""
    return count("\n".join([_OPEN.format(id=id), _CLOSE]))


def render_packet(
    id: Node, lines: Sequence[PacketLine], budget: int, count: TokenCounter = count_tokens
) -> str:
    """The packet as text, at most ``budget`` tokens by ``count``; empty when not even the fence fits.

    Lines that do not fit are listed by id alone as far as the budget reaches, with the number of those
    left out; a long statement is cut before a line is given up.
    """
    head = _OPEN.format(id=id)

    def fits(body: Sequence[str]) -> bool:
        return count("\n".join([head, *body, _CLOSE])) <= budget

    if not fits([]):
        return ""
    body: list[str] = []
    rest = list(lines)
    for number, line in enumerate(lines, 1):
        waiting = len(lines) - number
        tail = [_left_out(waiting)] if waiting else []
        fitting = next((t for t in _variants(number, line) if fits([*body, t, *tail])), None)
        if fitting is None:
            break
        body.append(fitting)
        rest.pop(0)
    return "\n".join([head, *body, *_by_id(rest, body, fits), _CLOSE])


def _variants(number: int, line: PacketLine) -> list[str]:
    """The line in full, then with its statement cut shorter and shorter."""
    limits = [_STATEMENT_CHARACTERS, 80, 48, _SHORTEST_STATEMENT] if line.statement else [0]
    return list(dict.fromkeys(_line(number, line, limit) for limit in limits))


def _line(number: int, line: PacketLine, limit: int) -> str:
    parts = [f"[c{number}] {line.id}"]
    if line.statement:
        parts.append(_cut(flat(line.statement), limit))
    parts += ["; ".join(flat(title) for title in line.titles), flat(line.scope), line.status]
    return " | ".join(part for part in parts if part)


def flat(text: str) -> str:
    """A text on one line, without control characters, that cannot close the fence or add a column."""
    return " ".join(_CONTROL.sub("", " ".join(text.split())).split()).replace("```", "'''").replace("|", "/")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _left_out(count: int) -> str:
    return f"({count} more not shown)"


def _by_id(
    rest: Sequence[PacketLine], body: Sequence[str], fits: Callable[[Sequence[str]], bool]
) -> list[str]:
    if not rest:
        return []
    for shown in range(len(rest), 0, -1):
        left = len(rest) - shown
        listed = ["by id: " + " ".join(line.id for line in rest[:shown])]
        listed += [_left_out(left)] if left else []
        if fits([*body, *listed]):
            return listed
    return [_left_out(len(rest))] if fits([*body, _left_out(len(rest))]) else []


def describe_scope(scope: Scope) -> str:
    """A scope in words: ISO dates, half-open periods, ``no end`` apart from an end nobody stated.

    >>> describe_scope(Scope((Period("purchase_date", date(2026, 6, 1), Edge.OPEN),)))
    'purchase_date from 2026-06-01, no end'
    """
    return "; ".join(_describe(condition) for condition in scope.conditions) or "always"


def _describe(condition: Condition) -> str:
    if isinstance(condition, Period):
        return f"{condition.fact} {_start(condition.from_)}, {_end(condition.until)}"
    if isinstance(condition, Range):
        return f"{condition.fact} {_limits(condition)}"
    values = sorted("(personal)" if isinstance(v, SealedValue) else canonical(v) for v in condition.values)
    return f"{condition.fact} in {', '.join(dict.fromkeys(values))}"


def _start(bound: date | datetime | Edge) -> str:
    if isinstance(bound, Edge):
        return "no beginning" if bound is Edge.OPEN else "beginning unknown"
    return f"from {canonical(bound)}"


def _end(bound: date | datetime | Edge) -> str:
    if not isinstance(bound, Edge):
        return f"until {canonical(bound)}"
    return {Edge.OPEN: "no end", Edge.ASSUMED_OPEN: "end assumed open"}.get(bound, "end unknown")


def _limits(condition: Range) -> str:
    low, high = condition.low, condition.high
    parts = []
    if low is not None:
        parts.append(f"{'at least' if condition.low_inclusive else 'above'} {canonical(low)}")
    if high is not None:
        parts.append(f"{'at most' if condition.high_inclusive else 'below'} {canonical(high)}")
    return " and ".join(parts) or "any"
