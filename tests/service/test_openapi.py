"""What the OpenAPI says is what is answered, whatever is sent; and whatever is sent, nothing fails inside."""

import json
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served import Shop, make_shop
from served_ledgers import serving

from prov_ledger.model.records import Role
from prov_ledger.service.app import create_app
from prov_ledger.service.settings import Settings
from prov_ledger.service.verbs import VERBS

#: Of each operation; raise it for a longer hunt.
EXAMPLES = 6
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
#: Lines of JSON have no schema that data could be made of.
UNMADE = ("POST /v1/{tenant}/bulk",)
DOCUMENT = create_app(Settings()).openapi()
OPERATIONS = [
    (path, method)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if method != "parameters"
]


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shop, schemathesis.BaseSchema]]:
    shop = make_shop(tmp_path_factory.mktemp("hunted") / "ledger")
    with serving(shop.folder, no_auth_on_loopback=True) as address:
        yield shop, schemathesis.openapi.from_url(f"{address}/openapi.json")


def _known(shop: Shop) -> dict[str, object]:
    """Values that lead somewhere, by the names of the fields that take them."""
    return {
        **dict.fromkeys(("source", "on", "read", "native_or_id"), shop.source),
        **dict.fromkeys(("revision", "of"), shop.revision),
        **dict.fromkeys(("claim", "old"), shop.claim),
        **{name: [shop.claim, shop.evidence, shop.hidden_claim] for name in ("ids", "claims")},
        **{name: [shop.evidence] for name in ("support", "exposure")},
        "documents": [shop.revision],
        "reminder": shop.reminder,
        "thread": "chat-7",
        "quote": "within 60 days",
        "transformation": {"kind": "quote"},
        "question": {"text": "How long?", "facts": {"purchase_date": "2026-07-02"}},
        "facts": {"purchase_date": "2026-07-02"},
    }


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda value: value)
def test_an_operation_answers_as_it_is_described(
    hunted: tuple[Shop, schemathesis.BaseSchema], path: str, method: str
) -> None:
    shop, schema = hunted
    if f"{method.upper()} {path}" in UNMADE:
        pytest.skip("lines of JSON are tried in test_journal_over_http.py")
    operation = schema[path][method]
    known = _known(shop)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @seed(7)
    @given(case=operation.as_strategy(), leads=st.booleans(), role=st.sampled_from([None, *Role]))
    def run(case: schemathesis.Case, leads: bool, role: Role | None) -> None:
        if "tenant" in (case.path_parameters or {}):
            case.path_parameters["tenant"] = "default"
        if leads and isinstance(case.body, dict):
            case.body = {name: known.get(name, value) for name, value in case.body.items()}
        headers = {} if role is None else {"Authorization": f"Bearer {shop.keys[role]}"}
        case.call_and_validate(headers=headers, checks=CHECKS)

    run()


def test_every_operation_of_a_tenant_needs_credentials_and_says_how_it_refuses() -> None:
    for path, method in OPERATIONS:
        operation = DOCUMENT["paths"][path][method]
        assert operation["summary"], path
        if path.startswith("/v1/"):
            assert operation["security"] == [{"bearer": []}], path
            problem = operation["responses"]["401"]["content"]
            assert "application/problem+json" in problem, path


def test_it_is_openapi_3_1_with_an_example_for_every_verb_that_takes_anything() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    for verb in VERBS:
        content = DOCUMENT["paths"][f"/v1/{{tenant}}/{verb.path}"]["post"]["requestBody"]["content"]
        told = content["application/json"]
        needed = told["schema"].get("required", [])
        assert set(needed) <= set(told["examples"]["usual"]["value"]), verb.path


def test_no_name_of_an_operation_is_used_twice() -> None:
    names = [DOCUMENT["paths"][path][method]["operationId"] for path, method in OPERATIONS]
    assert len(names) == len(set(names))
    assert json.dumps(DOCUMENT).count('"$ref": "#/components/schemas/Problem"') > len(VERBS)
