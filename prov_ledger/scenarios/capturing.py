"""The steps that capture what a source system says."""

from datetime import datetime

from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.sources import instant_from
from prov_ledger.model.times import parse_date_or_instant
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World

_MEDIA_TYPES = {"text": "text/plain", "markdown": "text/markdown", "html": "text/html", "csv": "text/csv"}


def source(world: World, step: Step) -> None:
    """Record a source, or give it a new title."""
    made = world.ledger(step).source(
        native=step.text("native"),
        title=step.text("title"),
        authority=step.find_text("authority") or "official",
        collection=step.find_text("collection"),
        governed_by=step.find_text("governed_by"),
        indifferent_to=step.texts("indifferent_to"),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def revision(world: World, step: Step) -> None:
    """Record one state of a source."""
    kind = next((kind for kind in _MEDIA_TYPES if kind in step), None)
    if kind is None:
        raise Refused("incomplete", f"revision: one of {', '.join(_MEDIA_TYPES)} is missing")
    relation = {
        key: value if key == "from" else world.id_of(str(value))
        for key, value in step.mapping("relation").items()
    }
    ledger = world.ledger(step)
    made = ledger.revision(
        world.id_of(step.needed("of")),
        data=step.text(kind),
        media_type=_MEDIA_TYPES[kind],
        label=step.text("label"),
        published=_published(ledger, step),
        scope=step.conditions("scope"),
        relation=relation or None,
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _published(ledger: Ledger, step: Step) -> datetime | None:
    """An instant; a date is the beginning of that day in the tenant's zone."""
    moment = step.moment("published")
    return None if moment is None else instant_from(parse_date_or_instant(moment), ledger.facts().zone)


def scope(world: World, step: Step) -> None:
    """State a scope anew."""
    world.ledger(step).scope(
        world.id_of(step.needed("of")),
        step.conditions("scope") or [],
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )


def evidence(world: World, step: Step) -> None:
    """Capture a quote or a cell."""
    made = world.ledger(step).evidence(
        world.id_of(step.needed("of")),
        quote=step.find_text("quote"),
        prefix=step.find_text("prefix"),
        suffix=step.find_text("suffix"),
        cell=step.mapping("cell") or None,
        scope=step.conditions("scope"),
        indifferent_to=step.texts("indifferent_to"),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def check(world: World, step: Step) -> None:
    """Record a currency check."""
    world.ledger(step).check(world.id_of(step.needed("source")), step.needed("outcome"), by=step.agent())


def retire(world: World, step: Step) -> None:
    """End a source's authority."""
    moment = step.moment("from")
    if moment is None:
        raise Refused("incomplete", "retire: 'from' is missing")
    world.ledger(step).retire(world.id_of(step.needed("source")), moment, by=step.agent())


def authority(world: World, step: Step) -> None:
    """Set a source's level."""
    world.ledger(step).authority(world.id_of(step.needed("source")), step.needed("level"), by=step.agent())
