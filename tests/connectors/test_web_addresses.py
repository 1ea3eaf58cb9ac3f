"""Which addresses name a page, and which machines count as public."""

import pytest

from prov_ledger.connectors.web.addresses import Unfetched, checked_addresses, is_public, parse_target
from prov_ledger.errors import ConnectorError


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "::",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "no address",
    ],
)
def test_an_address_that_is_not_of_the_public_internet_is_none(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::5db8:d70e"])
def test_an_address_of_the_public_internet_is_one(address: str) -> None:
    assert is_public(address)


def test_one_private_address_among_public_ones_is_enough() -> None:
    with pytest.raises(Unfetched) as unfetched:
        checked_addresses(["93.184.215.14", "127.0.0.1"], allow_private=False)
    assert unfetched.value.reason == "private"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "shop.example/returns",
        "ftp://shop.example/",
        "file:///etc/passwd",
        "http:///returns",
        "http://user:secret@shop.example/",
        "http://shop.example/a b",
        "http://shop.example/\nX: y",
        "http://shop.example:99999/",
        "http://[::1/",
    ],
)
def test_what_names_no_page_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConnectorError) as refused:
        parse_target(url)
    assert "secret" not in refused.value.message


def test_the_fragment_is_not_sent_and_the_query_is() -> None:
    assert parse_target("http://shop.example/a?b=c#d").path == "/a?b=c"


def test_letters_of_any_language_are_sent_as_the_standards_say() -> None:
    target = parse_target("https://bücher.example/rückgabe?für=käufe")
    assert (target.host, target.path) == (
        "xn--bcher-kva.example",
        "/r%C3%BCckgabe?f%C3%BCr=k%C3%A4ufe",
    )


def test_what_is_encoded_already_is_not_encoded_again() -> None:
    assert parse_target("https://shop.example/r%C3%BCck").path == "/r%C3%BCck"


def test_a_port_of_its_own_is_told() -> None:
    assert parse_target("https://[2606::1]:8443/").authority == "[2606::1]:8443"
