"""The command ``answer`` stands in front of a reader."""

import json
from pathlib import Path

import pytest
from cli_process import Ran, Shop

JULY = ("-f", "purchase_date=2026-07-02")


def answer(shop: Shop, text: str, *options: str) -> Ran:
    return shop.run("answer", "-", "--thread", "chat-7", *options, stdin=text)


def test_what_may_be_shown_is_printed(shop: Shop) -> None:
    ran = answer(shop, "You have 60 days [c1].", *JULY)
    assert (ran.status, ran.out) == (0, "allowed\n\nYou have 60 days [c1].")


def test_what_blocks_is_said_with_status_one(shop: Shop) -> None:
    ran = answer(shop, "Hello. You have 60 days [c1]. Or 90 days [c1].", *JULY, "--strict")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "blocked: value_not_in_evidence, uncited",
        "  value_not_in_evidence: [c1]",
        "  uncited: the text as a whole",
        "  without a citation: Hello.",
        "",
        "You have 60 days [c1].",
    ]


def test_json_holds_all_of_it(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "reply.md"
    file.write_text(f"You have 60 days [{shop.claim}].", encoding="utf-8")
    ran = shop.run("answer", str(file), "-f", "purchase_date=2026-04-12", "--as", "support-bot", "--json")
    found = json.loads(ran.out)
    assert (ran.status, found["allowed"], found["text"], found["partial"]) == (1, False, "", True)
    assert found["codes"] == ["not_citable:not_yet"]


@pytest.mark.parametrize(("file", "code"), [("missing.md", "not_found"), ("latin.md", "bad_input")])
def test_a_file_that_cannot_be_read_is_refused(shop: Shop, tmp_path: Path, file: str, code: str) -> None:
    (tmp_path / "latin.md").write_bytes("für".encode("latin-1"))
    ran = shop.run("answer", str(tmp_path / file))
    assert ran.err.startswith(f"error [{code}]: ")
