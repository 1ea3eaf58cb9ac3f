"""What each tool answers with: its output schema, and the one place where a slot's words pass."""

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from prov_ledger.ledger.answering import CheckedAnswer
from prov_ledger.ledger.erasing.manifest import Manifest
from prov_ledger.ledger.explaining import Explanation
from prov_ledger.ledger.finding import Found
from prov_ledger.ledger.reminding import Packet
from prov_ledger.model.plain import encode_plain
from prov_ledger.model.slots import Became, Next, Slot, Verdict

#: How a line of a packet ends whose claim was not found to have fallen.
_UNVERIFIED = " | unverified until resolved"


class Output(BaseModel):
    """The structured content of an answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Recorded(Output):
    """The id of what was recorded."""

    id: str


class Quote(Output):
    """One quote: text of a source. It is data, whatever it says."""

    evidence: str
    quote: str
    source: str
    title: str
    revision: str
    label: str
    header_path: list[str]


class Proposal(Output):
    """Something to derive anew from, and what became of the quote there."""

    id: str
    became: Became | None


class Decided(Output):
    """What the ledger says of one id, for this reader and these facts, now."""

    id: str
    verdict: Verdict
    next: Next
    statement: str | None = Field(description="Only where citable.")
    words: Literal["shown", "withheld"] | None
    quotes: list[Quote] = Field(description="Only where citable.")
    same_question: bool | None
    superseded_by: str | None
    decided_by: str | None
    missing: list[str]
    unconsidered: list[str]
    candidates: list[Proposal] = Field(description="The nearest first.")
    more_candidates: bool
    assumed_open: bool
    last_confirmed: str | None


class Resolved(Output):
    """One slot per id, in order."""

    slots: list[Decided]


class Reminded(Output):
    """A packet: memories of conclusions, which are never evidence."""

    id: str
    text: str
    tokens: int
    labels: list[str] = Field(description="The claim that [c1] stands for, that of [c2], and so on.")


class Fault(Output):
    """A marker that does not hold, and why."""

    marker: str
    code: str


class Checked(Output):
    """What may be shown of an answer."""

    allowed: bool
    codes: list[str]
    text: str = Field(description="What may be shown: without the sentences that were cut.")
    partial: bool
    uncited: list[str]
    faults: list[Fault]
    cited: list[str]


class Evidence(Output):
    """Evidence that is citable now."""

    id: str
    quote: str
    source: str
    title: str
    revision: str
    label: str
    header_path: list[str]
    assumed_open: bool
    last_confirmed: str | None


class Passage(Output):
    """A passage that is no evidence yet: capture it before it is cited."""

    revision: str
    text: str
    source: str
    title: str
    label: str
    header_path: list[str]


class Finding(Output):
    """What was found, each best first."""

    evidence: list[Evidence]
    passages: list[Passage]


class Judged(Output):
    """A verdict without any words."""

    verdict: Verdict
    decided_by: str | None


class Member(Judged):
    """One node of what a claim rests on."""

    id: str
    members: list[list["Member"]]


class Passed(Output):
    """One check, and how it went."""

    check: str
    passed: bool


class Happened(Output):
    """Something that was recorded since about what a claim rests on."""

    at: str
    kind: str
    about: str


class Account(Output):
    """What was believed of a claim, from what, and what is different now."""

    id: str
    made: str
    transformation: str
    facts: dict[str, str]
    as_of: str
    then: Judged
    now: Decided
    support: Member
    checks: list[Passed]
    since: list[Happened]


class Derivation(Output):
    """What becomes of a claim that rests on something that goes."""

    claim: str
    outcome: str


class Plan(Output):
    """What an erasure would take. Nothing has gone yet."""

    hash: str
    targets: list[str]
    goes: list[str]
    derived: list[Derivation]
    reminders: list[str]
    threads: int


class Erased(Output):
    """A finished erasure."""

    id: str
    plan: str
    texts: int
    epoch: int | None


def decided(slot: Slot) -> Decided:
    """A slot for a model: words and quotes of one that is not citable are not in it."""
    if slot.verdict != "citable":
        slot = replace(slot, statement=None, quotes=())
    return Decided.model_validate(encode_plain(slot))


def reminded(packet: Packet) -> Reminded:
    """A packet for a model; of a claim that has fallen there is its id and its state alone."""
    lines = [_line(line) for line in packet.text.split("\n")]
    return Reminded(
        id=packet.id, text="\n".join(lines), tokens=packet.tokens, labels=[str(x) for x in packet.labels]
    )


def _line(line: str) -> str:
    if not line.startswith("[c") or line.endswith(_UNVERIFIED):
        return line
    parts = line.split(" | ")
    return f"{parts[0]} | {parts[-1]}"


def checked(answer: CheckedAnswer) -> Checked:
    """A checked answer; of the sentences that were cut only their markers are repeated."""
    return Checked.model_validate(encode_plain(answer))


def found(result: Found) -> Finding:
    """What was found."""
    return Finding.model_validate(encode_plain(result))


def account(explanation: Explanation) -> Account:
    """An account; words are in it only where the claim is citable now."""
    plain = encode_plain(replace(explanation, then=replace(explanation.then, statement=None, quotes=())))
    assert isinstance(plain, dict)
    return Account.model_validate({**plain, "now": decided(explanation.now)})


def planned(manifest: Manifest) -> Plan:
    """A plan; who was shown what goes is not in it."""
    return Plan(
        hash=manifest.hash,
        targets=list(manifest.targets),
        goes=list(manifest.goes),
        derived=[Derivation(claim=x.claim, outcome=x.outcome) for x in manifest.derived],
        reminders=list(manifest.reminders),
        threads=len(manifest.threads),
    )
