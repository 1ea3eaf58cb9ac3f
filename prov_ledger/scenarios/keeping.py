"""The steps ``backup`` and ``restore``, over all tenants of a scenario at once."""

import shutil
from pathlib import Path

from prov_ledger.ledger.layout import keys_folder, tenant_folder
from prov_ledger.ledger.opening import key_provider
from prov_ledger.ledger.restoring import Newest, restore
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World


def backup(world: World, step: Step) -> None:
    """Back every tenant up, outside the ledger's folder."""
    world.ledger(step)
    place = _place(world.folder, step.number)
    for tenant, ledger in zip(world.tenants(), world.ledgers(), strict=True):
        ledger.backup(str(place / tenant), by=step.agent())
    world.make(step, str(place))


def restore_backup(world: World, step: Step) -> None:
    """Restore into a new folder, beside the keys and the denials as they are now; the old one goes."""
    place = Path(world.id_of(step.needed("from")))
    world.close()
    old, new = world.folder, _place(world.folder, step.number)
    new.mkdir()
    keys_folder(old).rename(keys_folder(new))
    tenants = sorted(path.name for path in place.iterdir())
    for tenant in tenants:
        newest = Newest.of_folder(tenant_folder(old, tenant))
        restore(place / tenant, new, key_provider(new), newest, world.clock)
    shutil.rmtree(old)
    world.move_to(new, tenants)


def _place(folder: Path, number: int) -> Path:
    return folder.with_name(f"{folder.name}-{number}")
