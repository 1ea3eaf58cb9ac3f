"""Where the keys of a tenant's epochs come from: files with owner-only rights, or the environment."""

import base64
import binascii
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from prov_ledger.errors import ExposedKey, KeyNotDestroyable, MissingKey, Refused, StorageError, WrongKey
from prov_ledger.vault.crash import crash_point

KEY_BYTES = 32
VARIABLE = "PROV_LEDGER_KEY"
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OTHERS_ANY = 0o077
_OTHERS_WRITE = 0o022


class KeyProvider(Protocol):
    """Holds one key of 32 bytes per tenant and epoch; epochs count from 1."""

    def get_key(self, tenant: str, epoch: int) -> bytes:
        """The key; raises MissingKey, saying where it was looked for."""
        ...

    def create_key(self, tenant: str, epoch: int) -> bytes:
        """A new key, kept durably before this returns; raises Refused ``already_exists``."""
        ...

    def destroy_key(self, tenant: str, epoch: int) -> None:
        """Destroy the key for good before this returns; one that is gone already is as good.

        Raises KeyNotDestroyable where a single key cannot be destroyed.
        """
        ...

    def epochs(self, tenant: str) -> tuple[int, ...] | None:
        """The epochs whose keys there are, in order; None where that cannot be told."""
        ...


class FileKeys:
    """One file per key, ``TENANT-EPOCH.key``: 64 hex digits, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        """Keep keys in ``folder``; it is made, with mode 0700, when the first key is."""
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._folder

    def path_of(self, tenant: str, epoch: int) -> Path:
        """Where the key is; raises Refused ``bad_input`` for a tenant that cannot be a file name."""
        if not _TENANT.fullmatch(tenant):
            raise Refused("bad_input", "a tenant's name has letters, digits, '.', '_' and '-' only")
        return self._folder / f"{tenant}-{epoch}.key"

    def get_key(self, tenant: str, epoch: int) -> bytes:
        """The key; raises MissingKey, ExposedKey when others could read or replace it, WrongKey."""
        path = self.path_of(tenant, epoch)
        try:
            _check_rights(self._folder, _OTHERS_WRITE, "700")
            _check_rights(path, _OTHERS_ANY, "600")
            text = path.read_text("ascii", errors="replace")
        except FileNotFoundError:
            raise MissingKey(
                f"no key of epoch {epoch} for tenant {tenant}: looked for {path}; put the key file there"
            ) from None
        except OSError as error:
            raise MissingKey(f"cannot read the key file {path}: {error.strerror}") from error
        return _parse_key(text.strip(), f"the key file {path}")

    def create_key(self, tenant: str, epoch: int) -> bytes:
        """A new random key, in a file that appears whole or not at all."""
        path = self.path_of(tenant, epoch)
        key = secrets.token_bytes(KEY_BYTES)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(path, key.hex().encode() + b"\n")
        except FileExistsError:
            raise Refused("already_exists", f"there is a key at {path} already") from None
        except OSError as error:
            raise StorageError(f"cannot write the key file {path}: {error.strerror}") from error
        return key

    def put_key(self, tenant: str, epoch: int, key: bytes) -> None:
        """Keep a key that another place had; raises Refused ``already_exists`` where another one is kept."""
        path = self.path_of(tenant, epoch)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(path, key.hex().encode() + b"\n")
        except FileExistsError:
            if self.get_key(tenant, epoch) != key:
                raise Refused(
                    "already_exists", f"there is another key at {path}: move it away first"
                ) from None
        except OSError as error:
            raise StorageError(f"cannot write the key file {path}: {error.strerror}") from error

    def destroy_key(self, tenant: str, epoch: int) -> None:
        """Overwrite the file, then remove it, and what a killed creation left of it.

        A file system may write elsewhere than before: on one of its own the freed blocks can be wiped.
        """
        path = self.path_of(tenant, epoch)
        try:
            for file in (path, *self._folder.glob(f".{path.name}.*")):
                if file.exists():
                    _overwrite(file)
                    crash_point("key.overwritten")
                    file.unlink()
            self._sync()
        except OSError as error:
            raise StorageError(f"cannot destroy the key file {path}: {error.strerror}") from error
        crash_point("key.destroyed")

    def epochs(self, tenant: str) -> tuple[int, ...]:
        """The epochs whose key files there are, in order."""
        stem = re.compile(re.escape(self.path_of(tenant, 1).name).replace("1\\.key", r"(\d+)\.key"))
        names = [path.name for path in self._folder.glob("*.key")] if self._folder.is_dir() else []
        return tuple(sorted(int(found[1]) for name in names if (found := stem.fullmatch(name))))

    def _write(self, path: Path, text: bytes) -> None:
        """Write beside the place, then link: a crash leaves no half key, and none is ever replaced."""
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            crash_point("key.written")
            path.hardlink_to(draft)
        finally:
            draft.unlink()
        self._sync()
        crash_point("key.created")

    def _sync(self) -> None:
        """Make the names in the folder durable."""
        if self._folder.is_dir():
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


class EnvironmentKeys:
    """Keys derived from one master key in ``PROV_LEDGER_KEY`` (64 hex digits, or base64 of 32 bytes).

    Each tenant and epoch has a key of its own, but an epoch cannot be destroyed alone: who keeps the
    master key can derive it again. For erasure that outlives backups, use files or a key service.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        """Read the variable from ``environment`` each time that a key is asked for."""
        self._environment = environment

    def get_key(self, tenant: str, epoch: int) -> bytes:
        """The derived key; raises MissingKey when the variable is not set, WrongKey when it is no key."""
        text = self._environment.get(VARIABLE, "").strip()
        if not text:
            raise MissingKey(f"no key of epoch {epoch} for tenant {tenant}: set {VARIABLE}")
        master = _parse_key(text, f"the environment variable {VARIABLE}")
        return hmac.digest(master, b"prov-ledger/epoch/1\0%s\0%d" % (tenant.encode(), epoch), "sha256")

    def create_key(self, tenant: str, epoch: int) -> bytes:
        """The same as ``get_key``: there is nothing to keep."""
        return self.get_key(tenant, epoch)

    def destroy_key(self, tenant: str, epoch: int) -> None:
        """Always raises KeyNotDestroyable."""
        raise KeyNotDestroyable(
            f"the key of epoch {epoch} for tenant {tenant} is derived from {VARIABLE} and cannot be "
            "destroyed alone: keep keys in files or in a key service, or destroy the master key's copies"
        )

    def epochs(self, tenant: str) -> None:
        """None: every epoch can be derived."""


def _overwrite(path: Path) -> None:
    """Put spaces, which are no key, over all of a file, durably."""
    with path.open("r+b") as file:
        file.write(b" " * path.stat().st_size)
        file.flush()
        os.fsync(file.fileno())


def _check_rights(path: Path, forbidden: int, mode: str) -> None:
    """Raise ExposedKey when group or others have a right that they must not have."""
    rights = path.stat().st_mode & 0o777
    if rights & forbidden:
        raise ExposedKey(
            f"{path} has mode {rights:o}, so that others than its owner can reach the key; "
            f"run: chmod {mode} {path}"
        )


def _parse_key(text: str, where: str) -> bytes:
    """32 bytes from hex or base64; raises WrongKey without repeating the text."""
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise WrongKey(
            f"{where} holds no key: expected 64 hex digits or base64 of {KEY_BYTES} bytes, "
            f"got {len(text)} characters"
        )
    return key
