"""Finding in nine years of real policies: thousands of passages, and the pages of their own day."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector
from prov_ledger.ledger.finding import Found

DAYS = [datetime(year, 7, 1, 12, tzinfo=UTC) for year in (2018, 2020, 2022, 2024)]


@pytest.fixture(scope="module")
def policies(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    bundle = shared / "data" / "site-policy.bundle"
    if not bundle.is_file():
        pytest.skip(f"no {bundle.name} in the folder of published test data")
    with (
        Ledger.init(tmp_path_factory.mktemp("policies") / "ledger") as ledger,
        GitConnector(bundle) as connector,
    ):
        ledger.sync(connector)
        ledger.agent("ida")
        yield ledger


@pytest.mark.parametrize("day", DAYS, ids=lambda day: str(day.year))
def test_passages_stand_in_the_page_that_the_source_had_on_the_day(policies: Ledger, day: datetime) -> None:
    checked = 0
    for question in ("counter notice", "account termination", "personal data transfer"):
        found = policies.find(question, {"question_date": day}, now=day, limit=40)
        for passage in found.passages:
            shown = policies.show(passage.source, on=day)
            assert shown.revision == passage.revision
            assert shown.data.decode()[passage.start : passage.end] == passage.text
            checked += 1
    assert checked > 10


def test_there_are_thousands_of_passages_and_every_one_can_be_found(policies: Ledger) -> None:
    first = policies.find("github", limit=None)
    assert len(first.passages) > 1000
    for passage in random.Random(1).sample(first.passages, 25):
        again = policies.find(passage.text, limit=None).passages
        assert (passage.revision, passage.start) in {(x.revision, x.start) for x in again[:3]}


def test_a_typing_error_finds_the_same_passages(policies: Ledger) -> None:
    right, wrong = (policies.find(text, limit=10).passages for text in ("counter notice", "conuter notcie"))
    assert [x.text for x in right] == [x.text for x in wrong]
    assert right


def test_a_reader_of_a_few_pages_finds_what_these_alone_would_give(policies: Ledger, tmp_path: Path) -> None:
    found = policies.find("copyright notice", limit=30)
    few = sorted({(x.source, x.revision, x.title) for x in found.passages})[:5]
    for source, _, _ in few:
        policies.grant("ida", source)
    mine = policies.find("copyright notice", principal="ida", limit=None)
    with Ledger.init(tmp_path / "alone") as alone:
        order = {source: i for i, source in enumerate(policies._search_index.refresh())}  # type: ignore[union-attr]
        for source, _, title in sorted(few, key=lambda x: order[x[0]]):
            copy = alone.source(native=title, title=title)
            revisions = policies._tenant.state.reader.history(source).revisions  # type: ignore[union-attr]
            for x in revisions:
                shown = policies.show(x.record.id)
                alone.revision(
                    copy,
                    data=shown.data,
                    media_type=shown.media_type,
                    label=shown.label,
                    published=shown.published,
                )
        assert told(alone.find("copyright notice", limit=None)) == told(mine)
    assert mine.passages


def told(found: Found) -> list[tuple[str, float, str]]:
    return [(x.text, x.score, x.title) for x in found.passages]
