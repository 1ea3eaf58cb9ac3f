"""Sealing texts: AES-256-GCM under a key of their own, found again by commitment or keyed hash.

Source: NIST SP 800-38D (GCM); RFC 2104 (HMAC).
"""

import hmac
from collections.abc import Callable, Iterable
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.vault.port import SealedPayload
from prov_ledger.vault.tickets import TicketStore

#: Clear bytes per chunk; with its tag a chunk takes just under 4 KiB.
CHUNK_BYTES = 4000
TOKEN_BYTES = 16
_TAG_BYTES = 16
_AES_BYTES = 32
#: Source: RFC 2104 section 2, for a key of 32 bytes and blocks of 64.
_BLOCK_REST = bytes(64 - 32)
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_COMMIT_DOMAIN = b"prov-ledger/payload/1\0"
_FIRST_NONCE = bytes(12)
#: Chunk 0 of 1, as ``_context`` writes it.
_ONLY_CHUNK = bytes(7) + b"\x01"
_TOKEN_DOMAIN = b"prov-ledger/lookup/1\0"


def _first() -> int:
    return 1


class Sealer:
    """Seals and opens the texts of one tenant."""

    def __init__(self, tickets: TicketStore, generation: Callable[[], int] = _first) -> None:
        """Take keys from ``tickets``, which stays its owner's to close.

        ``generation`` says which key covers the keyed hashes of names in the journal now.
        """
        self._tickets = tickets
        self._generation = generation
        self._cover: tuple[int, bytes] = (0, b"")

    def seal(self, owner: str, field: str, data: bytes) -> SealedPayload:
        """``data`` under a new key, bound to its owner and field.

        Raises Refused ``bad_input`` for an owner or field with a NUL, StorageError when no key can be kept.
        """
        if "\0" in owner or "\0" in field:
            raise Refused("bad_input", "the owner and field of a payload hold no NUL character")
        ticket = self._tickets.take()
        commitment = _commitment(ticket.secret, owner, field, data)
        chunks = _encrypt(AESGCM(ticket.secret[:_AES_BYTES]), commitment, data)
        return SealedPayload(owner, field, ticket.id, commitment.hex(), chunks, len(data))

    def open(self, payload: SealedPayload) -> bytes:
        """The clear bytes.

        Raises Corrupt, naming owner and field, when the key is gone or anything differs from what was sealed.
        """
        return self._open(payload, self._tickets.secret(payload.ticket))

    def open_many(self, payloads: Iterable[SealedPayload]) -> list[bytes]:
        """As ``open``, for each in order; all keys are fetched at once."""
        wanted = list(payloads)
        secrets = self._tickets.secrets([payload.ticket for payload in wanted])
        return [self._open(payload, secrets.get(payload.ticket)) for payload in wanted]

    def equals(self, payload: SealedPayload, data: bytes) -> bool:
        """Whether ``data`` is what was sealed, told by the commitment alone; False when the key is gone."""
        secret = self._tickets.secret(payload.ticket)
        if secret is None:
            return False
        commitment = _commitment(secret, payload.owner, payload.field, data)
        return hmac.compare_digest(commitment.hex(), payload.commitment_hex)

    def token(self, kind: str, text: str) -> bytes:
        """The keyed hash, 16 bytes, under which a text of some kind is looked up in this tenant now.

        Each erasure changes it, so that the hashes in an older copy of the journal cannot be guessed at.
        Raises Refused ``bad_input`` for a text with lone surrogates.
        """
        hashed = self.lasting_token(kind, text)
        generation = self._generation()
        if self._cover[0] != generation:
            self._cover = (generation, self._tickets.cover_key(generation))
        return _block(self._cover[1]).encryptor().update(hashed)

    def lasting_token(self, kind: str, text: str) -> bytes:
        """A keyed hash, 16 bytes, that no erasure changes; raises as ``token``."""
        try:
            message = _TOKEN_DOMAIN + kind.encode() + b"\0" + text.encode()
        except UnicodeEncodeError:
            raise Refused("bad_input", "a name holds half a character (a lone surrogate): mend it") from None
        return hmac.digest(self._tickets.lookup_key, message, "sha256")[:TOKEN_BYTES]

    def covered_anew(self, old: int, new: int) -> Callable[[bytes], bytes]:
        """What makes a token of the generation ``new`` from one of ``old``, without the text."""
        uncover = _block(self._tickets.cover_key(old)).decryptor()
        cover = _block(self._tickets.cover_key(new)).encryptor()
        return lambda token: cover.update(uncover.update(token))

    def _open(self, payload: SealedPayload, secret: bytes | None) -> bytes:
        """Decrypt and compare with the commitment."""
        if secret is None:
            raise Corrupt(f"payload {payload.field} of {payload.owner}: its key {payload.ticket} is gone")
        try:
            commitment = bytes.fromhex(payload.commitment_hex)
            data = _decrypt(AESGCM(secret[:_AES_BYTES]), commitment, payload.chunks)
        except (InvalidTag, ValueError):
            raise Corrupt(f"payload {payload.field} of {payload.owner} does not decrypt") from None
        if not hmac.compare_digest(_commitment(secret, payload.owner, payload.field, data), commitment):
            raise Corrupt(f"payload {payload.field} of {payload.owner} does not match its commitment")
        return data


