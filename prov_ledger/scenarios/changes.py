"""The steps that change the world, each as one call of the ledger."""

from collections.abc import Callable, Mapping
from datetime import datetime

from prov_ledger.errors import Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.sources import instant_from
from prov_ledger.model.times import parse_date_or_instant
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import CURATOR, World

Change = Callable[[World, Step], None]

_MEDIA_TYPES = {"text": "text/plain", "markdown": "text/markdown", "html": "text/html", "csv": "text/csv"}


def _by(step: Step) -> str:
    return step.find_text("by") or CURATOR


def _needed(step: Step, key: str) -> str:
    """A key without which there is nothing to call: its absence is the refusal ``incomplete``."""
    value = step.find_text(key)
    if not value:
        raise Refused("incomplete", f"{step.do}: '{key}' is missing")
    return value


def _source(world: World, step: Step) -> None:
    made = world.ledger(step).source(
        native=step.text("native"),
        title=step.text("title"),
        authority=step.find_text("authority") or "official",
        collection=step.find_text("collection"),
        governed_by=step.find_text("governed_by"),
        indifferent_to=step.texts("indifferent_to"),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _revision(world: World, step: Step) -> None:
    kind = next((kind for kind in _MEDIA_TYPES if kind in step), None)
    if kind is None:
        raise Refused("incomplete", f"revision: one of {', '.join(_MEDIA_TYPES)} is missing")
    relation = {
        key: value if key == "from" else world.id_of(str(value))
        for key, value in step.mapping("relation").items()
    }
    ledger = world.ledger(step)
    made = ledger.revision(
        world.id_of(_needed(step, "of")),
        data=step.text(kind),
        media_type=_MEDIA_TYPES[kind],
        label=step.text("label"),
        published=_published(ledger, step),
        scope=step.conditions("scope"),
        relation=relation or None,
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _published(ledger: Ledger, step: Step) -> datetime | None:
    """An instant; a date is the beginning of that day in the tenant's zone."""
    moment = step.moment("published")
    return None if moment is None else instant_from(parse_date_or_instant(moment), ledger.facts().zone)


def _scope(world: World, step: Step) -> None:
    world.ledger(step).scope(
        world.id_of(_needed(step, "of")),
        step.conditions("scope") or [],
        by=_by(step),
        purpose=step.find_text("purpose"),
    )


def _read(world: World, name: str) -> str:
    return name if name == "*" or name.startswith("collection:") else world.id_of(name)


def _grant(world: World, step: Step) -> None:
    world.ledger(step).grant(
        _needed(step, "who"),
        _read(world, _needed(step, "read")),
        for_purpose=step.find_text("purpose"),
        until=step.moment("until"),
        by=_by(step),
    )


def _revoke(world: World, step: Step) -> None:
    world.ledger(step).revoke(
        _needed(step, "who"),
        _read(world, _needed(step, "read")),
        for_purpose=step.find_text("purpose"),
        by=_by(step),
    )


def _member(world: World, step: Step) -> None:
    world.ledger(step).member(
        _needed(step, "who"), _needed(step, "of"), left=step.flag("left"), by=_by(step)
    )


def _evidence(world: World, step: Step) -> None:
    made = world.ledger(step).evidence(
        world.id_of(_needed(step, "of")),
        quote=step.find_text("quote"),
        prefix=step.find_text("prefix"),
        suffix=step.find_text("suffix"),
        cell=step.mapping("cell") or None,
        scope=step.conditions("scope"),
        indifferent_to=step.texts("indifferent_to"),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _support(world: World, raw: object) -> list[list[str]]:
    """Alternative sets of ids; a flat list of names is one set."""
    members = raw if isinstance(raw, list) else []
    if members and isinstance(members[0], str):
        return [world.ids_of(members)]
    return [world.ids_of(member) for member in members]


def _claim(world: World, step: Step) -> None:
    made = world.ledger(step).claim(
        says=step.text("says"),
        support=_support(world, step.get("support")),
        transformation=step.mapping("transformation"),
        question=step.mapping("question"),
        bound_to=step.texts("bound_to"),
        narrow=step.conditions("narrow"),
        exposure=world.ids_of(step.texts("exposure")),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _supersede(world: World, step: Step) -> None:
    made = world.ledger(step).supersede(
        world.id_of(_needed(step, "old")),
        says=step.text("says"),
        support=_support(world, step.get("support")),
        transformation=step.mapping("transformation"),
        question=step.mapping("question"),
        bound_to=step.texts("bound_to"),
        narrow=step.conditions("narrow"),
        exposure=world.ids_of(step.texts("exposure")),
        reason=step.find_text("reason"),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _retract(world: World, step: Step) -> None:
    world.ledger(step).retract(
        world.id_of(_needed(step, "claim")),
        reason=step.find_text("reason"),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )


def _retire(world: World, step: Step) -> None:
    moment = step.moment("from")
    if moment is None:
        raise Refused("incomplete", "retire: 'from' is missing")
    world.ledger(step).retire(world.id_of(_needed(step, "source")), moment, by=_by(step))


def _authority(world: World, step: Step) -> None:
    world.ledger(step).authority(world.id_of(_needed(step, "source")), _needed(step, "level"), by=_by(step))


def _remind(world: World, step: Step) -> None:
    made = world.ledger(step).remind(
        world.ids_of(step.texts("claims")),
        budget=step.number_of("budget"),
        thread=step.find_text("thread"),
        readers=sorted(world.scenario.principals()),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made.id)


def _check(world: World, step: Step) -> None:
    world.ledger(step).check(world.id_of(_needed(step, "source")), _needed(step, "outcome"), by=_by(step))


def _deny(world: World, step: Step) -> None:
    world.ledger(step).deny(world.id_of(_needed(step, "source")), step.find_text("reason"), by=_by(step))


def _allow(world: World, step: Step) -> None:
    world.ledger(step).allow(world.id_of(_needed(step, "source")), step.find_text("reason"), by=_by(step))


def _contradict(world: World, step: Step) -> None:
    world.ledger(step).contradict(world.ids_of(step.texts("claims")), by=_by(step))


def _restate(world: World, step: Step) -> None:
    world.ledger(step).restate(
        world.id_of(_needed(step, "claim")),
        says=step.text("says"),
        exposure=world.ids_of(step.texts("exposure")),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )


def _reaffirm(world: World, step: Step) -> None:
    done = world.ledger(step).reaffirm(
        world.ids_of(step.texts("claims")),
        collection=step.find_text("collection"),
        by=_by(step),
        purpose=step.find_text("purpose"),
    )
    for old, new in step.mapping("as").items():
        id_ = done.carried.get(world.id_of(old))
        if id_ is not None:
            world.name(str(new), id_)


def _sensitive(world: World, step: Step) -> None:
    world.ledger(step).sensitive(_needed(step, "collection"), by=_by(step))


def _restart(world: World, step: Step) -> None:
    world.restart()


def _rebuild(world: World, step: Step) -> None:
    world.ledger(step).rebuild()


#: What the ledger can do so far, by the name of the step.
CHANGES_SUPPORTED: Mapping[str, Change] = {
    "source": _source,
    "revision": _revision,
    "scope": _scope,
    "grant": _grant,
    "revoke": _revoke,
    "member": _member,
    "evidence": _evidence,
    "claim": _claim,
    "supersede": _supersede,
    "retract": _retract,
    "retire": _retire,
    "authority": _authority,
    "remind": _remind,
    "check": _check,
    "deny": _deny,
    "allow": _allow,
    "contradict": _contradict,
    "restate": _restate,
    "reaffirm": _reaffirm,
    "sensitive": _sensitive,
    "restart": _restart,
    "rebuild": _rebuild,
}
