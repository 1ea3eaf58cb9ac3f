"""An entity at its own address: the forms, the gate in front of them, and where its provenance is."""

import json

import pytest
from pyoxigraph import Quad, RdfFormat, parse
from served import QUOTE, Served

from prov_ledger import Ledger
from prov_ledger.model.ids import mint_id

FORMS = ["text/html", "text/turtle", "application/ld+json", "application/prov+json"]


@pytest.mark.parametrize("form", FORMS)
def test_an_entity_comes_in_the_form_asked_for(served: Served, form: str) -> None:
    answer = served.get(f"id/{served.shop.claim}", "agent", {"Accept": form})
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, form)
    assert served.shop.evidence in answer.text


def test_turtle_and_json_ld_say_the_same(served: Served) -> None:
    def triples(form: str, read_as: RdfFormat) -> set[Quad]:
        answer = served.get(f"id/{served.shop.claim}/provenance", "agent", {"Accept": form})
        return set(parse(answer.text, read_as))

    turtle = triples("text/turtle", RdfFormat.TURTLE)
    assert len(turtle) > 10
    assert triples("application/ld+json", RdfFormat.JSON_LD) == turtle


def test_prov_json_names_the_derivation(served: Served) -> None:
    answer = served.get(f"id/{served.shop.claim}", "agent", {"Accept": "application/prov+json"})
    document = json.loads(answer.text)
    derived = {
        "prov:generatedEntity": f"id:{served.shop.claim}",
        "prov:usedEntity": f"id:{served.shop.evidence}",
    }
    assert derived in document["wasDerivedFrom"].values()
    assert f"id:{served.shop.claim}" in document["entity"]


def test_a_page_shows_what_may_be_shown_now_and_is_kept_nowhere(served: Served) -> None:
    answer = served.get(f"id/{served.shop.evidence}", "agent", {"Accept": "text/html"})
    assert QUOTE in answer.text
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in answer.headers


def test_text_of_sources_is_escaped_in_a_page(served: Served) -> None:
    with Ledger.open(served.shop.folder) as ledger:
        source = ledger.source(native="x", title="<script>alert(1)</script>")
        ledger.grant("the-agent", source)
        revision = ledger.revision(source, data="<b>bold</b>", label="<i>")
        evidence = ledger.evidence(revision, quote="<b>bold</b>")
    page = served.get(f"id/{evidence}", "agent", {"Accept": "text/html"}).text
    assert "&lt;script&gt;" in page
    assert "<script" not in page.replace("<!doctype", "")
    assert "<b>" not in page


def test_no_text_is_in_what_is_recorded(served: Served) -> None:
    for form in FORMS[1:]:
        text = served.get(f"id/{served.shop.evidence}", "agent", {"Accept": form}).text
        assert "returned within" not in text
        assert "Returns policy" not in text


def test_absent_and_forbidden_are_one_answer(served: Served) -> None:
    absent = mint_id("cl")
    answers = [
        served.get(f"id/{id}", "agent", {"Accept": form})
        for id in (absent, served.shop.hidden_claim)
        for form in FORMS
    ]
    bodies = {answer.text.replace(absent, "ID").replace(served.shop.hidden_claim, "ID") for answer in answers}
    assert {answer.status_code for answer in answers} == {404}
    assert len(bodies) == 1


def test_what_a_reader_may_not_read_is_not_named_either(served: Served) -> None:
    with Ledger.open(served.shop.folder) as ledger:
        claim = ledger.claim(
            says="Both.",
            support=[[served.shop.evidence], [served.shop.hidden_evidence]],
            transformation={"kind": "combine"},
            question={"text": "What?", "facts": {}},
        )
    hidden = served.get(f"id/{claim}", "agent", {"Accept": "text/turtle"})
    whole = served.post("resolve", {"ids": [claim]}, "agent").json()[0]
    assert whole["verdict"] == "citable"
    assert served.shop.hidden_evidence not in hidden.text
    assert served.shop.evidence in hidden.text


def test_entries_and_agents_are_for_those_who_may_query_the_graph(served: Served) -> None:
    with Ledger.open(served.shop.folder) as ledger:
        agent = ledger.find_agent("the-agent")
    statuses = {role: served.get(f"id/{agent}", role).status_code for role in ("agent", "analyst", "auditor")}
    assert statuses == {"agent": 404, "analyst": 200, "auditor": 200}


def test_links_lead_to_the_provenance_and_the_query_service(served: Served) -> None:
    claim = served.shop.claim
    links = served.get(f"id/{claim}", "agent").headers["Link"]
    anchor = f"https://prov-ledger.invalid/default/{claim}"
    prov = "http://www.w3.org/ns/prov#"
    assert f'</v1/default/id/{claim}/provenance>; rel="{prov}has_provenance"; anchor="{anchor}"' in links
    assert f'<{anchor}>; rel="http://www.w3.org/ns/prov#has_anchor"' in links
    assert '</v1/default/sparql>; rel="http://www.w3.org/ns/prov#has_query_service"' in links


def test_a_form_that_is_held_already_is_not_sent_again_and_a_changed_one_is(served: Served) -> None:
    def get(etag: str | None) -> tuple[int, str]:
        held = {"Accept": "text/turtle"} | ({"If-None-Match": etag} if etag else {})
        answer = served.get(f"id/{served.shop.claim}", "agent", held)
        return answer.status_code, answer.headers["ETag"]

    first = get(None)
    assert get(first[1]) == (304, first[1])
    with Ledger.open(served.shop.folder) as ledger:
        ledger.retract(served.shop.claim)
    assert get(first[1])[0] == 200


def test_what_was_taken_away_is_not_told_to_be_as_it_was(served: Served) -> None:
    path, accept = f"id/{served.shop.claim}", {"Accept": "text/turtle"}
    etag = served.get(path, "agent", accept).headers["ETag"]
    with Ledger.open(served.shop.folder) as ledger:
        ledger.revoke("the-agent", served.shop.source)
    assert served.get(path, "agent", accept | {"If-None-Match": etag}).status_code == 404


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", "text/html"),
        ("text/*;q=0.5, application/prov+json", "application/prov+json"),
        ("text/html;q=0, */*;q=0.1", "text/turtle"),
        ("application/ld+json;q=0.9, text/turtle;q=0.9", "text/turtle"),
    ],
)
def test_the_greatest_weight_wins(served: Served, accept: str, form: str) -> None:
    answer = served.get(f"id/{served.shop.claim}", "agent", {"Accept": accept})
    assert answer.headers["Content-Type"].partition(";")[0] == form


def test_a_form_that_there_is_not_is_refused(served: Served) -> None:
    answer = served.get(f"id/{served.shop.claim}", "agent", {"Accept": "image/png"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
