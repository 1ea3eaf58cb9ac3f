"""The certificate of an erasure: what was done, provably, and what it does not cover.

It is signed with Ed25519, so that whoever has the public key can check it and nobody without the ledger's
keys can make one. It is made from the journal, the same each time: its tree is the one that the receipt
completed, and its proof leads from the receipt's leaf to that tree's root.

Source: RFC 8032 (Ed25519); RFC 6962 section 2.1.1 (inclusion proofs).
"""

import hmac
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from prov_ledger.errors import ProofError, Refused
from prov_ledger.merkle.proofs import verify_inclusion
from prov_ledger.model.plain import Json

_SEED_DOMAIN = b"prov-ledger/certificate/1"
_WIDTH = 78
#: What no ledger can erase; said in every certificate.
NOT_COVERED = (
    "Copies that were handed out before: answers, packets, exports, lines in the context of a model.",
    "What freed blocks of a disk, or copies that the file system keeps by itself, still hold: ciphertext, "
    "never clear text; and the old key file, where the disk does not overwrite in place.",
    "That something was there, how long it was, when, and what rested on it: ids, times and sizes stay.",
    "A guess at whole bytes or a passage, by who has the present keys: fingerprints tell until they expire.",
    "The memory of processes that had the text open: it is overwritten by use, or when they end.",
    "A search index that an operator keeps outside the ledger, until its next use or its deletion.",
    "Backups of the key files and of keys.sqlite from before, for as long as somebody keeps them.",
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A signed statement; ``body`` is what was signed, in plain JSON values."""

    body: Mapping[str, Json]
    public_key: str
    signature: str

    def to_json(self) -> str:
        """The certificate as it is handed out."""
        signed = {"algorithm": "Ed25519", "public_key": self.public_key, "value": self.signature}
        return json.dumps({**self.body, "signature": signed}, ensure_ascii=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """The inverse of ``to_json``. Raises Refused ``bad_input``."""
        try:
            body = json.loads(text)
            signed = body.pop("signature")
            return cls(body, str(signed["public_key"]), str(signed["value"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Refused("bad_input", "that is no certificate of an erasure") from None

    def verify(self, public_key: str | None = None) -> None:
        """Raise ProofError when the body is not what was signed, or its proof leads to another tree.

        ``public_key``: the one that the checker kept, 64 hex digits; None: the certificate's own, which
        shows that nothing was changed, and not who signed.
        """
        if public_key is not None and public_key.lower() != self.public_key:
            raise ProofError("the certificate is signed with another key than the one given")
        self._verify_signature()
        try:
            receipt, tree = _mapping(self.body["receipt"]), _mapping(self.body["tree"])
            leaf, root = bytes.fromhex(str(receipt["leaf_hash"])), bytes.fromhex(str(tree["root"]))
            path = [bytes.fromhex(str(hash)) for hash in _list(self.body["proof"])]
            index, size = int(str(receipt["sequence"])) - 1, int(str(tree["size"]))
        except (KeyError, ValueError):
            raise ProofError("the certificate lacks its proof") from None
        verify_inclusion(leaf, index, size, path, root)

    def _verify_signature(self) -> None:
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.public_key))
            key.verify(bytes.fromhex(self.signature), _signed_bytes(self.body))
        except (InvalidSignature, ValueError):
            raise ProofError("the certificate was changed, or signed with another key") from None

    def lines(self) -> Iterator[str]:
        """The certificate for a person, in lines of at most 78 characters."""
        yield "CERTIFICATE OF ERASURE"
        yield ""
        for name, value in self.body.items():
            if name not in ("format", "not_covered", "proof"):
                yield from _lines_of(name.replace("_", " "), value)
        yield ""
        yield "Not covered:"
        for item in _list(self.body.get("not_covered")):
            yield from textwrap.wrap(f"- {item}", _WIDTH, subsequent_indent="  ")
        yield ""
        yield f"Signed with Ed25519, public key {self.public_key[:32]}"
        yield f"{'':<32}{self.public_key[32:]}"


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json | None) -> list[Json]:
    return value if isinstance(value, list) else []


def _lines_of(name: str, value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        told = ((key.replace("_", " "), item) for key, item in value.items() if item is not None)
        value = ", ".join(f"{key} {item}" for key, item in told)
    elif isinstance(value, list):
        value = ", ".join(map(str, value)) or "none"
    text = "not told" if value is None else str(value)
    yield from textwrap.wrap(f"{name:<16}{text}", _WIDTH, subsequent_indent=" " * 16, break_on_hyphens=False)


def _signed_bytes(body: Mapping[str, Json]) -> bytes:
    """What is signed: the body as JSON with sorted keys and no spaces."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


class Signer:
    """Signs for one tenant, with a key derived from one that outlives its epochs."""

    def __init__(self, fingerprint_key: bytes) -> None:
        seed = hmac.digest(fingerprint_key, _SEED_DOMAIN, "sha256")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public_key(self) -> str:
        """64 hex digits: keep it where the ledger's keeper cannot change it."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, body: Mapping[str, Json]) -> Certificate:
        """A certificate that says ``body``."""
        return Certificate(body, self.public_key, self._key.sign(_signed_bytes(body)).hex())
