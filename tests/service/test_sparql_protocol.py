"""SPARQL 1.1 Protocol: the W3C's tests that apply to one graph that is only read, and what is ours besides.

Named as in the W3C's manifest of protocol tests; the queries are our own. Those with updates and with
graphs to be fetched do not apply: both are refused.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
from httpx2 import Response
from rdflib import Graph, URIRef
from served import Served, Shop

from prov_ledger.analysing.rendering import GRAPH_FORMS
from prov_ledger.model.records import Role
from prov_ledger.service.negotiation import choose_type

PATH = "/v1/default/sparql"
GRAPH = "https://prov-ledger.invalid/default/graph"
QUERY, FORM = "application/sparql-query", "application/x-www-form-urlencoded"
JSON, XML = "application/sparql-results+json", "application/sparql-results+xml"
SOURCES = "SELECT ?source { ?source a pl:Source }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " . ".join(f"?a{i} ?b{i} ?c{i}" for i in range(9)) + " }"
_RESULTS = (JSON, XML, "text/csv", "text/tab-separated-values")
_GRAPHS = ("text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml")


@pytest.fixture(scope="module")
def served(first_shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One service for all that only ask."""
    folder = tmp_path_factory.mktemp("asked") / "ledger"
    shutil.copytree(first_shop.folder, folder)
    with replace(first_shop, folder=folder).served() as served:
        yield served


def get(
    served: Served, query: str | None, accept: str = "*/*", role: str | None = "analyst", **more: object
) -> Response:
    parameters = ([] if query is None else [("query", query)]) + [
        (name.replace("_", "-"), value)
        for name, values in more.items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return served.client.get(
        PATH,
        params=parameters,
        headers=served.headers(role) | {"Accept": accept},  # type: ignore[arg-type]
    )


def post(
    served: Served, body: bytes | str, media_type: str | None, parameters: str = "", role: str = "analyst"
) -> Response:
    headers = served.headers(role) | ({} if media_type is None else {"Content-Type": media_type})
    content = body.encode() if isinstance(body, str) else body
    return served.client.post(f"{PATH}{parameters}", content=content, headers=headers)


def _is_true(answer: Response) -> bool:
    assert (answer.status_code, answer.headers["content-type"]) == (200, JSON)
    return answer.json()["boolean"] is True


def _code(answer: Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_query_get(served: Served) -> None:
    assert _is_true(get(served, "ASK {}"))


def test_query_post_form(served: Served) -> None:
    assert _is_true(post(served, urlencode({"query": "ASK {}"}), FORM))


def test_query_post_direct(served: Served) -> None:
    assert _is_true(post(served, "ASK {}", QUERY))


@pytest.mark.parametrize("form", _RESULTS)
def test_query_content_type_select(served: Served, form: str) -> None:
    answer = get(served, SOURCES, form)
    assert answer.headers["content-type"].partition(";")[0] == form
    assert served.shop.source in answer.text


@pytest.mark.parametrize("form", [JSON, XML])
def test_query_content_type_ask(served: Served, form: str) -> None:
    answer = get(served, "ASK {}", form)
    assert answer.headers["content-type"] == form
    assert bool(ox.parse_query_results(answer.content, ox.QueryResultsFormat.from_media_type(form)))


@pytest.mark.parametrize("form", _GRAPHS)
@pytest.mark.parametrize("verb", ["DESCRIBE ?s", "CONSTRUCT { ?s a pl:Source }"])
def test_query_content_type_describe_and_construct(served: Served, form: str, verb: str) -> None:
    answer = get(served, verb + " WHERE { ?s a pl:Source }", form)
    assert answer.headers["content-type"].partition(";")[0] == form
    triples = ox.parse(answer.content, ox.RdfFormat.from_media_type(form))
    assert any(served.shop.source in str(triple.subject) for triple in triples)


@pytest.mark.parametrize("send", ["get", "post"])
@pytest.mark.parametrize("name", ["default-graph-uri", "named-graph-uri"])
def test_query_dataset_is_refused_beyond_the_tenant(served: Served, send: str, name: str) -> None:
    for graph in ("https://data.test/1", GRAPH + "#", "https://prov-ledger.invalid/default/index", ""):
        asked = urlencode({"query": "ASK {}", name: graph})
        if send == "get":
            answer = served.client.get(f"{PATH}?{asked}", headers=served.headers("analyst"))
        else:
            answer = post(served, "ASK {}", QUERY, "?" + urlencode({name: graph}))
        assert _code(answer) == (400, "bad_query")


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({}, (True, True)),
        ({"default_graph_uri": GRAPH}, (True, False)),
        ({"named_graph_uri": GRAPH}, (False, True)),
        ({"named_graph_uri": GRAPH, "default_graph_uri": [GRAPH, GRAPH]}, (True, True)),
    ],
)
def test_query_dataset_full(served: Served, given: dict[str, object], seen: tuple[bool, bool]) -> None:
    as_default = get(served, "ASK { ?s ?p ?o }", **given).json()["boolean"]
    as_named = get(served, f"ASK {{ GRAPH <{GRAPH}> {{ ?s ?p ?o }} }}", **given).json()["boolean"]
    assert (as_default, as_named) == seen


