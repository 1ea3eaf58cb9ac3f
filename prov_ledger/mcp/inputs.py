"""What each tool takes. No field says who asks: that is known from the connection alone."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError

from prov_ledger.errors import Refused
from prov_ledger.model.records import TransformationKind

M = TypeVar("M", bound=BaseModel)

Id = Annotated[str, Field(max_length=64, description="An id of the ledger, such as ev_... or cl_...")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[str, Field(max_length=4_000)]
Value = (
    Annotated[StrictStr, Field(max_length=500)]
    | StrictInt
    | Annotated[StrictFloat, Field(allow_inf_nan=False)]
)
Facts = Annotated[
    dict[Annotated[str, Field(max_length=64)], Value],
    Field(
        max_length=50,
        description="Facts of the question as declared in the ledger, e.g. {'purchase_date': '2026-07-02'}. "
        "A fact left out is unknown, never assumed.",
    ),
]
Ids = Annotated[list[Id], Field(min_length=1, max_length=100)]
Authority = Literal["official", "delegated", "informal"]

#: What clients may try as a way to say who asks; named in the refusal, with nothing of what was sent.
_WHO = frozenset(
    ("principal", "by", "who", "as", "agent", "user", "role", "roles", "group", "groups", "tenant", "purpose")
)


class Input(BaseModel):
    """Arguments of a tool: nothing beside its fields, and no value taken for one of another kind."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, hide_input_in_errors=True, populate_by_name=True
    )


class Condition(Input):
    """One condition of a scope: a period (from, until), a range (min, max, above, below) or a set (in)."""

    fact: Annotated[str, Field(max_length=64)]
    from_: Value | None = Field(default=None, alias="from", description="ISO date or instant, or 'open'.")
    until: Value | None = Field(default=None, description="Outside the period; or 'open'.")
    min: Value | None = None
    max: Value | None = None
    above: Value | None = None
    below: Value | None = None
    in_: Annotated[list[Value], Field(max_length=200)] | None = Field(default=None, alias="in")


Scope = Annotated[list[Condition], Field(max_length=20)]


class Cell(Input):
    """A cell of a table: its row, by number or by the value of a column, and its column by header."""

    row: StrictInt | dict[str, Value]
    column: Annotated[str, Field(max_length=500)]
    table: StrictInt | Annotated[str, Field(max_length=500)] = 1


class CaptureEvidence(Input):
    """One quote, or one cell, of one revision."""

    revision: Id = Field(description="The revision that holds it, as 'find' names it.")
    quote: Annotated[str, Field(max_length=20_000)] | None = Field(
        default=None, description="Word for word as it stands there, and once there."
    )
    prefix: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="What stands directly before it, where the quote stands there twice."
    )
    suffix: Annotated[str, Field(max_length=500)] | None = None
    cell: Cell | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    scope: Scope | None = Field(
        default=None, description="Only where this passage states a scope of its own."
    )


class RecordClaim(Input):
    """A conclusion with all that it rests on."""

    says: Words = Field(description="The conclusion, in one or two sentences.")
    support: Ids = Field(description="Evidence or claims that it rests on, all of them together.")
    alternatives: Annotated[list[Ids], Field(max_length=10)] = Field(
        default=[], description="Other sets, each of which would do alone."
    )
    kind: TransformationKind = Field(description="How it follows from its support.")
    depends_on: Annotated[list[str], Field(max_length=50)] = Field(
        default=[], description="Facts by which it was selected or computed."
    )
    note: Words | None = None
    question: Words = Field(description="The question that it answers.")
    facts: Facts = {}
    bound_to: Annotated[list[str], Field(max_length=50)] = Field(
        default=[], description="Facts whose very values it was made for."
    )
    narrow: Scope | None = Field(default=None, description="A narrower scope than its support has.")
    exposure: Annotated[list[Id], Field(max_length=200)] = Field(
        default=[], description="What else of the ledger was read while it was written."
    )


