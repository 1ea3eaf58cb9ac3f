"""Where a ledger keeps what, below its folder."""

import re
from pathlib import Path

from prov_ledger.errors import Refused

_TENANT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


def parse_tenant(name: str) -> str:
    """A tenant's name: a-z, 0-9, ``-`` and ``_``, 63 at most. Raises Refused ``bad_input``."""
    if not _TENANT_NAME.fullmatch(name):
        raise Refused(
            "bad_input", "a tenant's name is 1 to 63 of a-z, 0-9, '-' and '_', a letter or digit first"
        )
    return name


def tenant_folder(ledger: Path, tenant: str) -> Path:
    """The folder of one tenant."""
    return ledger / "tenants" / parse_tenant(tenant)


def keys_folder(ledger: Path) -> Path:
    """Where epoch keys are kept unless the environment holds them; has a backup horizon of its own."""
    return ledger / "keys"


def service_folder(ledger: Path) -> Path:
    """Where the service keeps what is its own, of all tenants."""
    return ledger / "service"


def api_keys_file(ledger: Path) -> Path:
    """The API keys of all tenants: hashes and ids."""
    return service_folder(ledger) / "keys.sqlite"


def graph_folder(ledger: Path, tenant: str) -> Path:
    """The graph: an index, rebuilt from the journal at any time."""
    return tenant_folder(ledger, tenant) / "graph"


def snapshots_folder(ledger: Path, tenant: str) -> Path:
    """Copies of the graph for analysts' queries; any erasure removes them."""
    return tenant_folder(ledger, tenant) / "snapshots"


def plans_folder(ledger: Path, tenant: str) -> Path:
    """Plans of erasures that wait to be run: ids alone, each for a limited time."""
    return tenant_folder(ledger, tenant) / "plans"