def test_query_multiple_dataset(served: Served) -> None:
    """What the protocol says comes before FROM."""
    text = "ASK FROM <https://data.test/1> FROM NAMED <https://data.test/2> { ?s ?p ?o }"
    assert _is_true(get(served, text, default_graph_uri=GRAPH))
    named = f"ASK FROM NAMED <{GRAPH}> {{ GRAPH ?g {{ ?s ?p ?o }} }}"
    assert get(served, named, default_graph_uri=GRAPH).json()["boolean"] is False


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_bad_query_method(served: Served, method: str) -> None:
    answer = served.client.request(method, f"{PATH}?query=ASK%20%7B%7D", headers=served.headers("analyst"))
    assert _code(answer) == (405, "method_not_allowed")


def test_bad_multiple_queries(served: Served) -> None:
    assert (
        _code(
            served.client.get(f"{PATH}?query=ASK%7B%7D&query=ASK%7B%7D", headers=served.headers("analyst"))
        )[0]
        == 400
    )
    assert _code(post(served, "query=ASK%7B%7D&query=ASK%7B%7D", FORM)) == (400, "bad_query")
    assert _code(post(served, "query=ASK%7B%7D", FORM, "?query=ASK%7B%7D")) == (400, "bad_query")


def test_bad_query_wrong_media_type(served: Served) -> None:
    assert _code(post(served, "ASK {}", "text/plain")) == (415, "unsupported_media_type")


def test_bad_query_missing_form_type(served: Served) -> None:
    assert _code(post(served, "query=ASK%20%7B%7D", None)) == (415, "unsupported_media_type")


def test_bad_query_missing_direct_type(served: Served) -> None:
    assert _code(post(served, "ASK {}", None)) == (415, "unsupported_media_type")


def test_bad_query_non_utf8(served: Served) -> None:
    assert _code(post(served, "ASK {}".encode("utf-16"), f"{QUERY}; charset=UTF-16")) == (400, "bad_query")
    assert _code(post(served, "ASK { ?s ?p 'ä' }".encode("latin-1"), QUERY)) == (400, "bad_query")
    assert _code(post(served, "query=%ff%fe", FORM)) == (400, "bad_query")


@pytest.mark.parametrize("text", ["ASK {", "", "SELECT * { ?s ?p }", "ASK {} ASK {}", "\ud800"])
def test_bad_query_syntax(served: Served, text: str) -> None:
    sent = urlencode({"query": text.encode("utf-8", "surrogatepass")})
    answer = served.client.get(f"{PATH}?{sent}", headers=served.headers("analyst"))
    assert _code(answer) == (400, "bad_query")


