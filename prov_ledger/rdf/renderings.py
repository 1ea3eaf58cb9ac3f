"""A few triples in the forms that others read: Turtle, JSON-LD and PROV-JSON."""

import json
import re
from collections.abc import Sequence

from prov_ledger.rdf.terms import Iri, Literal, Term, Triple, render_term
from prov_ledger.vocab import PREFIXES, PROV, RDF_TYPE, XSD

_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def render_turtle(triples: Sequence[Triple], base: str) -> str:
    """The triples as Turtle, sorted, with the usual prefixes and a base.

    Source: RDF 1.1 Turtle section 2.
    """
    lines = [f"@base <{base}> ."]
    lines += [f"@prefix {name}: <{iri}> ." for name, iri in PREFIXES.items()]
    subject = None
    for one in sorted(triples, key=lambda triple: tuple(render_term(term) for term in triple)):
        if one[0] != subject:
            subject = one[0]
            lines += ["", _turtle(subject, base)]
        else:
            lines[-1] = lines[-1].removesuffix(" .") + " ;"
        lines.append(f"    {_turtle(one[1], base)} {_turtle(one[2], base)} .")
    return "\n".join(lines) + "\n"


def _turtle(term: Term, base: str) -> str:
    if isinstance(term, Iri):
        if term.value == RDF_TYPE:
            return "a"
        for name, iri in PREFIXES.items():
            local = term.value.removeprefix(iri)
            if local != term.value and _LOCAL.fullmatch(local):
                return f"{name}:{local}"
        return f"<{term.value.removeprefix(base)}>"
    return render_term(term)


def render_json_ld(triples: Sequence[Triple]) -> str:
    """The triples as expanded JSON-LD.

    Source: JSON-LD 1.1 section 9.1 (expanded document form).
    """
    nodes: dict[str, dict[str, list[object]]] = {}
    for subject, predicate, value in triples:
        node = nodes.setdefault(_name(subject), {})
        if _name(predicate) == RDF_TYPE:
            node.setdefault("@type", []).append(_name(value))
        else:
            node.setdefault(_name(predicate), []).append(_json_ld(value))
    return json.dumps([{"@id": id, **node} for id, node in nodes.items()], ensure_ascii=False, indent=2)


def _json_ld(term: Term) -> dict[str, str]:
    if not isinstance(term, Literal):
        return {"@id": _name(term)}
    if term.language:
        return {"@value": term.lexical, "@language": term.language}
    typed = {} if term.datatype == XSD + "string" else {"@type": term.datatype}
    return {"@value": term.lexical, **typed}


def _name(term: Term) -> str:
    return term.value if isinstance(term, Iri) else render_term(term)


_KINDS = {"Entity": "entity", "Activity": "activity", "Agent": "agent", "Bundle": "entity"}
#: Of each relation: its member in PROV-JSON, and what its two ends are called.
_RELATIONS = {
    "wasDerivedFrom": ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
    "wasQuotedFrom": ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
    "wasRevisionOf": ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
    "specializationOf": ("specializationOf", "prov:specificEntity", "prov:generalEntity"),
    "alternateOf": ("alternateOf", "prov:alternate1", "prov:alternate2"),
    "wasGeneratedBy": ("wasGeneratedBy", "prov:entity", "prov:activity"),
    "wasInvalidatedBy": ("wasInvalidatedBy", "prov:entity", "prov:activity"),
    "used": ("used", "prov:activity", "prov:entity"),
    "wasAssociatedWith": ("wasAssociatedWith", "prov:activity", "prov:agent"),
    "wasAttributedTo": ("wasAttributedTo", "prov:entity", "prov:agent"),
}
_TYPED = {"wasQuotedFrom": "prov:Quotation", "wasRevisionOf": "prov:Revision"}


def render_prov_json(triples: Sequence[Triple], base: str) -> str:
    """What PROV-DM has a word for, as PROV-JSON; other properties become attributes of their subject.

    Source: PROV-JSON (W3C Member Submission 2013) sections 2 and 3.
    """
    kinds = _prov_kinds(triples, base)
    document: dict[str, dict[str, object]] = {"prefix": {**PREFIXES, "id": base}}
    for number, (subject, predicate, value) in enumerate(triples, 1):
        relation = _name(predicate).removeprefix(PROV)
        name = _short(subject, base)
        if relation in _RELATIONS and isinstance(value, Iri):
            member, one, other = _RELATIONS[relation]
            ends: dict[str, object] = {one: name, other: _short(value, base)}
            if relation in _TYPED:
                ends["prov:type"] = {"$": _TYPED[relation], "type": "xsd:QName"}
            document.setdefault(member, {})[f"_:r{number}"] = ends
        elif name in kinds:
            node = document.setdefault(kinds[name], {}).setdefault(name, {})
            assert isinstance(node, dict)
            key = "prov:type" if _name(predicate) == RDF_TYPE else _short(predicate, base)
            node.setdefault(key, []).append(_attribute(value, base))
    for name, kind in kinds.items():
        document.setdefault(kind, {}).setdefault(name, {})
    return json.dumps(document, ensure_ascii=False, indent=2)


def _prov_kinds(triples: Sequence[Triple], base: str) -> dict[str, str]:
    """What each subject is to PROV, by its short name: an agent or an activity before an entity."""
    kinds: dict[str, str] = {}
    for subject, predicate, value in triples:
        kind = _KINDS.get(_name(value).removeprefix(PROV))
        if _name(predicate) == RDF_TYPE and kind is not None:
            kinds.setdefault(_short(subject, base), kind)
    return kinds


def _short(term: Term, base: str) -> str:
    name = _name(term)
    for prefix, iri in {**PREFIXES, "id": base}.items():
        if iri and name.startswith(iri):
            return f"{prefix}:{name.removeprefix(iri)}"
    return name


def _attribute(term: Term, base: str) -> object:
    if isinstance(term, Literal):
        if term.datatype == XSD + "string":
            return term.lexical
        return {"$": term.lexical, "type": f"xsd:{term.datatype.removeprefix(XSD)}"}
    return {"$": _short(term, base), "type": "xsd:QName"}
