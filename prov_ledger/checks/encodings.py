"""The character sets in which text may be stored: those of the Encoding Standard, and no other codec.

Python also decodes ``utf-7``, ``unicode_escape`` or ``idna``: with these, bytes that a person reads as one
text would be quoted as another.
"""

import codecs
from functools import cache

from prov_ledger.errors import Refused

_NAMES = """
    ascii utf-8 utf-8-sig utf-16 utf-16-be utf-16-le cp866 iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5
    iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r
    koi8-u mac-roman cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 mac-cyrillic gbk
    gb2312 gb18030 big5 big5hkscs euc_jp iso2022_jp shift_jis cp932 euc_kr cp949
"""
_ALLOWED = frozenset(_NAMES.split())
#: Labels of the standard that Python does not know.
_LABELS = {
    "windows-874": "cp874",
    "dos-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "x-mac-roman": "mac-roman",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-gbk": "gbk",
    "x-x-big5": "big5",
    "x-euc-jp": "euc_jp",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "gb_2312-80": "gb2312",
    "ucs-2": "utf-16-le",
    "iso-8859-8-i": "iso8859-8",
    "unicode-1-1-utf-8": "utf-8",
}


@cache
def text_encoding(label: str) -> str:
    """Give Python's name of the encoding with a label such as ``latin-1``.

    Raises Refused ``bad_input`` for a label of no encoding of text.

    Source: WHATWG Encoding Standard, section 4.2 (names and labels).

    >>> text_encoding("ISO-8859-1"), text_encoding("windows-874")
    ('iso8859-1', 'cp874')
    """
    asked = label.strip().lower()
    try:
        name = codecs.lookup(_LABELS.get(asked, asked)).name
    except (LookupError, ValueError):
        name = ""
    if name not in _ALLOWED:
        raise Refused(
            "bad_input",
            "The character set of the media type is none in which pages are written; expected one of the "
            "Encoding Standard, such as utf-8, utf-16, iso-8859-1, windows-1252, gb18030 or shift_jis.",
        )
    return name
