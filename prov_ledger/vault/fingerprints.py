"""Recognising what was erased when somebody brings it back, without keeping it.

Whole bytes are known by an HMAC. A span is known by scrypt over its text, salted with a key and its
source, behind a sieve of 12 bits that lets one window in 4,096 through: a page of 100,000 code points is
checked in some tenths of a second. Of a text its letters, digits and signs count alone, in whatever case.
Whoever has the key can guess as fast as a page can be checked, and no faster; so the key is wrapped by the
epoch's, and fingerprints expire.

Source: RFC 7914 (scrypt); R. M. Karp, M. O. Rabin, "Efficient randomized pattern-matching algorithms" (1987).
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import scrypt
from itertools import accumulate
from typing import Literal

from prov_ledger.model.folding import letters_of

#: Shorter spans are not recognised: they would stand in pages that have nothing to do with them.
SHORTEST_SPAN = 32
#: Nor those of which so little counts: the rest is punctuation.
_FEWEST_LETTERS = 16
#: Source of fingerprints that count in the whole tenant.
ANYWHERE = ""
_SIEVE_BITS = 12
_PRIME = (1 << 61) - 1
_DIGEST_BYTES = 32
#: scrypt's cost: 1 MiB, about 2.5 ms for a guess.
_COST, _BLOCK = 1 << 10, 8


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of something erased: ``length`` counts bytes, or those code points of a span that count;
    ``sieve`` is the cheap part of a span's fingerprint, 0 for bytes.
    """

    kind: Literal["bytes", "span"]
    source: str
    digest: bytes
    length: int
    sieve: int
    expires: datetime


class FingerprintMaker:
    """Makes and compares fingerprints under a tenant's key."""

    def __init__(self, key: bytes) -> None:
        """``key``: 32 bytes, ``TicketStore.fingerprint_key``."""
        self._key = key

    def of_bytes(self, data: bytes, expires: datetime) -> Fingerprint:
        """The fingerprint of whole bytes, which counts anywhere in the tenant."""
        return Fingerprint("bytes", ANYWHERE, self._digest_of(data), len(data), 0, expires)

    def of_span(self, source: str, text: str, expires: datetime) -> Fingerprint | None:
        """The fingerprint of a span, which counts within its source; None for one that is too short.

        Case, white space, punctuation and what is not seen do not count.
        """
        told = letters_of(text)
        if len(text) < SHORTEST_SPAN or len(told) < _FEWEST_LETTERS:
            return None
        sieve = self._sieved(self._sums(told), len(told))[0]
        return Fingerprint("span", source, self._slow(source, told), len(told), sieve, expires)

    def matches_bytes(self, data: bytes, known: Sequence[Fingerprint], now: datetime) -> bool:
        """Whether whole bytes are among what was erased and has not expired."""
        alike = [x for x in known if x.kind == "bytes" and x.length == len(data) and now < x.expires]
        return bool(alike) and self._digest_of(data) in {x.digest for x in alike}

    def matches_span(
        self, source: str, readings: Iterable[str], known: Sequence[Fingerprint], now: datetime
    ) -> bool:
        """Whether one of the readings of a text of a source holds a span erased there, not expired."""
        lengths: dict[int, dict[int, set[bytes]]] = {}
        for x in known:
            if x.kind == "span" and x.source == source and now < x.expires:
                lengths.setdefault(x.length, {}).setdefault(x.sieve, set()).add(x.digest)
        tried: set[str] = set()
        # Most readings of a text differ in what does not count.
        for told in dict.fromkeys(map(letters_of, readings)):
            sums = self._sums(told)
            if any(self._holds(source, told, sums, x, tried) for x in lengths.items()):
                return True
        return False

    def _holds(
        self,
        source: str,
        told: str,
        sums: Sequence[int],
        wanted: tuple[int, dict[int, set[bytes]]],
        tried: set[str],
    ) -> bool:
        """Whether a window of a length is one of those erased; each text is tried once."""
        length, sieves = wanted
        for start, sieve in ((n, x) for n, x in enumerate(self._sieved(sums, length)) if x in sieves):
            window = told[start : start + length]
            if window not in tried:
                tried.add(window)
                if self._slow(source, window) in sieves[sieve]:
                    return True
        return False

    @cached_property
    def _factors(self) -> tuple[int, int, int]:
        """The secret numbers of the sieve."""
        drawn = hmac.digest(self._key, b"prov-ledger/sieve/1", "sha512")
        base, mixer, shift = (int.from_bytes(drawn[n : n + 16], "big") % _PRIME for n in (0, 16, 32))
        return base or 1, mixer or 1, shift

    def _sums(self, text: str) -> list[int]:
        """For each place of a text the sum of what lies before it."""
        base = self._factors[0]
        return list(accumulate(map(ord, text), lambda total, c: (total * base + c) % _PRIME, initial=0))

    def _sieved(self, sums: Sequence[int], length: int) -> list[int]:
        """The sieve's bits of each window of a text, in order, from its sums."""
        base, mixer, shift = self._factors
        power = pow(base, length, _PRIME)
        above, lost = 61 - _SIEVE_BITS, power * mixer % _PRIME
        pairs = zip(sums, sums[length:], strict=False)
        return [(after * mixer - before * lost + shift) % _PRIME >> above for before, after in pairs]

    def _digest_of(self, data: bytes) -> bytes:
        return hmac.digest(self._key, b"prov-ledger/bytes/1\0" + data, "sha256")

    def _slow(self, source: str, told: str) -> bytes:
        salt = hmac.digest(self._key, b"prov-ledger/span/2\0" + source.encode(), "sha256")
        return scrypt(told.encode(), salt=salt, n=_COST, r=_BLOCK, p=1, dklen=_DIGEST_BYTES)