class SupersedeClaim(RecordClaim):
    """A correction: a new claim in place of another."""

    claim: Id = Field(description="The claim that is corrected.")
    reason: Words | None = None


class RestateClaim(Input):
    """New words for a claim."""

    claim: Id
    says: Words
    exposure: Ids = Field(description="All that these words were written from, and nothing else.")


class Remind(Input):
    """Claims for a compacted context."""

    claims: Ids
    budget: Annotated[int, Field(ge=1, le=8_000)] = Field(default=400, description="Tokens, at most.")
    thread: Name | None = Field(default=None, description="The conversation; gives short labels ([c1]).")


class Resolve(Input):
    """Ids to be decided for a question."""

    ids: Ids
    facts: Facts = {}
    thread: Name | None = None
    min_authority: Authority = "informal"
    max_age: Annotated[str, Field(max_length=32)] | None = Field(
        default=None, description="How old a source's last check may be, as an ISO 8601 duration: P30D."
    )


class CheckAnswer(Input):
    """An answer, before anybody sees it."""

    text: Annotated[str, Field(max_length=50_000)] = Field(
        description="The answer, each sentence that says something with its [id] or [c1]."
    )
    facts: Facts = {}
    thread: Name | None = None
    strict: bool = Field(default=False, description="Cut sentences without a citation, too.")
    min_authority: Authority = "informal"
    max_age: Annotated[str, Field(max_length=32)] | None = None


class Find(Input):
    """Words to look for."""

    text: Annotated[str, Field(min_length=1, max_length=1_000)]
    facts: Facts = {}
    limit: Annotated[int, Field(ge=1, le=20)] = 8


class Explain(Input):
    """A claim to be accounted for."""

    claim: Id
    as_of: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="An ISO date or instant; left out: when it was made."
    )


class PlanErasure(Input):
    """What is to go."""

    ids: Ids = Field(description="Sources, revisions, evidence, claims or agents.")


class Erase(Input):
    """A plan that somebody has looked at."""

    plan: Annotated[str, Field(max_length=64)] = Field(description="The hash that plan_erasure gave.")
    reason: Words | None = None


def parse_input(model: type[M], arguments: Mapping[str, object] | None) -> M:
    """The arguments of a call. Raises Refused ``bad_input``, naming fields of ours and never a value."""
    given = {} if arguments is None else arguments
    if _WHO & given.keys() - model.model_fields.keys():
        message = "who asks, and for what, is known from the connection: a tool takes no argument for it"
        raise Refused("bad_input", f"{message}; leave it out")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        places = dict.fromkeys(_place(one["loc"], one["type"]) for one in found[:5])
        raise Refused("bad_input", f"the arguments do not fit: {'; '.join(places)}") from None


def _place(loc: Sequence[int | str], kind: str) -> str:
    """One misfit; of a nested place only the field of ours that leads to it."""
    if kind == "extra_forbidden":
        where = f"'{loc[0]}' holds" if len(loc) > 1 else "there is"
        return f"{where} a field that is not known here: see the input schema"
    return f"'{loc[0] if loc else 'arguments'}' {_KINDS.get(kind, kind.replace('_', ' '))}"


_KINDS = {
    "missing": "is missing",
    "string_type": "has to be a text",
    "int_type": "has to be a whole number",
    "bool_type": "has to be true or false",
    "list_type": "has to be a list",
    "dict_type": "has to be an object",
    "model_type": "has to be an object",
    "too_long": "has too many items",
    "too_short": "is empty",
    "string_too_long": "is too long",
    "string_too_short": "is empty",
    "literal_error": "is none of the values in the input schema",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
}


def raw_scope(scope: Sequence[Condition] | None) -> list[dict[str, object]] | None:
    """A scope in the form that the ledger's verbs take."""
    if scope is None:
        return None
    return [one.model_dump(by_alias=True, exclude_none=True) for one in scope]
