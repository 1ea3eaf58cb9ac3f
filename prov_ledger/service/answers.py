"""What a verb returned, as the body of an answer."""

import base64
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from fastapi import Response

from prov_ledger.ledger.auditing import AuditReport
from prov_ledger.ledger.erasing.certificate import Certificate
from prov_ledger.ledger.erasing.manifest import Manifest
from prov_ledger.ledger.showing import Shown
from prov_ledger.model.plain import Json, encode_plain
from prov_ledger.service.verbs import COUNT, ID, NOTHING, Verb

_JSON = "application/json"
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def answered(verb: Verb, result: object) -> Response:
    """The answer with what a verb returned; nobody on the way may keep it."""
    if verb.answers is NOTHING:
        return Response(status_code=204)
    return json_answer(value_of(verb, result))


def json_answer(value: Json) -> Response:
    """A JSON body; made in the thread that calls, so that the event loop is not held up by it."""
    text = _ENCODER.encode(value)
    return Response(text.encode("utf-8", "surrogatepass"), media_type=_JSON)


def value_of(verb: Verb, result: object) -> Json:
    """The JSON value of what a verb returned."""
    if verb.answers is ID:
        return {"id": str(result)}
    if verb.answers is COUNT:
        return {"count": cast(int, result)}
    if verb.answers is NOTHING:
        return None
    if isinstance(result, Shown):
        plain = cast(dict[str, Json], encode_plain(replace(result, data=b"")))
        return {**plain, "data": base64.b64encode(result.data).decode()}
    if isinstance(result, Manifest):
        return {"hash": result.hash, **cast(dict[str, Json], encode_plain(result))}
    if isinstance(result, Certificate):
        return cast(Json, json.loads(result.to_json()))
    if isinstance(result, AuditReport):
        return {"valid": result.valid, **cast(dict[str, Json], encode_plain(result))}
    if isinstance(result, Iterable) and not isinstance(result, str | bytes | dict):
        return [encode_plain(one) for one in result]
    return encode_plain(result)
