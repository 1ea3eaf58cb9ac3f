"""Entries as canonical N-Quads: what is written comes back, and nothing else is taken for it."""

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.rdf.nquads import check_canonical, parse_nquads, parse_term, write_nquads
from prov_ledger.rdf.terms import XSD_STRING, Iri, Literal, Term, render_term

GRAPH = "https://ledger.test/graph"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IRIS = st.text("abz019/?=&._~-é", min_size=1, max_size=8).map(lambda name: Iri(f"urn:x{name}"))
LITERALS = st.one_of(
    st.builds(Literal, TEXT),
    st.builds(Literal, TEXT, st.just("urn:datatype")),
)
TRIPLES = st.lists(st.tuples(IRIS, IRIS, st.one_of(IRIS, LITERALS)), max_size=6)


def description_of(triples: list[tuple[Iri, Iri, Term]]) -> dict[str, dict[str, set[Term]]]:
    found: dict[str, dict[str, set[Term]]] = {}
    for s, p, o in triples:
        found.setdefault(s.value, {}).setdefault(p.value, set()).add(o)
    return found


@given(TRIPLES)
def test_what_is_written_is_read_back(triples: list[tuple[Iri, Iri, Term]]) -> None:
    read = parse_nquads(write_nquads(triples, GRAPH), GRAPH)
    assert {s: {p: set(o) for p, o in ps.items()} for s, ps in read.items()} == description_of(triples)


@given(TRIPLES)
def test_a_kept_memo_changes_nothing(triples: list[tuple[Iri, Iri, Term]]) -> None:
    memo: dict[str, Term] = {}
    data = write_nquads(triples, GRAPH)
    assert parse_nquads(data, GRAPH, memo) == parse_nquads(data, GRAPH, memo) == parse_nquads(data, GRAPH)


@given(TRIPLES)
def test_lines_are_sorted_unique_and_as_an_independent_writer_writes_them(
    triples: list[tuple[Iri, Iri, Term]],
) -> None:
    data = write_nquads([*triples, *triples], GRAPH)
    assert check_canonical(data) == len(set(triples))
    other = ox.serialize(ox.parse(data, ox.RdfFormat.N_QUADS), format=ox.RdfFormat.N_QUADS)
    assert other == data


def test_spelled_terms_are_written_as_they_are() -> None:
    assert write_nquads([("<urn:s>", "<urn:p>", '"x"')], "urn:g") == b'<urn:s> <urn:p> "x" <urn:g> .\n'


@pytest.mark.parametrize(
    "iri", ["relative", "urn:a b", "urn:a>", 'urn:"', "urn:\\u0041", "urn:{x}", "urn:%", "urn:%4", ""]
)
def test_what_is_no_absolute_iri_is_refused(iri: str) -> None:
    with pytest.raises(Refused, match="absolute"):
        write_nquads([(Iri(iri), Iri("urn:p"), Iri("urn:o"))], GRAPH)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(Refused, match="surrogate"):
        write_nquads([(Iri("urn:s"), Iri("urn:p"), Literal("\ud800"))], GRAPH)


@pytest.mark.parametrize(
    "line",
    [
        b"<urn:s> <urn:p> <urn:o> .\n",
        b"<urn:s> <urn:p> <urn:o> <urn:other> .\n",
        b"<urn:s>  <urn:p> <urn:o> <urn:g> .\n",
        b"_:b <urn:p> <urn:o> <urn:g> .\n",
        b"<urn:s> <urn:p> _:b <urn:g> .\n",
        b'<urn:s> <urn:p> "x <urn:g> .\n',
        b'<urn:s> <urn:p> "x"y" <urn:g> .\n',
        b'<urn:s> <urn:p> "\\u00e9" <urn:g> .\n',
        b'<urn:s> <urn:p> "\\u000A" <urn:g> .\n',
        b'<urn:s> <urn:p> "\\x" <urn:g> .\n',
        b'<urn:s> <urn:p> "\t" <urn:g> .\n',
        b'<urn:s> <urn:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> <urn:g> .\n',
        b"<urn:s> <urn:p> <urn:o> <urn:g> .",
        b"<urn:s> <urn:p> <urn:o> <urn:g> .\r\n",
        b"# comment\n",
        b"\n",
        b"\xff\n",
    ],
)
def test_a_line_that_we_would_not_write_is_corrupt(line: bytes) -> None:
    with pytest.raises(Corrupt):
        parse_nquads(b"<urn:s> <urn:p> <urn:o> <urn:g> .\n" + line, "urn:g")


def test_a_corrupt_line_is_named() -> None:
    with pytest.raises(Corrupt, match="line 2"):
        parse_nquads(b"<urn:s> <urn:p> <urn:o> <urn:g> .\nx\n", "urn:g")


@pytest.mark.parametrize("order", [(1, 0), (0, 0)])
def test_lines_out_of_order_or_twice_are_not_canonical(order: tuple[int, int]) -> None:
    lines = [b"<urn:a> <urn:p> <urn:o> <urn:g> .\n", b"<urn:b> <urn:p> <urn:o> <urn:g> .\n"]
    with pytest.raises(Corrupt, match="line 2"):
        check_canonical(b"".join(lines[number] for number in order))


@given(LITERALS)
def test_a_literal_has_one_spelling(literal: Literal) -> None:
    assert parse_term(render_term(literal)) == literal


def test_a_language_tag_is_kept() -> None:
    assert parse_term('"Haus"@de') == Literal("Haus", XSD_STRING, "de")
