"""One open ledger per tenant and process, opened when it is first asked for."""

import threading
from pathlib import Path

from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import parse_tenant, tenant_folder
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.settings import Settings
from prov_ledger.vault.journal import LEDGER_FILE

#: Device and inode of a file: another file of the same name has others.
_File = tuple[int, int]


class Tenants:
    """The tenants that a service answers for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._authoriser = _authoriser(settings.policies)
        self._open: dict[str, tuple[_File, Ledger]] = {}
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
        if found is not None and found[0] == file:
            return found[1]
        if (offered is not None and tenant not in offered) or file is None:
            raise Refused("not_found", "there is nothing here")
        return self._opened(tenant, file)

    def _opened(self, tenant: str, file: _File) -> Ledger:
        with self._lock:
            found = self._open.get(tenant)
            if found is not None and found[0] == file:
                return found[1]
            ledger = Ledger.open(
                self._settings.ledger, tenant=tenant, reader="memory", authoriser=self._authoriser
            )
            if found is not None:
                self._left.append(found[1])
            self._open[tenant] = (file, ledger)
            return ledger

    def close(self) -> None:
        """Close every ledger; no thread may be using one."""
        with self._lock:
            for ledger in (*self._left, *(ledger for _, ledger in self._open.values())):
                ledger.close()
            self._left.clear()
            self._open.clear()

    def _file(self, tenant: str) -> _File | None:
        """Which file the tenant's journal is; None where there is none."""
        try:
            found = (tenant_folder(self._settings.ledger, parse_tenant(tenant)) / LEDGER_FILE).stat()
        except (Refused, OSError):
            return None
        return found.st_dev, found.st_ino


def _authoriser(policies: Path | None) -> AuthoriserFactory | None:
    if policies is None:
        return None
    from prov_ledger.authz.cedar import load_cedar

    return load_cedar(policies)
