"""Reading the objects of SDKs and the JSON of their services alike, without importing any SDK.

The types of the SDKs are pydantic models, which turn themselves into mappings; JSON is mappings already.
Names are asked for as the SDKs write them (``start_index``); JSON may say ``startIndex``.
"""

from collections.abc import Iterator, Mapping


def as_mapping(raw: object) -> Mapping[str, object] | None:
    """The fields of a model or a mapping by name; None for anything else."""
    if not isinstance(raw, Mapping):
        dump = getattr(raw, "model_dump", None)
        raw = dump() if callable(dump) else None
    if not isinstance(raw, Mapping):
        return None
    return {name: value for name, value in raw.items() if isinstance(name, str)}


def value_in(fields: Mapping[str, object], name: str) -> object:
    """The value of a field, by its name with underscores or in camel case; None when absent."""
    if name in fields:
        return fields[name]
    first, *rest = name.split("_")
    return fields.get(first + "".join(word.capitalize() for word in rest))


def text_in(fields: Mapping[str, object], *names: str) -> str | None:
    """The first of these fields that is a text and not empty; None when none is."""
    values = (value_in(fields, name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def texts_in(fields: Mapping[str, object], *names: str) -> tuple[str, ...]:
    """Those of these fields that are texts and not empty."""
    values = (value_in(fields, name) for name in names)
    return tuple(value for value in values if isinstance(value, str) and value)


def number_in(fields: Mapping[str, object], name: str) -> int | None:
    """A field that is a whole number; None when it is absent or something else."""
    value = value_in(fields, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def fields_in(fields: Mapping[str, object], name: str) -> Mapping[str, object]:
    """A field that has fields itself; empty when it is absent or has none."""
    return as_mapping(value_in(fields, name)) or {}


def items_in(fields: Mapping[str, object], name: str) -> Iterator[object]:
    """The items of a field that is a list; none when it is absent or something else."""
    value = value_in(fields, name)
    if isinstance(value, list | tuple):
        yield from value
