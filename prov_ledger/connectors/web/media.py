"""The media type of a page's bytes, with the character set that a reader's browser would take.

Source: RFC 9110 8.3; WHATWG Encoding Standard 4.2 (labels); HTML Living Standard 13.2.3.2 (prescan).
"""

import codecs
import re
from email.message import Message
from urllib.parse import urlsplit

from prov_ledger.connectors.paths import media_type_of

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]+)", re.IGNORECASE)
#: On the web these names mean the larger set.
_LARGER = frozenset(("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii"))
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")


def web_media_type(content_type: str, url: str, data: bytes) -> str:
    """Give ``type/subtype`` in lower case; of texts that are not UTF-8 with their character set.

    Where the server names none, it is told from the path and the bytes.

    >>> web_media_type("Text/HTML; charset=latin1", "https://x.example/", b"<p>")
    'text/html; charset=windows-1252'
    """
    message = Message()
    message["content-type"] = content_type
    essence = content_type.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE.fullmatch(essence):
        essence = media_type_of(urlsplit(url).path, data)
    if not essence.startswith("text/") and essence not in _HTML:
        return essence
    named = message.get_param("charset")
    charset = _charset(named if isinstance(named, str) else None, essence, data)
    return essence if charset == "utf-8" else f"{essence}; charset={charset}"


def _charset(named: str | None, essence: str, data: bytes) -> str:
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    found = marked or _known(named)
    if found is None and essence in _HTML:
        declared = _META.search(data[:1024])
        found = _known(declared.group(1).decode("ascii")) if declared else None
    return found or ("utf-8" if _is_utf8(data) else "windows-1252")


def _known(name: str | None) -> str | None:
    """The name as Python knows it, where it decodes text."""
    if name is None:
        return None
    label = name.strip().lower()
    if label in _LARGER:
        return "windows-1252"
    try:
        b"a".decode(label)
        return "utf-8" if codecs.lookup(label).name == "utf-8" else label
    except (LookupError, UnicodeError, ValueError):
        return None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
