"""The steps about what must be kept, and how long anything may be kept."""

from prov_ledger.errors import Refused
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World


def hold(world: World, step: Step) -> None:
    """Put a source under legal hold."""
    world.ledger(step).hold(world.id_of(step.needed("source")), step.find_text("reason"), by=step.agent())


def release(world: World, step: Step) -> None:
    """End the hold on a source."""
    world.ledger(step).release(world.id_of(step.needed("source")), step.find_text("reason"), by=step.agent())


def retention(world: World, step: Step) -> None:
    """Bound how long what is recorded of a source, or of a collection's sources, is kept."""
    if ("source" in step) == ("collection" in step):
        raise Refused("incomplete", "retention: one of source, collection is missing, or both are there")
    on = world.id_of(step.needed("source")) if "source" in step else f"collection:{step.needed('collection')}"
    world.ledger(step).retention(
        on,
        bytes_for=step.find_text("bytes_for"),
        metadata_for=step.find_text("metadata_for"),
        by=step.agent(),
    )
