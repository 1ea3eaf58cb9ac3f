"""The forms that values of a scenario may have: each reads a raw YAML value or says what is wrong.

A form is a function from a raw value to the value as the runner uses it; it raises ``Malformed``.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from decimal import Decimal

from prov_ledger.errors import ProvLedgerError
from prov_ledger.model.times import parse_duration, parse_instant

Form = Callable[[object], object]


class Malformed(Exception):
    """A value has not its form; ``path`` leads to it from the step."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def under(self, key: str) -> "Malformed":
        """The same problem seen from one level further out."""
        dot = "" if not self.path or self.path.startswith("[") else "."
        return Malformed(self.problem, f"{key}{dot}{self.path}")


def kind_of(raw: object) -> str:
    """What a person would call a raw value: ``a list``, ``a mapping``, ``nothing``, ..."""
    if raw is None:
        return "nothing"
    names: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "text"),
        (int, "a number"),
        (Decimal, "a number"),
        (date, "a date"),
        (list, "a list"),
        (dict, "a mapping"),
    )
    return next((name for type_, name in names if isinstance(raw, type_)), "something else")


def text(raw: object) -> str:
    """Text as written; a number or a date that was not quoted is its own text."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bool) or not isinstance(raw, int | Decimal | date):
        raise Malformed(f"expected text, got {kind_of(raw)}")
    return format(raw, "f") if isinstance(raw, Decimal) else str(raw)


def truth(raw: object) -> bool:
    """``true`` or ``false``."""
    if not isinstance(raw, bool):
        raise Malformed(f"expected true or false, got {kind_of(raw)}")
    return raw


def whole_number(raw: object) -> int:
    """A whole number of at least 0."""
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 0:
        raise Malformed(f"expected a whole number, got {kind_of(raw)}")
    return raw


def instant(raw: object) -> datetime:
    """An instant with a zone."""
    try:
        return parse_instant(text(raw))
    except ProvLedgerError as error:
        raise Malformed(error.message) from error


def duration(raw: object) -> str:
    """An ISO 8601 duration, as written."""
    try:
        parse_duration(text(raw))
    except ProvLedgerError as error:
        raise Malformed(error.message) from error
    return text(raw)


def scalar(raw: object) -> object:
    """A single value for the ledger to judge; lists and mappings are not."""
    if isinstance(raw, list | dict):
        raise Malformed(f"expected a single value, got {kind_of(raw)}")
    return raw


def choice(allowed: Collection[str]) -> Form:
    """One of some words."""

    def read(raw: object) -> str:
        if not isinstance(raw, str) or raw not in allowed:
            got = repr(raw) if isinstance(raw, str) else kind_of(raw)
            raise Malformed(f"expected one of {', '.join(sorted(allowed))}; got {got}")
        return raw

    return read


def optional(form: Form) -> Form:
    """The form, or null."""
    return lambda raw: None if raw is None else form(raw)


def list_of(form: Form) -> Form:
    """A list whose members have one form."""

    def read(raw: object) -> list[object]:
        if not isinstance(raw, list):
            raise Malformed(f"expected a list, got {kind_of(raw)}")
        return [_inside(form, item, f"[{position}]") for position, item in enumerate(raw)]

    return read


def mapping_of(form: Form) -> Form:
    """A mapping from any names to values of one form."""

    def read(raw: object) -> dict[str, object]:
        if not isinstance(raw, dict):
            raise Malformed(f"expected a mapping, got {kind_of(raw)}")
        return {key: _inside(form, item, key) for key, item in raw.items()}

    return read


def record(keys: Mapping[str, Form]) -> Form:
    """A mapping that has no other keys than these; any may be absent."""

    def read(raw: object) -> dict[str, object]:
        if not isinstance(raw, dict):
            raise Malformed(f"expected a mapping, got {kind_of(raw)}")
        for key in raw:
            if key not in keys:
                raise Malformed(f"unknown key; expected one of {', '.join(sorted(keys))}", key)
        return {key: _inside(keys[key], item, key) for key, item in raw.items()}

    return read


def either(first: type, form: Form, otherwise: Form) -> Form:
    """``form`` where the raw value is a ``first``, else ``otherwise``."""
    return lambda raw: form(raw) if isinstance(raw, first) else otherwise(raw)


def _inside(form: Form, raw: object, key: str) -> object:
    try:
        return form(raw)
    except Malformed as problem:
        raise problem.under(key) from None
