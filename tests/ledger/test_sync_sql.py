"""Rows of a database in a ledger: sources about their key, columns as cells, changes as revisions."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors import sql
from prov_ledger.connectors.sql import SqlConnector
from prov_ledger.errors import ConnectorError, Refused
from prov_ledger.ledger.taking import SyncReport

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Shop:
    """A ledger on a clock, and a table of orders that it is synced with."""

    def __init__(self, folder: Path) -> None:
        self.now, self.file = START, folder / "shop.db"
        self.do(
            "CREATE TABLE orders"
            " (order_no TEXT PRIMARY KEY, total NUMERIC(10, 2), bought DATE, shipped TEXT)",
            "INSERT INTO orders VALUES ('88-1417', 1250.5, '2026-04-12', NULL)",
            "INSERT INTO orders VALUES ('88-1418', 20, '2026-05-01', 'yes')",
        )
        self.ledger = Ledger.init(
            folder / "ledger", facts={"order_no": "code", "order": "code"}, clock=lambda: self.now
        )

    def do(self, *statements: str) -> None:
        connection = sqlite3.connect(self.file)
        with connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    def connector(self, **given: object) -> SqlConnector:
        options: dict[str, object] = {"table": "orders", "key": ["order_no"], "clock": lambda: self.now}
        return SqlConnector(f"sqlite:///{self.file}", **(options | given))  # type: ignore[arg-type]

    def sync(self, **given: object) -> SyncReport:
        with self.connector(**given) as connector:
            return self.ledger.sync(connector)

    def cell(self, column: str, native: str = "orders?order_no=88-1417") -> str:
        revision = self.ledger.show(native).revision
        return self.ledger.evidence(revision, cell={"row": 1, "column": column})

    def slot(self, evidence: str, order: str | None = "88-1417") -> tuple[str, list[str]]:
        facts = {"order_no": order} if order else {}
        (slot,) = self.ledger.resolve([evidence], facts=facts)
        return slot.verdict, [quote.quote for quote in slot.quotes]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    yield made
    made.ledger.close()


def test_a_row_is_a_source_and_a_column_a_cell_of_it(shop: Shop) -> None:
    assert shop.sync().sources == 2
    assert shop.slot(shop.cell("total")) == ("citable", ["1250.50"])


def test_a_row_is_about_its_key_and_nothing_else(shop: Shop) -> None:
    shop.sync()
    evidence = shop.cell("bought")
    assert shop.slot(evidence, "88-1418")[0] == "not_applicable"
    assert shop.slot(evidence, None)[0] == "unknown"


def test_what_a_row_is_about_may_be_told_by_other_names(shop: Shop) -> None:
    shop.sync(about={"order": "order_no"})
    (slot,) = shop.ledger.resolve([shop.cell("total")], facts={"order": "88-1418"})
    assert (slot.verdict, slot.decided_by) == ("not_applicable", "order")


def test_a_fact_that_is_not_declared_is_refused_and_nothing_is_taken(shop: Shop) -> None:
    with pytest.raises(Refused) as refused:
        shop.sync(about={"ordre": "order_no"})
    assert refused.value.code == "undeclared_fact"
    assert shop.ledger.sync(shop.connector()).sources == 2


def test_an_empty_cell_is_no_evidence(shop: Shop) -> None:
    shop.sync()
    with pytest.raises(Refused) as refused:
        shop.cell("shipped")
    assert refused.value.code == "bad_cell"


def test_a_run_over_the_same_rows_records_nothing(shop: Shop) -> None:
    shop.sync()
    before = shop.ledger.tree_head()
    assert shop.sync().summary() == "nothing new"
    assert shop.ledger.tree_head() == before


def test_a_changed_row_replaces_what_it_was(shop: Shop) -> None:
    shop.sync()
    old = shop.cell("total")
    shop.now += timedelta(days=1)
    shop.do("UPDATE orders SET total = 99 WHERE order_no = '88-1417'")
    assert shop.sync().revisions == 1
    assert shop.slot(old)[0] == "ended"
    assert shop.slot(shop.cell("total")) == ("citable", ["99.00"])


def test_a_row_that_changes_twice_leaves_one_state_standing(shop: Shop) -> None:
    shop.sync()
    states = [shop.cell("total")]
    for total in (99, 98):
        shop.now += timedelta(days=1)
        shop.do(f"UPDATE orders SET total = {total} WHERE order_no = '88-1417'")
        shop.sync()
        states.append(shop.cell("total"))
    assert [shop.slot(state)[0] for state in states] == ["ended", "ended", "citable"]


def test_the_end_of_a_row_is_assumed_open_and_says_so(shop: Shop) -> None:
    shop.sync()
    (slot,) = shop.ledger.resolve([shop.cell("total")], facts={"order_no": "88-1417"})
    assert (slot.assumed_open, slot.last_confirmed) == (True, START)


def test_a_deleted_row_is_gone_and_may_come_back(shop: Shop) -> None:
    shop.sync()
    evidence = shop.cell("total")
    shop.now += timedelta(days=1)
    shop.do("DELETE FROM orders WHERE order_no = '88-1417'")
    assert shop.sync().retired == 1
    assert shop.slot(evidence)[0] == "not_authoritative"
    shop.now += timedelta(days=1)
    shop.do("INSERT INTO orders VALUES ('88-1417', 7, '2026-04-12', NULL)")
    assert shop.sync().returned == 1
    assert shop.slot(shop.cell("total")) == ("citable", ["7.00"])


def test_unchanged_rows_are_checked_where_that_is_asked_for(shop: Shop) -> None:
    shop.sync()
    shop.now += timedelta(days=10)
    assert shop.sync(checks=True).checked == 2
    (slot,) = shop.ledger.resolve([shop.cell("total")], facts={"order_no": "88-1417"}, max_age="P7D")
    assert (slot.verdict, slot.last_confirmed) == ("citable", shop.now)


def test_a_change_is_dated_by_the_row_where_it_tells(shop: Shop) -> None:
    shop.do(
        "CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INT, changed TEXT)",
        "INSERT INTO stock VALUES ('x', 3, '2026-05-20 08:00:00')",
    )
    shop.sync(table="stock", key=["item"], about={}, modified="changed")
    assert shop.ledger.show("stock?item=x").published == datetime(2026, 5, 20, 8, tzinfo=UTC)


def test_keys_of_several_columns_tell_rows_apart(shop: Shop) -> None:
    shop.do(
        "CREATE TABLE lines (order_no TEXT, position INT, item TEXT)",
        "INSERT INTO lines VALUES ('88-1', 1, 'a'), ('88-1', 2, 'b'), ('8&8=1', 1, 'c'), (NULL, 1, 'd')",
    )
    report = shop.sync(table="lines", key=["order_no", "position"], about={"order_no": "order_no"})
    assert (report.sources, report.skipped) == (3, {"no_key": 1})
    assert shop.ledger.show("lines?order_no=8%268%3D1&position=1").title == "lines 8&8=1, 1"


def test_another_table_is_not_taken_for_deleted(shop: Shop) -> None:
    shop.do("CREATE TABLE other (id TEXT PRIMARY KEY, x TEXT)", "INSERT INTO other VALUES ('a', 'b')")
    shop.sync()
    assert shop.sync(table="other", key=["id"], about={}).retired == 0


def test_only_the_columns_that_are_named_are_kept(shop: Shop) -> None:
    shop.sync(columns=["order_no", "bought"])
    assert shop.ledger.show("orders?order_no=88-1417").data == b"order_no,bought\r\n88-1417,2026-04-12\r\n"
    shop.do("UPDATE orders SET total = 1")
    assert shop.sync(columns=["order_no", "bought"]).changes == 0


def test_more_rows_than_are_read_at_once_are_all_taken(shop: Shop) -> None:
    rows = ", ".join(f"('{number:05}', {number})" for number in range(1203))
    shop.do("CREATE TABLE many (id TEXT PRIMARY KEY, n INT)", f"INSERT INTO many VALUES {rows}")
    told: list[tuple[int, int]] = []
    with shop.connector(table="many", key=["id"], about={}) as connector:
        report = shop.ledger.sync(connector, progress=lambda done, total: told.append((done, total)))
    assert report.sources == 1203
    assert told[-1] == (1203, 1203)


@pytest.mark.parametrize(
    "given",
    [{"table": "ordres"}, {"key": ["order"]}, {"columns": ["nothing"]}, {"modified": "x"}, {"key": []}],
)
def test_what_the_database_does_not_have_is_an_error(shop: Shop, given: dict[str, object]) -> None:
    with pytest.raises(ConnectorError):
        shop.sync(**given)


@pytest.mark.parametrize("address", ["not an address", "nosuch://x/y", "sqlite:////no/such/file.db"])
def test_an_address_that_leads_nowhere_is_an_error(address: str) -> None:
    with pytest.raises(ConnectorError):
        SqlConnector(address, "orders", ["order_no"])


def test_a_missing_database_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ConnectorError):
        SqlConnector(f"sqlite:///{tmp_path / 'typo.db'}", "orders", ["order_no"])
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_is_none_of_its_type_is_an_error_that_does_not_repeat_it(shop: Shop) -> None:
    shop.do("INSERT INTO orders VALUES ('88-9', 1, 'secretly', NULL)")
    with pytest.raises(ConnectorError) as refused:
        shop.sync()
    assert "secretly" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_the_plain_installation_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "sa", None)
    with pytest.raises(Refused, match=r"prov-ledger\[sql\]") as refused:
        SqlConnector("sqlite://", "orders", ["order_no"])
    assert refused.value.code == "not_supported"
