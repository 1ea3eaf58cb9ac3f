"""Leaving nothing behind where something fails: no key in another place, no folders on the way to it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prov_ledger.vault.keys import FileKeys


@contextmanager
def folders_undone(*paths: Path) -> Iterator[None]:
    """Where what is done within fails, remove the folders that it made on the way to ``paths``, if empty."""
    new = {folder for path in paths for folder in (path, *path.parents) if not folder.exists()}
    try:
        yield
    except BaseException:
        for folder in sorted(new, key=lambda folder: len(folder.parts), reverse=True):
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def key_undone(keys: FileKeys, tenant: str, epoch: int, key: bytes) -> Iterator[None]:
    """Put a key that another place has; where what is done within fails, it is destroyed here again.

    One that was here before stays. Raises as ``FileKeys.put_key``.
    """
    there = keys.path_of(tenant, epoch).exists()
    with folders_undone(keys.folder):
        try:
            keys.put_key(tenant, epoch, key)
            yield
        except BaseException:
            if not there:
                keys.destroy_key(tenant, epoch)
            raise
