"""One open ledger per tenant and process, opened when it is first asked for."""

import threading
from pathlib import Path

from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.errors import Refused
from prov_ledger.ledger.layout import parse_tenant, tenant_folder
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.settings import Settings
from prov_ledger.vault.journal import LEDGER_FILE


class Tenants:
    """The tenants that a service answers for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._authoriser = _authoriser(settings.policies)
        self._open: dict[str, Ledger] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The tenants that are there and offered, sorted."""
        folder = self._settings.ledger / "tenants"
        there = [x.name for x in folder.iterdir()] if folder.is_dir() else []
        offered = self._settings.tenants
        return sorted(name for name in there if self._is_there(name) and (offered is None or name in offered))

    def ledger(self, tenant: str) -> Ledger:
        """The tenant's ledger, which any number of threads may use. Raises Refused ``not_found``."""
        found = self._open.get(tenant)
        if found is not None:
            return found
        offered = self._settings.tenants
        if (offered is not None and tenant not in offered) or not self._is_there(tenant):
            raise Refused("not_found", "there is nothing here")
        with self._lock:
            if tenant not in self._open:
                self._open[tenant] = Ledger.open(
                    self._settings.ledger, tenant=tenant, reader="memory", authoriser=self._authoriser
                )
            return self._open[tenant]

    def opened(self) -> dict[str, Ledger]:
        """The ledgers that are open now, by tenant."""
        return dict(self._open)

    def close(self) -> None:
        """Close every ledger; no thread may be using one."""
        with self._lock:
            for ledger in self._open.values():
                ledger.close()
            self._open.clear()

    def _is_there(self, tenant: str) -> bool:
        try:
            return (tenant_folder(self._settings.ledger, parse_tenant(tenant)) / LEDGER_FILE).is_file()
        except Refused:
            return False


def _authoriser(policies: Path | None) -> AuthoriserFactory | None:
    if policies is None:
        return None
    from prov_ledger.authz.cedar import load_cedar

    return load_cedar(policies)
