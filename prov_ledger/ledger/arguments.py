"""Verbs refuse arguments of the wrong kind by name, before anything is looked at or written.

What a value may be is read off a verb's own annotations; values with a grammar of their own (dates,
scopes, facts, ids) are left to their parsers, which know a better code.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import FunctionType, NoneType, SimpleNamespace, UnionType
from typing import ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from prov_ledger.errors import Refused

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_EXPECTED: dict[object, str] = {
    str: "a text",
    bytes: "bytes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "nothing",
    Sequence: "a list",
    Mapping: "a mapping",
}
#: Parsed by a grammar of their own.
_PARSED = ("scope", "narrow")


def checked_verbs(cls: C) -> C:
    """Have every public verb of a class, its own or inherited, check the kinds of its arguments."""
    for name in dir(cls):
        verb = inspect.getattr_static(cls, name)
        if not name.startswith("_") and isinstance(verb, FunctionType) and name not in ("batch", "close"):
            setattr(cls, name, _checked(verb))
    return cls


def _checked(verb: Callable[P, R]) -> Callable[P, R]:
    names = tuple(inspect.signature(verb).parameters)

    @functools.wraps(verb)
    def run(*args: P.args, **given: P.kwargs) -> R:
        hints = _hints(verb)
        for name, value in (*zip(names, args, strict=False), *given.items()):
            if name in hints:
                _check(name, value, hints[name])
        return verb(*args, **given)

    return run


@functools.cache
def _hints(verb: Callable[..., object]) -> dict[str, object]:
    # What a verb gives back is not looked at, and may name what is imported for type checkers alone.
    stated = {name: hint for name, hint in verb.__annotations__.items() if name not in ("return", *_PARSED)}
    return get_type_hints(SimpleNamespace(__annotations__=stated), inspect.unwrap(verb).__globals__)


def _check(name: str, value: object, hint: object) -> None:
    if _fits(value, hint):
        return
    if value is None:
        raise Refused("incomplete", f"'{name}' is missing: give it")
    raise Refused("bad_input", f"'{name}': expected {_described(hint)}, got {_kind_of(value)}")


def _fits(value: object, hint: object) -> bool:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if origin is Sequence:
        (item,) = get_args(hint)
        return isinstance(value, list | tuple) and all(_fits(one, item) for one in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    if hint in (int, float) and isinstance(value, bool):
        return False
    if hint is float:
        return isinstance(value, int | float)
    if hint in _EXPECTED and isinstance(hint, type):
        return isinstance(value, hint)
    if isinstance(hint, type) and issubclass(hint, date):
        # Dates are parsed, and what is none is a bad fact; only nothing is not a date.
        return value is not None
    return True


def _described(hint: object) -> str:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    words = [_EXPECTED.get(get_origin(option) or option, "another value") for option in options]
    return " or ".join(dict.fromkeys(word for word in words if word != "nothing"))


def _kind_of(value: object) -> str:
    for kind, words in _EXPECTED.items():
        if isinstance(kind, type) and type(value) is kind:
            return words
    if isinstance(value, list | tuple):
        return "a list with other things in it"
    return "a mapping with other keys than texts" if isinstance(value, Mapping) else "another kind of value"
