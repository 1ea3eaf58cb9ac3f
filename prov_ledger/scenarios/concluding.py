"""The steps about what was concluded."""

from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World


def claim(world: World, step: Step) -> None:
    """Record a conclusion."""
    made = world.ledger(step).claim(
        says=step.text("says"),
        support=_support(world, step.get("support")),
        transformation=step.mapping("transformation"),
        question=step.mapping("question"),
        bound_to=step.texts("bound_to"),
        narrow=step.conditions("narrow"),
        exposure=world.ids_of(step.texts("exposure")),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def supersede(world: World, step: Step) -> None:
    """Correct a claim."""
    made = world.ledger(step).supersede(
        world.id_of(step.needed("old")),
        says=step.text("says"),
        support=_support(world, step.get("support")),
        transformation=step.mapping("transformation"),
        question=step.mapping("question"),
        bound_to=step.texts("bound_to"),
        narrow=step.conditions("narrow"),
        exposure=world.ids_of(step.texts("exposure")),
        reason=step.find_text("reason"),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made)


def _support(world: World, raw: object) -> list[list[str]]:
    """Alternative sets of ids; a flat list of names is one set."""
    members = raw if isinstance(raw, list) else []
    if members and isinstance(members[0], str):
        return [world.ids_of(members)]
    return [world.ids_of(member) for member in members]


def retract(world: World, step: Step) -> None:
    """Withdraw a claim."""
    world.ledger(step).retract(
        world.id_of(step.needed("claim")),
        reason=step.find_text("reason"),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )


def restate(world: World, step: Step) -> None:
    """Put a claim into other words."""
    world.ledger(step).restate(
        world.id_of(step.needed("claim")),
        says=step.text("says"),
        exposure=world.ids_of(step.texts("exposure")),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )


def reaffirm(world: World, step: Step) -> None:
    """Carry claims over to the governing revision."""
    done = world.ledger(step).reaffirm(
        world.ids_of(step.texts("claims")),
        collection=step.find_text("collection"),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    for old, new in step.mapping("as").items():
        id_ = done.carried.get(world.id_of(old))
        if id_ is not None:
            world.name(str(new), id_)


def contradict(world: World, step: Step) -> None:
    """Record that two claims cannot both hold."""
    world.ledger(step).contradict(world.ids_of(step.texts("claims")), by=step.agent())


def remind(world: World, step: Step) -> None:
    """Make a reminder."""
    made = world.ledger(step).remind(
        world.ids_of(step.texts("claims")),
        budget=step.number_of("budget"),
        thread=step.find_text("thread"),
        readers=sorted(world.scenario.principals()),
        by=step.agent(),
        purpose=step.find_text("purpose"),
    )
    world.make(step, made.id)
