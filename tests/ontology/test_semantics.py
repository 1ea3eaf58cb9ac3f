"""The statement of what things mean has every section that is cited, and every verdict in its order."""

import re
from pathlib import Path

from prov_ledger.model.slots import NEXT, VERDICTS
from prov_ledger.resources import load_topics, ontology_dir, shapes_dir

TEXT = (Path(__file__).parents[2] / "ontology" / "semantics.md").read_text()
_ROW = re.compile(r"^\| (`[^|]+`) \|[^|]*\| (\w+) \|$", re.MULTILINE)


def test_every_section_that_a_term_or_a_constraint_cites_is_there() -> None:
    cited = {
        found
        for folder in (ontology_dir(), shapes_dir())
        for text in load_topics(folder).values()
        for found in re.findall(r'"prov-ledger semantics, section (\d)"', text)
    }
    assert cited
    assert cited <= set(re.findall(r"^## (\d)\. ", TEXT, re.MULTILINE))


def test_the_table_has_every_verdict_in_order_with_what_comes_next() -> None:
    rows = [(verdict, next_) for cell, next_ in _ROW.findall(TEXT) for verdict in re.findall(r"\w+", cell)]
    assert rows == [(verdict, NEXT[verdict]) for verdict in VERDICTS]
