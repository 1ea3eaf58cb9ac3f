"""The table of tools: what each is called, takes, answers and does. A new tool is one row."""

from dataclasses import dataclass

from prov_ledger.mcp import calls
from prov_ledger.mcp import inputs as i
from prov_ledger.mcp import outputs as o
from prov_ledger.mcp.tools import AnyTool, I, Run, Tool


def _read(name: str, title: str, about: str, takes: type[I], answers: type[o.Output], run: Run[I]) -> Tool[I]:
    return Tool(name, title, about, takes, answers, run, read_only=True, idempotent=True)


FIND = _read(
    "find",
    "Find evidence",
    "Find evidence that is citable now for these facts, and passages that nobody captured yet. Begin here "
    "when nothing supports an answer, or when 'resolve' says search or rederive.",
    i.Find,
    o.Finding,
    calls.find,
)
RESOLVE = _read(
    "resolve",
    "Resolve ids",
    "Decide for each id of a claim or evidence whether it may be said now, to this reader, for these facts. "
    "Do this with every remembered id before saying anything that rests on it: only a citable slot has words "
    "and quotes. For any other, do what its 'next' says.",
    i.Resolve,
    o.Resolved,
    calls.resolve,
)
CHECK = _read(
    "check_answer",
    "Check an answer",
    "The gate in front of the reader: every [id] or [c1] in the text must resolve to citable now, with its "
    "quotations, titles, numbers and dates borne out. Show only the text that comes back.",
    i.CheckAnswer,
    o.Checked,
    calls.check,
)
EXPLAIN = _read(
    "explain",
    "Explain a claim",
    "What was believed of a claim when it was made, from what, which checks it passed, and what is different "
    "now.",
    i.Explain,
    o.Account,
    calls.explain,
)
CAPTURE = Tool(
    "capture_evidence",
    "Capture evidence",
    "Record a passage of a revision, word for word, or a cell of a table, as evidence that can be cited. The "
    "same passage again gives the same id.",
    i.CaptureEvidence,
    o.Recorded,
    calls.capture,
    role="evidence",
    idempotent=True,
)
CLAIM = Tool(
    "record_claim",
    "Record a claim",
    "Record a conclusion with the evidence or claims that it rests on, how it follows from them, and the "
    "question and facts that it was made for. Keep its id: after a compaction it is what can be resolved.",
    i.RecordClaim,
    o.Recorded,
    calls.claim,
    role="claim",
)
SUPERSEDE = Tool(
    "supersede_claim",
    "Correct a claim",
    "Put a new claim, with evidence of its own, in place of one that is wrong or has ended. The old one is "
    "never citable again. Only its own agent or a curator may.",
    i.SupersedeClaim,
    o.Recorded,
    calls.supersede,
    role="supersede",
    destructive=True,
)
RESTATE = Tool(
    "restate_claim",
    "Restate a claim",
    "Put a claim whose words are withheld into new words, which rest on nothing but what is named as their "
    "exposure.",
    i.RestateClaim,
    o.Recorded,
    calls.restate,
    role="supersede",
)
REMIND = Tool(
    "remind",
    "Make a reminder",
    "Make the packet that a compacted context keeps: one line per claim, within a budget of tokens. It is a "
    "memory, never evidence: resolve its ids before saying anything.",
    i.Remind,
    o.Reminded,
    calls.remind,
    role="remind",
)
PLAN = Tool(
    "plan_erasure",
    "Plan an erasure",
    "Say what would go for good, and what rests on it. Nothing is erased by this.",
    i.PlanErasure,
    o.Plan,
    calls.plan,
    role="erase",
    idempotent=True,
)
ERASE = Tool(
    "erase",
    "Erase",
    "Destroy for good what a plan names. Only after a person has seen the plan and agreed.",
    i.Erase,
    o.Erased,
    calls.erase,
    role="erase",
    destructive=True,
)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of a server, by name."""

    tools: tuple[AnyTool, ...]

    def get(self, name: str) -> AnyTool | None:
        """A tool; None where none of that name is offered."""
        return next((tool for tool in self.tools if tool.name == name), None)


def toolbox(erasure: bool) -> Toolbox:
    """All tools; those that erase only where that was switched on."""
    offered: tuple[AnyTool, ...] = (FIND, RESOLVE, CHECK, EXPLAIN, CAPTURE, CLAIM, SUPERSEDE, RESTATE, REMIND)
    return Toolbox((*offered, PLAN, ERASE) if erasure else offered)
