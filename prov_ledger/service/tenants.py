"""One open ledger per tenant and process, opened when it is first asked for."""

import threading
from dataclasses import dataclass
from pathlib import Path

from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import parse_tenant, tenant_folder
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.settings import Settings
from prov_ledger.vault.journal import LEDGER_FILE

#: Device and inode of a file: another file of the same name has others.
_File = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Opened:
    path: Path
    file: _File
    ledger: Ledger


class Tenants:
    """The tenants that a service answers for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._authoriser = _authoriser(settings.policies)
        self._open: dict[str, _Opened] = {}
        #: Of files that were removed or put back meanwhile; somebody may still be reading them.
        self._left: list[Ledger] = []
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The tenants that are there and offered, sorted."""
        folder = self._settings.ledger / "tenants"
        there = [x.name for x in folder.iterdir()] if folder.is_dir() else []
        offered = self._settings.tenants
        return sorted(name for name in there if self._file(name) and (offered is None or name in offered))

    def ledger(self, tenant: str) -> Ledger:
        """The tenant's ledger, which any number of threads may use. Raises Refused ``not_found``."""
        offered, file = self._settings.tenants, self._file(tenant)
        found = self._open.get(tenant)
        # A tenant that was removed, or restored from a backup, is not answered for from files that are gone.
        if found is not None and found.file == file:
            return found.ledger
        if (offered is not None and tenant not in offered) or file is None:
            raise Refused("not_found", "there is nothing here")
        return self._opened(tenant, file)

    def ledger_seen(self, tenant: str) -> Ledger | None:
        """As ``ledger``, without waiting for anything; None too where it is to be opened first."""
        found = self._open.get(tenant)
        return found.ledger if found is not None and found.file == _file_at(found.path) else None

    def _opened(self, tenant: str, file: _File) -> Ledger:
        with self._lock:
            found = self._open.get(tenant)
            if found is not None and found.file == file:
                return found.ledger
            ledger = Ledger.open(
                self._settings.ledger, tenant=tenant, reader="memory", authoriser=self._authoriser
            )
            if found is not None:
                self._left.append(found.ledger)
            self._open[tenant] = _Opened(self._path(tenant), file, ledger)
            return ledger

    def close(self) -> None:
        """Close every ledger; no thread may be using one."""
        with self._lock:
            for ledger in (*self._left, *(opened.ledger for opened in self._open.values())):
                ledger.close()
            self._left.clear()
            self._open.clear()

    def _file(self, tenant: str) -> _File | None:
        """Which file the tenant's journal is; None where there is none."""
        try:
            return _file_at(self._path(tenant))
        except Refused:
            return None

    def _path(self, tenant: str) -> Path:
        return tenant_folder(self._settings.ledger, parse_tenant(tenant)) / LEDGER_FILE


def _file_at(path: Path) -> _File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _authoriser(policies: Path | None) -> AuthoriserFactory | None:
    if policies is None:
        return None
    from prov_ledger.authz.cedar import load_cedar

    return load_cedar(policies)
