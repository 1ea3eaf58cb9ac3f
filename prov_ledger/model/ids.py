"""Ids that carry no information and catch a slip of the pen.

An id is a prefix, an underscore, 16 random Crockford base32 symbols (80 bits) and 2 check symbols.
The check symbols are Reed-Solomon parity over GF(32), taken over the prefix's index and the body: a
code of distance 3, so any one or two wrong symbols are caught. That covers every single wrong
character, every swap of neighbours and every exchanged prefix.
"""

import os
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterable

from prov_ledger.errors import Refused

#: What an id may begin with; the position of a prefix is a symbol of the code, so append only.
PREFIXES: tuple[str, ...] = ("src", "rev", "ev", "cl", "rem", "ent", "era", "agt", "grp", "col", "pur")

#: Crockford's digits: no i, l, o, u.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

_BODY_SYMBOLS = 16
_BODY_BYTES = 10
_VALUES = {symbol: value for value, symbol in enumerate(ALPHABET)}
_INDEX = {prefix: index for index, prefix in enumerate(PREFIXES)}
_CONFUSABLE = str.maketrans("oil", "011")
_FORM = re.compile(r"([a-z]{2,3})_([0-9a-tv-z]{18})")

# GF(32) modulo x^5 + x^2 + 1, whose generator is 2: powers, and the map back.
_POWERS = [1]
while len(_POWERS) < 31:
    _doubled = _POWERS[-1] << 1
    _POWERS.append(_doubled ^ 0b100101 if _doubled & 32 else _doubled)
_LOGS = {value: exponent for exponent, value in enumerate(_POWERS)}


def _times(exponent: int, value: int) -> int:
    """Multiply a field element by 2 to the power ``exponent``."""
    return _POWERS[(_LOGS[value] + exponent) % 31] if value else 0


# Multiplying by the coefficients of (x + 1)(x + 2) = x^2 + 3x + 2, tabulated.
_TIMES_3 = tuple(_times(_LOGS[3], value) for value in range(32))
_TIMES_2 = tuple(_times(1, value) for value in range(32))


def _parity(symbols: Iterable[int]) -> tuple[int, int]:
    """The remainder of the message polynomial times x^2 on division by the generator polynomial."""
    high = low = 0
    for symbol in symbols:
        feedback = symbol ^ high
        high, low = low ^ _TIMES_3[feedback], _TIMES_2[feedback]
    return high, low


def _pairs() -> tuple[dict[str, int], ...]:
    """What each pair of symbols adds to the parity, by the place of the pair in a body: parity is linear."""
    tables = []
    for place in range(0, _BODY_SYMBOLS, 2):
        added: list[list[int]] = []
        for offset in (0, 1):
            alone = [0] * (1 + _BODY_SYMBOLS)
            column = []
            for value in range(32):
                alone[1 + place + offset] = value
                high, low = _parity(alone)
                column.append(high << 5 | low)
            added.append(column)
        tables.append(
            {
                one + other: added[0][a] ^ added[1][b]
                for a, one in enumerate(ALPHABET)
                for b, other in enumerate(ALPHABET)
            }
        )
    return tuple(tables)


_PAIRS = _pairs()
_STARTS = {
    prefix: high << 5 | low for prefix in PREFIXES for high, low in [_parity([_INDEX[prefix]] + [0] * 16)]
}
#: The parity that two check symbols state.
_CHECKS = {one + other: a << 5 | b for a, one in enumerate(ALPHABET) for b, other in enumerate(ALPHABET)}
#: The inverse: two symbols from ten bits.
_SPELLED = tuple(_CHECKS)
#: Of each pair of symbols, first to last: how far up its bits are in a number, and what it adds.
_PLACES = tuple(zip(range(10 * (_BODY_SYMBOLS // 2 - 1), -1, -10), _PAIRS, strict=True))
_WHOLE = _BODY_SYMBOLS + 2


def _is_canonical(text: str) -> bool:
    """Whether a text is an id in its canonical spelling: what ``parse_id`` gives back as it is."""
    prefix, _, rest = text.partition("_")
    if len(rest) != _WHOLE:
        return False
    a, b, c, d, e, f, g, h = _PAIRS
    try:
        parity = _STARTS[prefix] ^ a[rest[0:2]] ^ b[rest[2:4]] ^ c[rest[4:6]] ^ d[rest[6:8]]
        parity ^= e[rest[8:10]] ^ f[rest[10:12]] ^ g[rest[12:14]] ^ h[rest[14:16]]
        return parity == _CHECKS[rest[16:]]
    except KeyError:
        return False


#: Random bodies that no id has yet: the system is asked for many at once. A forked process asks anew.
_BODIES: deque[bytes] = deque()
_AT_ONCE = 64
os.register_at_fork(after_in_child=_BODIES.clear)


def _random_body(size: int) -> bytes:
    while True:
        try:
            return _BODIES.popleft()
        except IndexError:
            fresh = secrets.token_bytes(size * _AT_ONCE)
            _BODIES.extend(fresh[start : start + size] for start in range(0, len(fresh), size))


def mint_id(prefix: str, random_bytes: Callable[[int], bytes] = _random_body) -> str:
    """A new id with ``prefix``: 80 bits from ``random_bytes(10)``, two check symbols, lower case.

    Raises KeyError when the prefix is not in ``PREFIXES``.
    """
    parity = _STARTS[prefix]
    number = int.from_bytes(random_bytes(_BODY_BYTES), "big")
    body = ""
    for shift, added in _PLACES:
        pair = _SPELLED[number >> shift & 1023]
        parity ^= added[pair]
        body += pair
    return f"{prefix}_{body}{_SPELLED[parity]}"


def parse_id(text: str) -> str:
    """The canonical spelling of an id: lower case, with o read as 0 and i and l read as 1.

    Nothing else is forgiven: no surrounding space, no hyphen, no letter outside ASCII.
    Raises Refused ``malformed_id``.

    Source: Crockford, Base 32, "Decode Symbol".
    """
    if _is_canonical(text):
        return text
    prefix, separator, rest = text.lower().partition("_") if text.isascii() else ("", "", "")
    spelled = prefix + separator + rest.translate(_CONFUSABLE)
    match = _FORM.fullmatch(spelled)
    if match is None or prefix not in _INDEX:
        raise Refused(
            "malformed_id",
            f"not an id: expected one of {', '.join(PREFIXES)} followed by '_' and 18 base32 characters, "
            f"got {len(text)} characters of another form; copy the id again",
        )
    symbols = [_VALUES[symbol] for symbol in match[2]]
    if _parity([_INDEX[prefix], *symbols[:_BODY_SYMBOLS]]) != (symbols[-2], symbols[-1]):
        raise Refused(
            "malformed_id",
            f"not an id: the check characters of this '{prefix}_' id do not fit the rest; copy the id again",
        )
    return spelled


def prefix_of(id: str) -> str:
    """The prefix of an id or of a node of it (``ent_…#scope``), without the underscore; not checked."""
    return id.partition("_")[0]


def looks_like_id(text: str) -> bool:
    """Whether ``text`` begins like an id, in any case: a known prefix and an underscore. Not checked."""
    prefix, separator, _ = text.partition("_")
    return separator == "_" and prefix.lower() in _INDEX
