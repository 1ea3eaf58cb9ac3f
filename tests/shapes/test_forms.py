"""Entries of one form are judged alike, by pySHACL too, and forms give up where they cannot know."""

import random
import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from entry_cases import Case, Triple, as_lines, valid_cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_differential import damaged
from test_encoded_entries import BASE, RECORDS, lines_of

from prov_ledger.checks.conformance import validate_graph
from prov_ledger.checks.forms import Form
from prov_ledger.checks.shape_index import ShapeIndex
from prov_ledger.checks.shape_reading import ShapesSeen
from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.errors import Refused
from prov_ledger.ledger.hop import Hop
from prov_ledger.model import records as r
from prov_ledger.model.facts import canonical
from prov_ledger.model.times import format_instant, parse_instant
from prov_ledger.resources import load_topics, shapes_dir
from prov_ledger.vocab import PL, XSD

VALIDATOR = EntryValidator.load()
FORMS = VALIDATOR.forms
HOP = Hop(BASE)
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
BODY = re.compile(rf"(?<=_)[{ALPHABET}]{{18}}(?=[>#])")
HEX = re.compile(r'(?<=")[0-9a-f]{64}(?=")')
TYPED = re.compile(r'"([^"]*)"\^\^<http://www.w3.org/2001/XMLSchema#(dateTime|date|integer|decimal)>')
LINE = re.compile(r"(<[^>]*>) (<[^>]*>) (.*?)(?: <[^ ]*graph>)? \.")
CASES = valid_cases()
Triples = list[Triple]


def triples_of(lines: str) -> Triples:
    return [match.groups() for match in map(LINE.fullmatch, lines.split("\n")) if match is not None]


