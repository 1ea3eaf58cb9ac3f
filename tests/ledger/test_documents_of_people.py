"""PDF files and workbooks as people have them: captured from a folder, quoted by page and by cell."""

import io
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.files import FilesConnector
from prov_ledger.errors import Refused
from tests.checks.small_pdf import pdf_of

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TERMS = pdf_of(
    [["Returns take 30 days."], ["In the EU:", "Returns take 60 days."], ["Returns take 30 days."]]
)


def _workbook(days: int) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fees"
    for row in (["Region", "Days"], ["EU", days], ["US", 30]):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "terms.pdf").write_bytes(TERMS)
    (folder / "fees.xlsx").write_bytes(_workbook(60))
    return folder


@pytest.fixture
def ledger(tmp_path: Path, folder: Path) -> Iterator[Ledger]:
    with Ledger.init(tmp_path / "ledger", clock=lambda: NOW) as made:
        made.sync(FilesConnector(folder))
        yield made


def _cited(ledger: Ledger, evidence: str) -> tuple[str, tuple[str, ...]]:
    (slot,) = ledger.resolve([evidence], facts={"question_date": datetime.now(UTC)})
    return slot.quotes[0].quote, slot.quotes[0].header_path


def test_a_quote_of_a_pdf_says_its_page(ledger: Ledger) -> None:
    revision = ledger.show("terms.pdf").revision
    assert _cited(ledger, ledger.evidence(revision, quote="60 days")) == ("60 days", ("page 2",))


def test_a_quote_on_several_pages_is_told_by_its_page(ledger: Ledger) -> None:
    revision = ledger.show("terms.pdf").revision
    with pytest.raises(Refused) as refused:
        ledger.evidence(revision, quote="30 days")
    assert refused.value.code == "ambiguous_quote"
    third = ledger.evidence(revision, quote="30 days", page=3)
    assert _cited(ledger, third) == ("30 days", ("page 3",))
    assert third != ledger.evidence(revision, quote="30 days", page=1)


@pytest.mark.parametrize("page", [0, 2, 4])
def test_a_quote_that_is_not_on_that_page_is_refused(ledger: Ledger, page: int) -> None:
    with pytest.raises(Refused) as refused:
        ledger.evidence(ledger.show("terms.pdf").revision, quote="30 days", page=page)
    assert refused.value.code == "quote_not_found"


def test_a_cell_of_a_workbook_is_cited_with_sheet_and_column(ledger: Ledger) -> None:
    revision = ledger.show("fees.xlsx").revision
    cell = {"row": {"Region": "EU"}, "column": "Days", "table": "Fees"}
    assert _cited(ledger, ledger.evidence(revision, cell=cell)) == ("60", ("Fees", "Days"))


def test_a_changed_workbook_is_a_revision_and_the_cell_is_ended(ledger: Ledger, folder: Path) -> None:
    cell = {"row": {"Region": "EU"}, "column": "Days"}
    evidence = ledger.evidence(ledger.show("fees.xlsx").revision, cell=cell)
    (folder / "fees.xlsx").write_bytes(_workbook(14))
    assert ledger.sync(FilesConnector(folder)).revisions == 1
    assert ledger.resolve([evidence], facts={"question_date": datetime.now(UTC)})[0].verdict == "ended"


def test_the_plain_installation_says_which_extra_is_missing() -> None:
    code = (
        "import sys; sys.modules['pypdfium2'] = sys.modules['openpyxl'] = None\n"
        "from prov_ledger.checks.documents import text_of\n"
        "from prov_ledger.checks.workbooks import XLSX\n"
        "for media in ('application/pdf', XLSX):\n"
        "    try: text_of(b'', media)\n"
        "    except Exception as refused: print(refused.code, refused)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("not_supported")
    assert "prov-ledger[pdf]" in first
    assert "prov-ledger[xlsx]" in second
