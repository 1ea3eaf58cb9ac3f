"""A verb of ``Ledger`` as a request to a service: the same signature, another way."""

import base64
import inspect
import json
import uuid
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast, get_type_hints

from prov_ledger.checks.conformance import Report
from prov_ledger.client.decoding import decode_plain
from prov_ledger.client.transport import Transport
from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.ledger.erasing.certificate import Certificate
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.showing import Shown
from prov_ledger.model.facts import FactTable, FactType
from prov_ledger.model.plain import Json, encode_plain

P = ParamSpec("P")
T = TypeVar("T")
Verb = Callable[Concatenate[Ledger, P], T]
Call = Callable[Concatenate["Remote", P], T]

_ACTING = ("by", "principal")
#: What stands for an answer without a body: the verb was done, and returns nothing.
DONE: Json = "done"
#: What only a caller in the same process can give.
_LOCAL = ("count", "progress")


class Remote:
    """What calls have in common: a transport, the address of a tenant, a purpose."""

    def __init__(self, transport: Transport, tenant: str, purpose: str | None) -> None:
        self._transport, self._tenant, self._purpose = transport, tenant, purpose

    def _ask(self, path: str, body: Mapping[str, Json], key: str | None, again: bool) -> Json:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        sent = data.encode("utf-8", "surrogatepass")
        reply = self._transport.send("POST", f"{self._tenant}/{path}", sent, headers, again=again)
        return DONE if reply.status == 204 else reply.json()

    def _stated(self, parameters: Mapping[str, object], given: dict[str, object]) -> dict[str, object]:
        if "purpose" in parameters and given.get("purpose") is None and self._purpose is not None:
            given["purpose"] = self._purpose
        return given


def asked(path: str, verb: Verb[P, T]) -> Call[P, T]:
    """A verb that changes nothing: repeated where no answer came."""
    return _call(path, verb, keyed=False, again=True)


def written(path: str, verb: Verb[P, T]) -> Call[P, T]:
    """A verb that writes: repeated under one key, so that it is made once."""
    return _call(path, verb, keyed=True, again=True)


def alone(path: str, verb: Verb[P, T]) -> Call[P, T]:
    """A verb that is never repeated unasked."""
    return _call(path, verb, keyed=False, again=False)


def not_offered(why: str, verb: Verb[P, T]) -> Call[P, T]:
    """A verb that no service offers."""

    @wraps(verb)
    def refuse(self: Remote, /, *args: P.args, **given: P.kwargs) -> T:
        raise Refused("not_supported", why)

    return refuse


def _call(path: str, verb: Verb[P, T], keyed: bool, again: bool) -> Call[P, T]:
    signature = inspect.signature(verb)
    returns = _returned(verb)

    @wraps(verb)
    def call(self: Remote, /, *args: P.args, **given: P.kwargs) -> T:
        bound = signature.bind(self, *args, **given).arguments
        arguments = {name: value for name, value in bound.items() if name != "self"}
        body = _body(self._stated(signature.parameters, arguments))
        answer = self._ask(path, body, str(uuid.uuid4()) if keyed else None, again)
        try:
            return cast(T, _result(returns, answer))
        except (ValueError, TypeError, KeyError) as error:
            message = f"the server answered {path} with something else ({type(error).__name__})"
            raise ProvLedgerError(message, code="internal") from None

    # For tests that hold this and the service's table together.
    call.__dict__["over_http"] = (path, keyed, again)
    return call


def _returned(verb: Callable[..., object]) -> object:
    if verb.__name__ == "validate":
        return Report
    plain = inspect.unwrap(verb)
    return get_type_hints(plain)["return"]


def _body(arguments: Mapping[str, object]) -> dict[str, Json]:
    body: dict[str, Json] = {}
    for name, value in arguments.items():
        if name in _ACTING and value is not None:
            raise Refused("not_supported", f"'{name}': who acts is who the token says")
        if name in _LOCAL:
            raise Refused("not_supported", f"'{name}' is a function of yours, and cannot be sent")
        if isinstance(value, bytes):
            body[f"{name}_base64"] = base64.b64encode(value).decode()
        elif name not in _ACTING:
            body[name.rstrip("_")] = _plain(name, value)
    return body


def _plain(name: str, value: object) -> Json:
    try:
        return encode_plain(_dumped(value))
    except TypeError:
        raise Refused("bad_input", f"'{name}': holds a value that cannot be sent") from None


def _dumped(value: object) -> object:
    """Objects of SDKs as their JSON values."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    return [_dumped(one) for one in value] if isinstance(value, list | tuple) else value


def _result(returns: object, answer: Json) -> object:
    if (returns is type(None)) != (answer is DONE):
        raise ValueError
    if returns is type(None):
        return None
    if returns is str and isinstance(answer, dict):
        return str(answer["id"])
    if returns is int and isinstance(answer, dict):
        return int(str(answer["count"]))
    if returns is FactTable:
        return _facts(decode_plain(list[FactType], answer))
    if returns is Shown and isinstance(answer, dict):
        answer = {**answer, "data": base64.b64decode(str(answer["data"]), validate=True).hex()}
    if returns is Certificate:
        return Certificate.from_json(json.dumps(answer))
    return decode_plain(cast(type, returns), answer)


def _facts(types: list[FactType]) -> FactTable:
    zone = next((type_.zone for type_ in types if type_.name == "question_date"), None)
    table = FactTable(zone or "UTC")
    for type_ in types:
        table = table.declare(type_)
    return table