@pytest.mark.parametrize(
    ("body", "media_type", "parameters"),
    [
        ("CLEAR ALL", "application/sparql-update", ""),
        ("CLEAR ALL", "application/sparql-update; charset=UTF-16", ""),
        ("update=CLEAR%20ALL", FORM, ""),
        ("update=CLEAR%20ALL&update=CLEAR%20ALL", FORM, ""),
        ("query=ASK%7B%7D", FORM, "?update=CLEAR%20ALL"),
        ("CLEAR ALL", QUERY, ""),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", QUERY, ""),
    ],
)
def test_bad_update_in_any_form(served: Served, body: str, media_type: str, parameters: str) -> None:
    assert _code(post(served, body, media_type, parameters)) == (400, "bad_query")


def test_bad_update_get(served: Served) -> None:
    answer = served.client.get(f"{PATH}?update=CLEAR%20ALL", headers=served.headers("analyst"))
    assert _code(answer) == (400, "bad_query")


def test_a_post_without_a_query_is_told_so(served: Served) -> None:
    assert _code(post(served, "text=s", FORM)) == (400, "bad_query")


@pytest.mark.parametrize("form", _GRAPHS)
def test_without_a_query_the_service_describes_itself(served: Served, form: str) -> None:
    get(served, "ASK {}")
    answer = get(served, None, form)
    description = Graph().parse(data=answer.text, format=form) if "ld+json" not in form else None
    if description is None:
        assert json.loads(answer.text)
        return
    sd = "http://www.w3.org/ns/sparql-service-description#"
    (service,) = description.subjects(None, URIRef(sd + "Service"))
    assert description.value(service, URIRef(sd + "endpoint")) == service
    assert list(description.objects(None, URIRef(sd + "name"))) == [URIRef(GRAPH)]
    (sequence,) = description.objects(None, URIRef("https://w3id.org/prov-ledger#indexedSequence"))
    assert int(sequence) > 0


def test_an_answer_says_how_far_it_knows_and_when_that_was(served: Served) -> None:
    said = get(served, "ASK {}").headers["Prov-Ledger-Snapshot"]
    head = served.get("tree-head").json()
    assert said.startswith(f'sequence={head["size"]}, taken="20')
    assert said.endswith('Z"')


def test_what_was_just_recorded_is_known_where_no_age_is_allowed(shop: Shop) -> None:
    with shop.served(queries={"snapshot_max_age_s": 0}) as served:
        before = get(served, SOURCES, "text/csv").text
        served.post("source", {"native": "new", "title": "New"})
        after = get(served, SOURCES, "text/csv").text
    assert len(after.splitlines()) == len(before.splitlines()) + 1


def test_an_older_answer_will_do_within_the_age_that_is_allowed(shop: Shop) -> None:
    with shop.served(queries={"snapshot_max_age_s": 3600}) as served:
        before = get(served, SOURCES, "text/csv")
        served.post("source", {"native": "new", "title": "New"})
        after = get(served, SOURCES, "text/csv")
    assert after.text == before.text
    assert after.headers["Prov-Ledger-Snapshot"] == before.headers["Prov-Ledger-Snapshot"]


def test_rows_and_bytes_are_cut_and_the_header_says_so(shop: Shop) -> None:
    everything = "SELECT * { ?s ?p ?o . ?a ?b ?c }"
    with shop.served(queries={"rows": 5}) as served:
        answer = get(served, everything)
        assert answer.headers["Prov-Ledger-Cut"] == "rows;limit=5"
        assert len(answer.json()["results"]["bindings"]) == 5
        assert "Prov-Ledger-Cut" not in get(served, everything + " LIMIT 5").headers
    with shop.served(queries={"answer_bytes": 2_000}) as served:
        answer = get(served, everything)
        assert answer.headers["Prov-Ledger-Cut"] == "bytes;limit=2000"
        assert answer.json()["results"]["bindings"]


def test_a_query_that_runs_for_ever_is_ended(shop: Shop) -> None:
    with shop.served(queries={"deadline_s": 0.3}) as served:
        assert _code(get(served, ENDLESS)) == (504, "query_timeout")
        assert _is_true(get(served, "ASK {}"))


def test_a_query_that_wants_too_much_memory_is_ended(shop: Shop) -> None:
    text = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?l"
    with shop.served(queries={"memory_mb": 160}) as served:
        assert _code(get(served, text)) == (422, "query_memory")


