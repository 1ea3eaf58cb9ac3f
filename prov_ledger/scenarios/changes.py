"""The steps that change the world, each as one call of the ledger; here those about who may read what."""

from collections.abc import Callable, Mapping

from prov_ledger.scenarios import capturing, concluding, erasing, keeping, retaining
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World

Change = Callable[[World, Step], None]


def _read(world: World, name: str) -> str:
    return name if name == "*" or name.startswith("collection:") else world.id_of(name)


def _grant(world: World, step: Step) -> None:
    world.ledger(step).grant(
        step.needed("who"),
        _read(world, step.needed("read")),
        for_purpose=step.find_text("purpose"),
        until=step.moment("until"),
        by=step.agent(),
    )


def _revoke(world: World, step: Step) -> None:
    world.ledger(step).revoke(
        step.needed("who"),
        _read(world, step.needed("read")),
        for_purpose=step.find_text("purpose"),
        by=step.agent(),
    )


def _member(world: World, step: Step) -> None:
    world.ledger(step).member(
        step.needed("who"), step.needed("of"), left=step.flag("left"), by=step.agent()
    )


def _deny(world: World, step: Step) -> None:
    world.ledger(step).deny(world.id_of(step.needed("source")), step.find_text("reason"), by=step.agent())


def _allow(world: World, step: Step) -> None:
    world.ledger(step).allow(world.id_of(step.needed("source")), step.find_text("reason"), by=step.agent())


def _sensitive(world: World, step: Step) -> None:
    world.ledger(step).sensitive(step.needed("collection"), by=step.agent())


def _restart(world: World, step: Step) -> None:
    world.restart()


def _rebuild(world: World, step: Step) -> None:
    world.ledger(step).rebuild()


#: What the ledger can do so far, by the name of the step.
CHANGES_SUPPORTED: Mapping[str, Change] = {
    "source": capturing.source,
    "revision": capturing.revision,
    "scope": capturing.scope,
    "grant": _grant,
    "revoke": _revoke,
    "member": _member,
    "evidence": capturing.evidence,
    "claim": concluding.claim,
    "supersede": concluding.supersede,
    "retract": concluding.retract,
    "retire": capturing.retire,
    "authority": capturing.authority,
    "remind": concluding.remind,
    "check": capturing.check,
    "deny": _deny,
    "allow": _allow,
    "contradict": concluding.contradict,
    "restate": concluding.restate,
    "reaffirm": concluding.reaffirm,
    "sensitive": _sensitive,
    "erase": erasing.erase,
    "hold": retaining.hold,
    "release": retaining.release,
    "retention": retaining.retention,
    "sweep": erasing.sweep,
    "corrupt": erasing.corrupt,
    "backup": keeping.backup,
    "restore": keeping.restore_backup,
    "restart": _restart,
    "rebuild": _rebuild,
}
