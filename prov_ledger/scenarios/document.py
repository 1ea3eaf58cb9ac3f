"""YAML that reads the same under versions 1.1 and 1.2 of its specification.

Where the two differ, the text stays text: ``on``, ``no``, ``22:00``, ``0o17``, ``1_000`` and ``<<`` are
strings. Decimals are exact, a civil date is a date, an instant stays as written (with its zone).

Sources: YAML 1.1 (2005), YAML 1.2.2 sections 10.2 and 10.3.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import yaml

from prov_ledger.scenarios.scenario import NotAScenario

_NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
_TRUTH = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INTEGER = re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$")
_DECIMAL = re.compile(r"^[-+]?(?:0|[1-9][0-9]*)\.[0-9]+$")
_DATE = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc, valid-type]
    """Plain scalars by the rules above; a repeated key is an error, not the last one winning."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


def _plain(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.constructor.ConstructorError(None, None, "expected a scalar", node.start_mark)
    text = str(node.value)
    if node.style:
        return text
    for pattern, convert in _CONVERSIONS:
        if pattern.match(text):
            return convert(text)
    return text


def _date(text: str) -> object:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


_CONVERSIONS: tuple[tuple[re.Pattern[str], Callable[[str], object]], ...] = (
    (_NULL, lambda text: None),
    (_TRUTH, lambda text: text.lower() == "true"),
    (_INTEGER, int),
    (_DECIMAL, Decimal),
    (_DATE, _date),
)


def _mapping(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    if not isinstance(node, yaml.MappingNode):
        raise yaml.constructor.ConstructorError(None, None, "expected a mapping", node.start_mark)
    result: dict[str, object] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise yaml.constructor.ConstructorError(None, None, "a key must be text", key_node.start_mark)
        if key_node.value in result:
            problem = f"the key {key_node.value!r} stands twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        result[key_node.value] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor("tag:yaml.org,2002:str", _plain)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def parse_document(data: bytes, file: str) -> object:
    """The one YAML document in ``data`` (UTF-8) as dicts, lists, str, int, Decimal, bool, date, None.

    ``file`` is named in messages. Raises NotAScenario with line and column.
    """
    try:
        return yaml.load(data.decode("utf-8-sig"), Loader=_Loader)
    except UnicodeDecodeError as error:
        raise NotAScenario(file, f"is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise NotAScenario(file, "is nested too deep") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise NotAScenario(file, f"is not YAML{where}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise NotAScenario(file, "is not YAML: it holds a character that YAML does not allow") from error