@pytest.mark.parametrize("call", ["SERVICE <http://127.0.0.1/> {}", r"\u0053ERVICE <http://127.0.0.1/> {}"])
def test_a_call_to_another_server_is_refused(served: Served, call: str) -> None:
    assert _code(get(served, f"ASK {{ {call} }}")) == (400, "bad_query")


@pytest.mark.parametrize("role", [*map(str, Role), "nobody", None])
def test_only_analysts_and_auditors_ask(served: Served, role: str | None) -> None:
    expected = 401 if role is None else 200 if role in ("analyst", "auditor") else 403
    for query in ("ASK {}", None):
        assert get(served, query, role=role).status_code == expected
    if role is not None:
        assert post(served, "ASK {}", QUERY, role=role).status_code == expected


def test_who_may_not_ask_is_not_told_whether_the_query_is_valid(served: Served) -> None:
    assert _code(get(served, "ASK {", role="agent")) == (403, "denied")


def test_another_tenant_is_not_there(served: Served) -> None:
    answer = served.client.get("/v1/other/sparql?query=ASK%7B%7D", headers=served.headers("analyst"))
    assert _code(answer) == (404, "not_found")


def test_text_is_joined_as_far_as_the_analyst_may_see_it(served: Served) -> None:
    answer = get(served, SOURCES, text="source").json()
    texts = {
        row["source"]["value"].rsplit("/", 1)[1]: row.get("source_text", {}).get("value", "")
        for row in answer["results"]["bindings"]
    }
    assert texts == {served.shop.source: "Returns policy", served.shop.hidden_source: ""}


def test_text_is_joined_to_columns_that_are_there(served: Served) -> None:
    assert _code(get(served, SOURCES, text="claim")) == (400, "bad_query")
    assert _code(get(served, "ASK {}", text="claim")) == (400, "bad_query")


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("text/*", "text/csv"),
        ("application/json", JSON),
        ("text/xml", XML),
        (f"{JSON};q=0.5, {XML}", XML),
        ("text/csv;q=0.9, */*;q=0.1", "text/csv"),
        (f"{JSON};q=0, */*", XML),
        ("text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", XML),
        ("text/tab-separated-values; charset=utf-8", "text/tab-separated-values"),
    ],
)
def test_the_form_that_is_liked_best_is_chosen(served: Served, accept: str, chosen: str) -> None:
    assert get(served, SOURCES, accept).headers["content-type"].partition(";")[0] == chosen


@pytest.mark.parametrize("accept", ["text/turtle", "image/png", "*/*;q=0"])
def test_a_form_that_there_is_not_is_refused(served: Served, accept: str) -> None:
    assert _code(get(served, SOURCES, accept)) == (406, "not_acceptable")


def test_the_refusal_of_a_form_lists_each_that_there_is_once(served: Served) -> None:
    told = get(served, "CONSTRUCT WHERE { ?s a pl:Source }", "image/png").json()["detail"]
    assert [told.count(form) for form in GRAPH_FORMS] == [1] * len(GRAPH_FORMS)


def test_a_broken_preference_counts_as_none() -> None:
    assert choose_type("text/csv;q=x, text/turtle;q=0.1", ["text/csv", "text/turtle"]) == "text/turtle"


def test_switched_off_there_is_no_endpoint(shop: Shop) -> None:
    with shop.served(sparql=False) as served:
        assert _code(get(served, "ASK {}")) == (404, "not_found")


def test_a_mistake_is_placed_in_the_text_that_was_sent(served: Served) -> None:
    for text, place in (("SELECT ?x { ?x a pl:Claim }}", "1:29"), ("SELECT ?x {\n ?x }", "2:6")):
        assert f"error at {place}:" in get(served, text).json()["detail"]


def test_the_prefixes_of_the_ledger_are_preset(served: Served) -> None:
    assert _is_true(get(served, "ASK { ?claim a pl:Claim ; prov:wasDerivedFrom ?evidence }"))
    own = "PREFIX pl: <https://w3id.org/prov-ledger#> ASK { ?claim a pl:Claim }"
    assert _is_true(get(served, own))
