"""The commands that list what there is."""

import json

from cli_process import Shop


def test_sources_are_listed_for_who_may_read_them(shop: Shop) -> None:
    ran = shop.run("list", "sources", "--as", "support-bot")
    assert ran.out.splitlines() == [
        f"{shop.source}  Returns policy",
        "    manual, wiki:returns, official, latest: 12",
    ]
    assert shop.run("list", "sources", "--as", "stranger").out == ""


def test_grants_and_threads_are_listed_in_words_and_in_json(shop: Shop) -> None:
    assert f"support-bot reads {shop.source}" in shop.run("list", "grants").out.splitlines()
    [thread] = json.loads(shop.run("list", "threads", "--json").out)
    assert (thread["name"], thread["owner"]) == ("chat-7", "curator")
    assert f"    {thread['id']}" in shop.run("list", "threads").out.splitlines()
    assert shop.run("list", "collections").out == ""