class Exchange:
    """Other ids, commitments, times, numbers and texts in place of those there are, in the same order."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.days = timedelta(days=self.random.randrange(-3000, 3000))
        self.factor, self.more = self.random.randrange(1, 9), self.random.randrange(9)
        self.made: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        text = BODY.sub(lambda match: self._other(match[0], ALPHABET), text)
        text = HEX.sub(lambda match: self._other(match[0], "0123456789abcdef"), text)
        return TYPED.sub(lambda match: f'"{self._typed(match[1], match[2])}"^^<{XSD}{match[2]}>', text)

    def all(self, triples: Triples) -> Triples:
        return [(self(s), self(p), self._text(o) if p in FORMS.texts else self(o)) for s, p, o in triples]

    def _text(self, value: str) -> str:
        is_text = value[0] == value[-1] == '"' and HEX.fullmatch(value, 1, len(value) - 1) is None
        return f'"{self._other(value, ALPHABET)}"' if is_text else self(value)

    def _other(self, value: str, alphabet: str) -> str:
        if value not in self.made:
            self.made[value] = "".join(self.random.choices(alphabet, k=len(value)))
        return self.made[value]

    def _typed(self, text: str, datatype: str) -> str:
        try:
            if datatype == "dateTime" and text.endswith("Z"):
                return format_instant(parse_instant(text) + self.days)
            if datatype == "date":
                return (date.fromisoformat(text) + self.days).isoformat()
            if datatype == "integer":
                return text if int(text) < 2 else str(int(text) * self.factor + self.more)
            return canonical(Decimal(text) * self.factor + self.more) if datatype == "decimal" else text
        except (ValueError, ArithmeticError, Refused):
            return text


def forms_of(triples: Triples, others: Triples) -> tuple[Form | None, Form | None]:
    return FORMS.of(triples, _entries(triples)), FORMS.of(others, _entries(others))


def _entries(triples: Triples) -> set[str]:
    """The ids of the entries: what they bring into being is told apart from what was there."""
    return {subject[1:-1].rpartition("/")[2] for subject, _, value in triples if value == f"<{PL}Entry>"}


def found_by_both(lines: str, known: list[tuple[str, str]]) -> bool:
    """Whether an entry conforms; both validators say the same."""
    conforms = VALIDATOR.check(lines, known) == ()
    assert validate_graph(lines, known).conforms == conforms
    return conforms


def test_the_shapes_of_this_installation_allow_forms():
    assert FORMS.usable


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_order_of_lines_and_what_an_id_is_make_no_other_form(case: Case):
    triples = sorted(triples_of(case.lines))
    one, other = forms_of(triples, Exchange(1).all(triples))
    assert one == other
    assert one is not None


@settings(max_examples=150, deadline=None)
@given(damaged(), st.integers())
def test_what_has_the_form_of_another_entry_conforms_as_that_does(entry: tuple[Case, str], seed: int):
    case, lines = entry
    exchange, triples = Exchange(seed), triples_of(lines)
    others = exchange.all(triples)
    one, other = forms_of(triples, others)
    if one is not None and one == other:
        known = [(exchange(f"<{node}>")[1:-1], kind) for node, kind in case.known]
        assert found_by_both(as_lines(others), known) == found_by_both(lines, case.known)


@settings(max_examples=400, deadline=None)
@given(damaged())
def test_what_is_damaged_has_no_form_of_what_conforms(entry: tuple[Case, str]):
    case, lines = entry
    triples = triples_of(lines)
    if FORMS.of(sorted(triples), _entries(triples)) in CONFORMING[case.name]:
        assert VALIDATOR.check(lines, case.known) == ()


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=st.integers())
def test_a_record_with_other_ids_times_and_numbers_has_the_same_form_and_verdict(
    kind: type, data: st.DataObject, seed: int
):
    beside = [r.TitleRecord("src_" + "0" * 18, "0" * 64)] if kind is r.EndingRecord else []
    triples = triples_of(lines_of(data.draw(RECORDS[kind]), *beside))
    others = Exchange(seed).all(triples)
    one, other = forms_of(triples, others)
    assume(one is not None and other is not None)
    assert one == other
    first, second = as_lines(triples), as_lines(others)
    found = [VALIDATOR.check(lines, HOP.known(lines)) == () for lines in (first, second)]
    assert found[0] == found[1]


CONFORMING = {
    case.name: {FORMS.of(sorted(triples_of(case.lines)), _entries(triples_of(case.lines)))} for case in CASES
}
CLAIM = next(triples_of(case.lines) for case in CASES if case.name == "claim")
EVIDENCE = next(triples_of(case.lines) for case in CASES if case.name == "evidence")


def changed(triples: Triples, old: str, new: str) -> Triples:
    assert any(old in term for triple in triples for term in triple), old
    return [(s, p.replace(old, new), o.replace(old, new)) for s, p, o in triples]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"2026-06-01T12:00:00Z"', '"2026-06-01T12:00:00+00:00"'),
        ('"2026-06-01T12:00:00Z"', '"2026-06-31T12:00:00Z"'),
        ('"2026-06-01T12:00:00Z"', '"2026-02-29T12:00:00Z"'),
        ('"2026-06-01T12:00:00Z"', '"2026-06-01T12:00:00.50Z"'),
        ('"7"^^', '"07"^^'),
        ('"7"^^', '"-7"^^'),
        ('"7"^^', '"+7"^^'),
    ],
)
def test_a_spelling_that_may_be_another_value_or_none_has_no_form(old: str, new: str):
    assert FORMS.of(CLAIM, ()) is not None
    assert FORMS.of(changed(CLAIM, old, new), ()) is None


def test_a_commitment_where_none_is_asked_for_has_no_form():
    line = (CLAIM[0][0], f"<{PL}reason>", f'"{"a" * 64}"')
    assert FORMS.of([*CLAIM, line], ()) is None


def test_a_text_that_is_exchanged_and_stays_elsewhere_has_no_form():
    node = CLAIM[0][0]
    exchanged = (node, f"<{PL}value>", '"a"')
    assert FORMS.of([*CLAIM, exchanged, (node, f"<{PL}reason>", '"b"')], ()) is not None
    assert FORMS.of([*CLAIM, exchanged, (node, f"<{PL}reason>", '"a"')], ()) is None


def test_texts_of_facts_are_exchanged_but_not_which_of_them_are_the_same():
    node, other = CLAIM[0][0], CLAIM[-1][0]

    def stating(one: str, two: str) -> Form | None:
        values = [(node, f"<{PL}value>", f'"{one}"'), (other, f"<{PL}value>", f'"{two}"')]
        return FORMS.of([*CLAIM, *values], ())

    assert stating("a", "b") == stating("%", "0" * 64) is not None
    assert stating("a", "b") != stating("a", "a")


def test_no_value_of_another_kind_is_taken_for_a_text():
    node = CLAIM[0][0]
    values = ['"a"', '"a"@en', '"b"@en', f'"true"^^<{XSD}boolean>', f'"false"^^<{XSD}boolean>']
    forms = {FORMS.of([*CLAIM, (node, f"<{PL}value>", value)], ()) for value in values}
    assert len(forms) == len(values)


def test_what_is_recorded_before_and_what_is_new_have_different_forms():
    id = next(s for s, _, o in CLAIM if o == f"<{PL}Claim>")[1:-1].rpartition("/")[2]
    assert FORMS.of(CLAIM, ()) != FORMS.of(CLAIM, {id})


def test_bounds_in_another_order_have_another_form():
    start, end = (next(o for _, p, o in EVIDENCE if p.endswith(f"#{name}>")) for name in ("start", "end"))
    turned = [(s, p, {start: end, end: start}.get(o, o)) for s, p, o in EVIDENCE]
    assert FORMS.of(EVIDENCE, ()) != FORMS.of(turned, ())


def test_a_bound_that_is_the_time_of_the_entry_keeps_its_place():
    node, now = CLAIM[0][0], next(o for _, p, o in CLAIM if p.endswith("#recordedAt>"))
    earlier, later = (now.replace("2026", year) for year in ("2025", "2027"))

    def period(first: str, last: str) -> Triples:
        return [*CLAIM, (node, f"<{PL}from>", first), (node, f"<{PL}until>", last)]

    assert FORMS.of(period(now, later), ()) != FORMS.of(period(now, earlier), ())


PREFIXES = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix pl: <https://w3id.org/prov-ledger#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@pytest.mark.parametrize(
    "shape",
    [
        '[ sh:path pl:claim ; sh:pattern "/cl_7" ]',
        '[ sh:path pl:made ; sh:datatype xsd:dateTime ; sh:pattern "^2026" ]',
        '[ sh:path ( pl:a pl:b ) ; sh:datatype xsd:string ; sh:pattern "^a" ]',
        '[ sh:path pl:claim ; sh:nodeKind sh:IRI ; sh:pattern "ev_" ]',
        "[ sh:path pl:budget ; sh:maxInclusive 5 ]",
        "[ sh:path pl:budget ; sh:datatype xsd:integer ; sh:minInclusive 5 ]",
        "[ sh:path pl:claim ; sh:maxLength 20 ]",
        "[ sh:path pl:sequence ; sh:in ( 7 ) ]",
        "[ sh:path pl:sequence ; sh:hasValue 7 ]",
        f"[ sh:path pl:claim ; sh:hasValue <{BASE}cl_{'0' * 18}> ]",
        "[ sh:path ( pl:a pl:b ) ; sh:lessThan pl:c ]",
        "[ sh:path pl:says ; sh:uniqueLang true ]",
        '[ sh:sparql [ sh:select "SELECT $this WHERE {}" ] ]',
    ],
)
def test_shapes_that_look_at_more_than_a_form_keeps_allow_no_forms(shape: str):
    text = f"{PREFIXES}<urn:shape> a sh:NodeShape ; sh:targetClass pl:Claim ; sh:property {shape} ."
    topics = {**load_topics(shapes_dir()), "further": text}
    assert not ShapesSeen(ShapeIndex(topics).triples()).allow_forms


@pytest.mark.parametrize(
    "shape",
    [
        '[ sh:path pl:value ; sh:datatype xsd:string ; sh:pattern "^a" ]',
        "[ sh:path pl:value ; sh:datatype xsd:string ; sh:maxLength 3 ]",
        "[ sh:path [ sh:alternativePath ( pl:note [ sh:inversePath pl:value ] ) ] ; sh:node pl:x ]",
        "[ sh:path pl:value ; sh:in ( true ) ]",
        "[ sh:path pl:note ; sh:equals pl:value ]",
        "[ sh:path pl:note ; sh:disjoint pl:value ]",
        "[ sh:path pl:note ; sh:lessThan pl:value ]",
        "[ sh:path pl:value ; sh:uniqueLang true ]",
    ],
)
def test_texts_that_some_shape_looks_at_are_not_exchanged(shape: str):
    text = f"{PREFIXES}<urn:shape> a sh:NodeShape ; sh:targetClass pl:Claim ; sh:property {shape} ."
    topics = {**load_topics(shapes_dir()), "further": text}
    assert f"<{PL}value>" in FORMS.texts
    assert f"<{PL}value>" not in ShapesSeen(ShapeIndex(topics).triples()).texts


def test_an_entry_like_one_that_was_refused_is_refused_again():
    validator = EntryValidator.load()
    case = next(case for case in CASES if case.name == "claim")
    lines = "".join(x for x in case.lines.splitlines(True) if f"<{PL}statementCommitment>" not in x)
    found = validator.forms.of(triples_of(lines), ())
    assert found is not None
    assert [len(validator.check(lines, case.known, found)) for _ in range(2)] == [1, 1]


def test_what_was_found_to_conform_is_not_asked_about_again():
    validator = EntryValidator.load()
    case = next(case for case in CASES if case.name == "claim")
    found = validator.forms.of(triples_of(case.lines), ())
    assert validator.check(case.lines, case.known, found) == ()

    def asked():
        raise AssertionError("asked what is known")
        yield

    assert validator.check(case.lines, asked(), found) == ()
