"""The values of a database as text, in one form each."""

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum

from prov_ledger.model.times import format_instant


def cell_text(value: object) -> str:
    """The text of a value, equal for equal values whatever the database and its driver; NULL is empty.

    >>> [cell_text(v) for v in (None, True, 60.0, Decimal("1250.50"), date(2026, 3, 3))]
    ['', 'true', '60', '1250.50', '2026-03-03']
    """
    if isinstance(value, Enum):
        value = value.name
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return format(Decimal(repr(value)), "f").removesuffix(".0")
        case Decimal():
            return format(value, "f")
        case datetime() if value.tzinfo is not None:
            return format_instant(value.astimezone(UTC))
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case dict() | list():
            return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)