def _block(key: bytes) -> Cipher[modes.ECB]:
    """A permutation of 16 bytes: a token is one block of AES, so nothing repeats that did not before."""
    return Cipher(algorithms.AES(key), modes.ECB())


def split_chunks(joined: bytes) -> tuple[bytes, ...]:
    """The chunks of a payload from their ciphertexts laid end to end."""
    stride = CHUNK_BYTES + _TAG_BYTES
    if len(joined) <= stride:
        return (joined,)
    return tuple(joined[start : start + stride] for start in range(0, len(joined), stride))


def _commitment(secret: bytes, owner: str, field: str, data: bytes) -> bytes:
    """HMAC-SHA256 under a key that dies with the payload: nobody can guess at the text afterwards."""
    message = b"%s%s\0%s\0%s" % (_COMMIT_DOMAIN, owner.encode(), field.encode(), data)
    # As ``hmac.digest``, which looks its hash up by name each time.
    key = secret[_AES_BYTES:] + _BLOCK_REST
    return sha256(key.translate(_OUTER) + sha256(key.translate(_INNER) + message).digest()).digest()


def _context(commitment: bytes, number: int, count: int) -> bytes:
    """What a chunk is bound to: the whole it belongs to, and its place there."""
    return commitment + number.to_bytes(4, "big") + count.to_bytes(4, "big")


def _encrypt(cipher: AESGCM, commitment: bytes, data: bytes) -> tuple[bytes, ...]:
    """One ciphertext per chunk; the counter may be the nonce, since the key seals nothing else."""
    if len(data) <= CHUNK_BYTES:
        return (cipher.encrypt(_FIRST_NONCE, data, commitment + _ONLY_CHUNK),)
    count = -(-len(data) // CHUNK_BYTES)
    return tuple(
        cipher.encrypt(
            number.to_bytes(12, "big"),
            data[number * CHUNK_BYTES : (number + 1) * CHUNK_BYTES],
            _context(commitment, number, count),
        )
        for number in range(count)
    )


def _decrypt(cipher: AESGCM, commitment: bytes, chunks: tuple[bytes, ...]) -> bytes:
    """The inverse of ``_encrypt``; raises InvalidTag."""
    count = len(chunks)
    if count == 1:
        return cipher.decrypt(_FIRST_NONCE, chunks[0], commitment + _ONLY_CHUNK)
    return b"".join(
        cipher.decrypt(number.to_bytes(12, "big"), chunk, _context(commitment, number, count))
        for number, chunk in enumerate(chunks)
    )
