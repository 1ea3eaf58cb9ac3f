"""Lines as the leaves of a ledger will have them, for a journal to pack leaves by what they are like."""

from datetime import UTC, date, datetime

from prov_ledger.model import records as r
from prov_ledger.model.facts import QUESTION_DATE
from prov_ledger.model.scopes import Edge, Period, Scope
from prov_ledger.rdf.encode import encode_entry

_TIME = datetime(2000, 1, 2, 3, 4, 5, 678901, UTC)
_BODY = "0123456789abcdefgh"
_HASH = "0123456789abcdef" * 4


def typical_lines(base: str) -> str:
    """Canonical N-Quads of a source, a revision, evidence and a claim that nobody wrote, below a base IRI.

    The same for the same base. What is written most often comes last.
    """
    agent, entry = f"agt_{_BODY}", f"ent_{_BODY}"
    source, revision, evidence = f"src_{_BODY}", f"rev_{_BODY}", f"ev_{_BODY}"
    scope = Scope((Period(QUESTION_DATE, date(2001, 2, 3), Edge.ASSUMED_OPEN),))
    checks = (("passed", None), ("untested", "no_question_yet"))
    retrieval = f"{entry}#retrieval"
    context = r.ContextRecord(retrieval, agent, agent, None, "permit", "grants-1", _TIME, *checks)
    question = r.Question(_HASH, {QUESTION_DATE: date(2001, 2, 3)})
    supported = ((evidence,),)
    written: tuple[list[r.Record], ...] = (
        [r.SourceRecord(source, "manual", _HASH, _HASH, "official")],
        [r.RevisionRecord(revision, source, "text/plain", 10, _HASH, _HASH, _TIME, _TIME, entry, scope)],
        [context, r.EvidenceRecord(evidence, revision, r.TextPosition(1234, 5678), _HASH, retrieval)],
        [
            r.ClaimRecord(
                f"cl_{_BODY}",
                _HASH,
                supported,
                frozenset({evidence}),
                r.Transformation("quote"),
                question,
                agent,
                _TIME,
            )
        ],
    )
    entries = (
        r.entry_of(entry, number, agent, _TIME, records) for number, records in enumerate(written, 1234)
    )
    return "".join(encode_entry(base, entry).decode() for entry in entries)
