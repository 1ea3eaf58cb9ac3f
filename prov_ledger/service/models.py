"""Models of requests, made from the signatures of the verbs."""

import base64
import binascii
import inspect
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, create_model

from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.problems import places
from prov_ledger.service.settings import Limits
from prov_ledger.service.verbs import COUNT, ID, NOTHING, Verb

#: Parameters that come from the transport, or that only a caller in the same process can give.
HIDDEN = ("self", "by", "principal", "count", "progress")
_BASE64 = "_base64"
_LONGEST_LIST = 10_000
_SENT = TypeAdapter(SentDocument)


class Id(BaseModel):
    """The id of what was made, or was there already."""

    id: str = Field(examples=["cl_0000000000000000ab"])


class Count(BaseModel):
    """How many."""

    count: int = Field(examples=[12])


@cache
def parameters_of(method: str) -> tuple[str, ...]:
    """The names of all parameters of a verb."""
    return tuple(inspect.signature(getattr(Ledger, method)).parameters)


@cache
def signature_of(method: str) -> dict[str, tuple[object, object]]:
    """The parameters of a verb that a request may give: their types and defaults (``...`` for none)."""
    function = inspect.unwrap(getattr(Ledger, method))
    stated = {k: v for k, v in function.__annotations__.items() if k not in ("return", *HIDDEN)}
    hints = get_type_hints(SimpleNamespace(__annotations__=stated), function.__globals__)
    parameters = inspect.signature(function).parameters
    return {
        name: (hint, ... if parameters[name].default is inspect.Parameter.empty else parameters[name].default)
        for name, hint in hints.items()
    }


def request_model(verb: Verb, limits: Limits) -> type[BaseModel]:
    """What a request for a verb holds: its own parameters and nothing else."""
    fields: dict[str, tuple[object, object]] = {}
    for name, (hint, default) in signature_of(verb.method).items():
        most = limits.ids if name == "ids" else _LONGEST_LIST
        wire, field = _wire(hint, most), Field(default=default, alias=name.rstrip("_"))
        if _takes_bytes(hint):
            wire, field = str | None, Field(default=None)
            fields[name + _BASE64] = (str | None, Field(default=None, description="Bytes, in base64."))
        fields[name] = (wire, field)
    config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True, arbitrary_types_allowed=True)
    title = verb.method.title().replace("_", "")
    made: type[BaseModel] = create_model(f"{title}Request", __config__=config, **fields)  # type: ignore[call-overload]
    return made


def answer_model(verb: Verb) -> object:
    """The type of the answer's body; None where there is no body."""
    return {ID: Id, COUNT: Count, NOTHING: None}.get(verb.answers, verb.answers)  # type: ignore[call-overload]


def _takes_bytes(hint: object) -> bool:
    return bytes in get_args(hint)


def _wire(hint: object, most: int) -> object:
    """The type of a parameter as JSON carries it."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        options = [_wire(option, most) for option in get_args(hint)]
        return Union[tuple(dict.fromkeys(options))]  # noqa: UP007 - made at run time
    if origin is Sequence:
        (item,) = get_args(hint)
        return Annotated[list[_wire(item, most)], Field(max_length=most)]  # type: ignore[misc]
    if origin is Mapping:
        return dict[str, JsonValue]
    if hint in (str, bool, int, float, NoneType):
        return hint
    if isinstance(hint, type) and issubclass(hint, date):
        return str
    return JsonValue


Arguments = dict[str, object]


def arguments_of(verb: Verb, model: BaseModel) -> Arguments:
    """The arguments for the verb that a request gives; what it leaves out has the verb's own default."""
    signature, given = signature_of(verb.method), {}
    for name in model.model_fields_set:
        value = getattr(model, name)
        if name + _BASE64 in model.model_fields_set:
            raise Refused(
                "bad_input", f"{name} and {name}{_BASE64} are two writings of one: give one of them"
            )
        if name in signature:
            given[name] = _sent_documents(value) if _names_documents(signature[name][0]) else value
        else:
            given[name.removesuffix(_BASE64)] = _decoded(name, value)
    return given


def _decoded(name: str, value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error:
        raise Refused("bad_input", f"{name}: is not base64") from None


def _names_documents(hint: object) -> bool:
    return any(SentDocument in (option, *get_args(option)) for option in get_args(hint))


def _sent_documents(value: object) -> list[object]:
    """Documents as ids, or as objects with the fields of ``SentDocument``."""
    listed = value if isinstance(value, list) else []
    return [_sent(one) if isinstance(one, dict) else one for one in listed]


def _sent(one: dict[str, object]) -> SentDocument:
    try:
        return _SENT.validate_python(one)
    except ValidationError as error:
        raise Refused("bad_input", f"documents: {places(error.errors())}") from None
