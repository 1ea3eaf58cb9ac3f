"""Media types of pages, with the character set that decodes them."""

import pytest

from prov_ledger.connectors.web.media import web_media_type

UTF8 = "<p>Käufe €".encode()
LATIN = "<p>Käufe".encode("latin-1")


@pytest.mark.parametrize(
    ("told", "data", "media_type"),
    [
        ("text/html; charset=utf-8", UTF8, "text/html"),
        ("text/html; charset=UTF8", UTF8, "text/html"),
        ("text/html", UTF8, "text/html"),
        ("text/html", LATIN, "text/html; charset=windows-1252"),
        ("text/html; charset=ISO-8859-1", LATIN, "text/html; charset=windows-1252"),
        ("text/html; charset=no-such", LATIN, "text/html; charset=windows-1252"),
        ("text/html; charset=rot13", UTF8, "text/html"),
        ("text/html", b'<meta charset="shift_jis"><p>\x93\xfa', "text/html; charset=shift_jis"),
        ("text/html; charset=iso-8859-2", b"\xef\xbb\xbf<p>", "text/html"),
        ("text/html", "\ufeff<p>".encode("utf-16-le"), "text/html; charset=utf-16"),
        ("text/plain", b"\xe4", "text/plain; charset=windows-1252"),
        ("APPLICATION/PDF; version=1", b"%PDF", "application/pdf"),
        ("", b"# Returns", "text/markdown"),
        ("nonsense", b"# Returns", "text/markdown"),
    ],
)
def test_a_page_is_decoded_as_a_browser_would(told: str, data: bytes, media_type: str) -> None:
    assert web_media_type(told, "https://shop.example/returns.md?x=1", data) == media_type
