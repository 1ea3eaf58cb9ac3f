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
        tests = _tests(verb)
        for name, value in zip(names, args, strict=False):
            if name in tests and not tests[name](value):
                raise _refusal(name, value, _hints(verb)[name])
        for name, value in given.items():
            if name in tests and not tests[name](value):
                raise _refusal(name, value, _hints(verb)[name])
        return verb(*args, **given)

    return run


@functools.cache
def _hints(verb: Callable[..., object]) -> dict[str, object]:
    # What a verb gives back is not looked at, and may name what is imported for type checkers alone.
    stated = {name: hint for name, hint in verb.__annotations__.items() if name not in ("return", *_PARSED)}
    return get_type_hints(SimpleNamespace(__annotations__=stated), inspect.unwrap(verb).__globals__)


@functools.cache
def _tests(verb: Callable[..., object]) -> dict[str, Callable[[object], bool]]:
    return {name: _test(hint) for name, hint in _hints(verb).items()}


def _refusal(name: str, value: object, hint: object) -> Refused:
    if value is None:
        return Refused("incomplete", f"'{name}' is missing: give it")
    return Refused("bad_input", f"'{name}': expected {_described(hint)}, got {_kind_of(value)}")


def _test(hint: object) -> Callable[[object], bool]:
    """Whether a value is of the kind that a hint asks for, made once for each parameter of a verb."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        plain = tuple(kind for kind in get_args(hint) if kind in (str, bytes, bool, NoneType))
        options = [_test(option) for option in get_args(hint) if option not in plain]
        return lambda value: isinstance(value, plain) or any(fits(value) for fits in options)
    if origin is Sequence:
        item = _test(*get_args(hint))
        return lambda value: isinstance(value, list | tuple) and all(map(item, value))
    if origin is Mapping:
        return lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    if hint in (int, float):
        kinds = (int,) if hint is int else (int, float)
        return lambda value: isinstance(value, kinds) and not isinstance(value, bool)
    if hint in _EXPECTED and isinstance(hint, type):
        return lambda value: isinstance(value, hint)
    if isinstance(hint, type) and issubclass(hint, date):
        # Dates are parsed, and what is none is a bad fact; only nothing is not a date.
        return lambda value: value is not None
    return lambda value: True


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
