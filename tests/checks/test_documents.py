import pytest

from prov_ledger.checks.documents import parse_media_type, text_of
from prov_ledger.checks.html_text import visible_text
from prov_ledger.checks.selectors import find_quote
from prov_ledger.errors import Refused


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "application/json", "image/svg+xml"])
def test_plain_text_is_as_stored_with_its_mark_and_line_ends(media_type: str) -> None:
    assert text_of(b"\xef\xbb\xbfa\r\nb\rc \xc3\xa9", media_type) == "\ufeffa\r\nb\rc \u00e9"


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/html", "text/csv"])
def test_bytes_that_are_no_utf8_are_refused_with_the_place(media_type: str) -> None:
    with pytest.raises(Refused, match="byte 4 of 6 does not fit") as caught:
        text_of(b"caf \xe9!", media_type)
    assert caught.value.code == "bad_input"


def test_the_refusal_of_undecodable_bytes_does_not_carry_them() -> None:
    with pytest.raises(Refused) as caught:
        text_of(b"secret\xff", "text/plain")
    assert caught.value.__cause__ is None


def test_a_named_character_set_is_used() -> None:
    assert text_of(b"caf\xe9", "text/plain; charset=ISO-8859-1") == "caf\u00e9"


@pytest.mark.parametrize(
    ("charset", "data"),
    [
        ("windows-1252", b"\x80"),
        ("UTF-16", b"\xff\xfe\xac\x20"),
        ("iso-8859-15", b"\xa4"),
        ("macintosh", b"\xdb"),
    ],
)
def test_the_character_sets_of_web_pages_are_read(charset: str, data: bytes) -> None:
    assert text_of(data, f"text/plain; charset={charset}") == "€"


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "text/csv", "text/markdown"])
@pytest.mark.parametrize(
    "charset", ["utf-7", "unicode_escape", "raw_unicode_escape", "idna", "punycode", "base64", "hex", "cp037"]
)
def test_a_codec_in_which_no_page_is_written_is_refused(kind: str, charset: str) -> None:
    with pytest.raises(Refused, match="character set") as caught:
        text_of(b"+ADwAYg-", f"{kind}; charset={charset}")
    assert caught.value.code == "bad_input"


@pytest.mark.parametrize("charset", ["no-such", "rot13"])
def test_an_unknown_character_set_is_refused(charset: str) -> None:
    with pytest.raises(Refused, match="character set"):
        text_of(b"a", f"text/plain; charset={charset}")


@pytest.mark.parametrize("media_type", ["image/png", "application/zip", "application/octet-stream"])
def test_a_media_type_without_text_is_refused(media_type: str) -> None:
    with pytest.raises(Refused, match="no text to quote") as caught:
        text_of(b"x", media_type)
    assert caught.value.code == "bad_input"


def test_a_quote_is_found_in_a_csv_cell_as_parsed() -> None:
    text = text_of(b'tier,fee\nplus,"19,50 ""net"""\n', "text/csv")
    assert find_quote(text, '19,50 "net"').start == text.index("19")


def test_a_quote_does_not_reach_over_two_csv_cells() -> None:
    text = text_of(b"tier,fee\nplus,20\n", "text/csv")
    for separator in ",\t\n; ":
        with pytest.raises(Refused, match="not in the text"):
            find_quote(text, f"plus{separator}20")


@pytest.mark.parametrize("delimiter", ["ab", '"'])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    with pytest.raises(Refused, match="delimiter"):
        parse_media_type(f"text/csv; delimiter={delimiter}")


@pytest.mark.parametrize(
    ("html", "visible"),
    [
        ("<p>Returns\n   are <b>free</b>.</p>", "Returns are free."),
        ("a&nbsp;b &euro;5 &lt;b&gt; &#8364; &notit;", "a\u00a0b €5 <b> € ¬it;"),
        ("<script>x</script>a<style>y</style><noscript>z</noscript>", "a"),
        ("<script><!--<script>x</script>--></script>v", "v"),
        ("<head><title>T</title></head><body>b", "b"),
        ("a<!-- no -->b<!-->c-->d", "abc-->d"),
        ("<template>t</template>u", "u"),
        ("<p hidden>no<p>yes", "yes"),
        ("<p>within <del>30</del><ins>60</ins> days", "within 60 days"),
        ("<s>50</s> <strike>45</strike> 40 euros", "40 euros"),
        ("<p><span style='text-decoration: line-through red'>old</span> new", "new"),
        ("<p style='text-decoration: underline'>yes", "yes"),
        ("<ul><li hidden>no<li>yes</ul>", "yes"),
        ("<div style='color:red; DISPLAY : none'>no</div>yes", "yes"),
        ("<span style='visibility:hidden'>no</span>yes", "yes"),
        ("<p style='displays: nonesuch'>yes</p>", "yes"),
        ("<p>one</p>\n\n<p>two</p>", "one\ntwo"),
        ("a<br>b<br/><br>c<br>", "a\nb\n\nc"),
        ("<table><tr><td> a </td><td>b<tr><th>c<td>d</table>", "a\tb\nc\td"),
        ("<pre>\na\n  b</pre>c", "a\n  b\nc"),
        ("a <b> b </b> c", "a b c"),
        ("un<wbr>break<i>able</i>", "unbreakable"),
        ("\ufeff<p>a", "a"),
        ("<b title='a > b'>q</b>", "q"),
        ("", ""),
    ],
)
def test_html_is_what_a_reader_sees(html: str, visible: str) -> None:
    assert visible_text(html) == visible


def test_a_page_nested_deeper_than_calls_may_go_is_read() -> None:
    assert visible_text("<div>" * 5000 + "deep") == "deep"
