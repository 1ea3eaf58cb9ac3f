"""What each step of a scenario may hold: key by key, with the form of its value.

A key or a step that is not here makes a file no scenario. A key that is missing does not: the ledger
refuses the step as incomplete, and a scenario may expect just that.
"""

from collections.abc import Mapping
from types import MappingProxyType

from prov_ledger.errors import STATUS
from prov_ledger.model.records import CHECK_OUTCOMES, LEVELS, TRANSFORMATIONS
from prov_ledger.model.slots import VERDICTS
from prov_ledger.scenarios.forms import (
    Form,
    choice,
    duration,
    either,
    instant,
    list_of,
    mapping_of,
    optional,
    record,
    scalar,
    text,
    truth,
    whole_number,
)

Keys = Mapping[str, Form]

_names = list_of(text)
_facts = mapping_of(scalar)
_level = choice(LEVELS)
_scope = list_of(
    record(
        {
            "fact": text,
            "from": scalar,
            "until": scalar,
            "min": scalar,
            "max": scalar,
            "above": scalar,
            "below": scalar,
            "in": list_of(scalar),
        }
    )
)
_relation = record({"replaces": text, "corrects": text, "parallel": text, "from": scalar})
_cell = record({"row": either(dict, mapping_of(text), whole_number), "column": text})
_alternatives = list_of(_names)


def _support(raw: object) -> object:
    """One set of names, or a list of alternative sets; never both."""
    nested = isinstance(raw, list) and any(isinstance(member, list) for member in raw)
    return _alternatives(raw) if nested else _names(raw)


_candidate = either(dict, record({"as": text, "quote": choice(("same", "moved", "changed"))}), text)

#: What an expectation may say of one slot.
SLOT: Keys = MappingProxyType(
    {
        "verdict": choice(VERDICTS),
        "quotes": _names,
        "same_question": truth,
        "words": choice(("shown", "withheld")),
        "superseded_by": optional(text),
        "missing": _names,
        "unconsidered": _names,
        "decided_by": optional(text),
        "candidates": list_of(_candidate),
    }
)
_slots = mapping_of(record(SLOT))

_CLAIM: Keys = {
    "as": text,
    "says": text,
    "support": _support,
    "transformation": record({"kind": choice(TRANSFORMATIONS), "by": _names, "note": text}),
    "question": record({"text": text, "facts": _facts}),
    "bound_to": _names,
    "narrow": _scope,
    "exposure": _names,
}
_GRANT: Keys = {"who": text, "read": text, "until": scalar}
_READER: Keys = {"who": text, "facts": _facts}

#: Steps that change the world.
CHANGES: Mapping[str, Keys] = MappingProxyType(
    {
        "source": {
            "as": text,
            "title": text,
            "native": text,
            "authority": _level,
            "collection": text,
            "governed_by": text,
            "indifferent_to": _names,
        },
        "revision": {
            "as": text,
            "of": text,
            "label": text,
            "text": text,
            "markdown": text,
            "html": text,
            "csv": text,
            "published": scalar,
            "scope": _scope,
            "relation": _relation,
        },
        "scope": {"of": text, "scope": _scope},
        "grant": _GRANT,
        "revoke": _GRANT,
        "member": {"who": text, "of": text, "left": truth},
        "evidence": {
            "as": text,
            "of": text,
            "quote": text,
            "prefix": text,
            "suffix": text,
            "cell": _cell,
            "scope": _scope,
            "indifferent_to": _names,
        },
        "claim": _CLAIM,
        "supersede": {**_CLAIM, "old": text, "reason": text},
        "retract": {"claim": text, "reason": text},
        "restate": {"claim": text, "says": text, "exposure": _names},
        "reaffirm": {"claims": _names, "collection": text, "as": mapping_of(text)},
        "sensitive": {"collection": text},
        "retire": {"source": text, "from": scalar},
        "authority": {"source": text, "level": _level},
        "remind": {"as": text, "claims": _names, "budget": whole_number, "thread": text},
        "check": {"source": text, "outcome": choice(CHECK_OUTCOMES)},
        "erase": {"source": text, "revision": text, "evidence": text, "reason": text},
        "hold": {"source": text},
        "release": {"source": text},
        "deny": {"source": text, "reason": text},
        "allow": {"source": text, "reason": text},
        "contradict": {"claims": _names},
        "retention": {"collection": text, "source": text, "bytes_for": duration, "metadata_for": duration},
        "sweep": {},
        "corrupt": {"revision": text, "evidence": text},
        "restart": {},
        "rebuild": {},
        "backup": {"as": text},
        "restore": {"from": text},
    }
)

_ANSWER = record({"allowed": truth, "codes": _names, "uncited": whole_number, "has": _names, "lacks": _names})
_PACKET = record({"has": _names, "lacks": _names, "tokens_at_most": whole_number})

#: Steps that look at it; ``refused`` holds another step and is read by the parser.
EXPECTATIONS: Mapping[str, Keys] = MappingProxyType(
    {
        "resolve": {**_READER, "ids": _names, "as_of": scalar, "thread": text, "expect": _slots},
        "alike": {**_READER, "ids": _names},
        "answer": {**_READER, "thread": text, "text": text, "expect": _ANSWER},
        "thread": {**_READER, "thread": text, "expect": _slots},
        "packet": {"of": text, "who": text, "expect": _PACKET},
        "find": {**_READER, "text": text, "expect": _names},
        "refused": {"error": choice(STATUS)},
        "absent": {"text": text},
        "verify": {"expect": choice(("valid", "corrupt"))},
        "select": {"query": text, "rows": whole_number},
    }
)

#: Keys that any step may have; ``purpose`` only beside a ``who`` or a ``by``.
ANY_STEP: Keys = MappingProxyType({"at": instant, "by": text, "tenant": text, "purpose": text})

HEAD: Keys = MappingProxyType(
    {
        "scenario": text,
        "about": text,
        "tenant": text,
        "zone": text,
        "facts": mapping_of(either(dict, mapping_of(text), text)),
        "max_age": duration,
        "min_authority": _level,
        "governed_by": text,
    }
)
