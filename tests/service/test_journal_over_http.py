"""The journal in pages and as a stream, and many writes in one request."""

import json

import pytest
from served import Served

from prov_ledger import Ledger
from prov_ledger.merkle.tree import leaf_hash, root_hash

NDJSON = {"Content-Type": "application/x-ndjson"}


def test_pages_follow_each_other_to_the_end(served: Served) -> None:
    sequences, cursor = [], None
    while True:
        page = served.get(f"entries?limit=7{'' if cursor is None else f'&cursor={cursor}'}", "auditor").json()
        sequences += [entry["sequence"] for entry in page["entries"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert sequences == list(range(1, served.get("tree-head", "auditor").json()["size"] + 1))


def test_a_page_links_to_the_next(served: Served) -> None:
    answer = served.get("entries?limit=2", "auditor")
    assert answer.headers["Link"].startswith("</v1/default/entries?cursor=")
    assert answer.headers["Link"].endswith('; rel="next"')


@pytest.mark.parametrize("cursor", ["x", "YWZ0ZXIgLTE", "YWZ0ZXIg77yR", "", "%00"])
def test_a_cursor_that_was_not_given_out_is_refused(served: Served, cursor: str) -> None:
    answer = served.get(f"entries?cursor={cursor}", "auditor")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_input")


def test_the_export_is_what_the_root_is_over(served: Served) -> None:
    answer = served.get("export", "auditor", {"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    head = served.get("tree-head", "auditor").json()
    assert root_hash([leaf_hash(line["nquads"].encode()) for line in lines]).hex() == head["root"]
    quads = served.get("export", "auditor", {"Accept": "application/n-quads"}).text
    assert quads == "".join(line["nquads"] for line in lines)


def test_an_export_is_taken_up_where_it_broke_off(served: Served) -> None:
    def lines(after: int) -> list[str]:
        return served.get(
            f"export?after={after}", "auditor", {"Accept": "application/x-ndjson"}
        ).text.splitlines()

    assert lines(5) == lines(0)[5:]


@pytest.mark.parametrize("path", ["entries", "export"])
@pytest.mark.parametrize("role", ["agent", "analyst", "privacy_officer", "nobody"])
def test_the_journal_is_for_those_who_audit(served: Served, path: str, role: str) -> None:
    answer = served.get(path, role)
    assert (answer.status_code, answer.json()["code"]) == (403, "denied")
    assert answer.json()["detail"].startswith(f"'{path}' needs one of the roles ")


def _bulk(served: Served, lines: list[object], **headers: str) -> list[dict[str, object]]:
    body = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    sent = served.headers("curator") | NDJSON | headers
    answer = served.client.post("/v1/default/bulk", content=body, headers=sent)
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.text.splitlines()]


def _capture(served: Served) -> list[object]:
    return [
        {"verb": "source", "as": "page", "native": "wiki:b", "title": "B", "collection": "tools"},
        {"verb": "revision", "as": "state", "source": {"ref": "page"}, "data": "Open daily.", "label": "1"},
        {"verb": "evidence", "as": "quote", "revision": {"ref": "state"}, "quote": "Open daily."},
        {
            "verb": "claim",
            "says": "It is open daily.",
            "support": [{"ref": "quote"}],
            "transformation": {"kind": "quote"},
            "question": {"text": "When?", "facts": {}},
        },
    ]


def test_lines_name_what_earlier_ones_made(served: Served) -> None:
    answers = _bulk(served, _capture(served))
    claim = answers[-1]["value"]["id"]
    assert [answer["line"] for answer in answers] == [1, 2, 3, 4]
    assert served.post("resolve", {"ids": [claim]}).json()[0]["verdict"] == "citable"


def test_a_refused_line_is_told_and_the_others_are_made(served: Served) -> None:
    lines = [
        {"verb": "source", "native": "a", "title": "A"},
        {"verb": "source", "native": 3, "title": "A"},
        "not json",
        {"verb": "resolve", "ids": []},
        {"verb": "revision", "source": {"ref": "nothing"}, "data": "x", "label": "1"},
        {"verb": "source", "native": "b", "title": "B"},
    ]
    answers = _bulk(served, lines)
    codes = [answer["error"]["code"] if "error" in answer else None for answer in answers]
    assert codes == [None, "bad_input", "bad_input", "bad_input", "unknown_id", None]


def test_lines_under_one_key_are_made_once(served: Served) -> None:
    key = {"Idempotency-Key": "capture-1"}
    first = _bulk(served, _capture(served)[:2], **key)
    size = served.get("tree-head").json()["size"]
    again = _bulk(served, _capture(served), **key)
    assert again[:2] == first
    assert served.get("tree-head").json()["size"] == size + 2


def test_too_many_lines_end_the_request_and_keep_what_was_made(served: Served) -> None:
    with served.shop.served(limits={"bulk_lines": 2}) as small:
        answers = _bulk(small, [{"verb": "source", "native": str(n), "title": "A"} for n in range(4)])
    assert [("value" in answer) for answer in answers] == [True, True, False]
    assert answers[-1]["error"]["code"] == "too_large"
    with Ledger.open(served.shop.folder) as ledger:
        assert ledger.source(native="0", title="A") == answers[0]["value"]["id"]
