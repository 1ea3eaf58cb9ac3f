"""A ledger takes in git histories: each change once, whatever was killed and however the history is cut."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector
from prov_ledger.errors import ConnectorError, Refused
from prov_ledger.ledger.taking import SyncReport
from prov_ledger.rdf.terms import Iri
from prov_ledger.store.port import Rows
from tests.connectors.small_repositories import START, Repo
from tests.ledger.crash_work import sync_until_killed
from tests.ledger.worlds import refused, was_killed

DAY = 86_400
POINTS = [
    "keys.after_commit",
    "journal.begun",
    "journal.appended",
    "write.complete",
    "journal.before_commit",
    "journal.after_commit",
]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.init(tmp_path / "ledger") as made:
        yield made


def make_repo(folder: Path) -> Repo:
    folder.mkdir()
    made = Repo(folder)
    made.git("init", "--quiet", "--initial-branch=main")
    return made


def take(ledger: Ledger, repo: Repo, **options: str) -> SyncReport:
    with GitConnector(repo.folder, **options) as connector:
        return ledger.sync(connector)


def at(ledger: Ledger, native: str, day: int) -> bytes | None:
    """What the ledger shows of a path at the end of a day, counted from the first commit's."""
    return shown_on(ledger, native, day_of(day))


def shown_on(ledger: Ledger, native: str, day: date) -> bytes | None:
    try:
        return ledger.show(native, on=day).data
    except Refused as refusal:
        if refusal.code not in ("unknown_id", "not_found"):
            raise
        return None


def day_of(day: int) -> date:
    return datetime.fromtimestamp(START + day * DAY, UTC).date()


def write_history(repo: Repo) -> dict[str, list[bytes | None]]:
    """A path that changes, one that is renamed, one that goes and returns, one that is binary; by day."""
    states: dict[str, list[bytes | None]] = {name: [] for name in ("a.md", "b.md", "c.md", "d.bin", "e.md")}

    def day(**files: bytes | None) -> None:
        for name, data in files.items():
            path = name.replace("_", ".")
            if data is None:
                (repo.folder / path).unlink()
            else:
                repo.write(path, data)
        repo.commit()
        for path, seen in states.items():
            file = repo.folder / path
            seen.append(file.read_bytes() if file.is_file() else None)

    day(a_md=b"# A\none\n", c_md=b"# C\nstays the same\n")
    day(a_md=b"# A\ntwo\n", d_bin=bytes(range(256)))
    day(c_md=None)
    day(c_md=b"# C\nback again\n", d_bin=b"\x00\xff\x00")
    day(a_md=None, b_md=b"# A\ntwo\n")
    day(b_md=b"# A\nthree\n", a_md=b"# New\nat the old name\n")
    day(c_md=None, d_bin=None)
    day(e_md=b"", b_md=None)
    return states


def check_states(ledger: Ledger, states: dict[str, list[bytes | None]]) -> None:
    for path, seen in states.items():
        assert [at(ledger, path, day) for day in range(len(seen))] == seen, path


def statements(ledger: Ledger) -> int:
    """How many entries a ledger has beside the places that its runs have come to."""
    kinds = [entry.kind for entry in ledger._tenant.journal.entries()]
    return len(kinds) - kinds.count("sync")


def revisions(ledger: Ledger) -> list[str]:
    found = ledger.sparql("SELECT ?r { ?r a pl:Revision }")
    assert isinstance(found, Rows)
    return [str(row[0].value).removeprefix(ledger.base) for row in found.rows if isinstance(row[0], Iri)]


def test_every_path_has_the_bytes_of_its_day(ledger: Ledger, repo: Repo) -> None:
    states = write_history(repo)
    take(ledger, repo)
    check_states(ledger, states)
    assert ledger.verify().valid


def test_a_renamed_source_is_found_by_each_name_for_its_own_dates(ledger: Ledger, repo: Repo) -> None:
    write_history(repo)
    take(ledger, repo)
    before, after = ledger.show("a.md", on=day_of(3)), ledger.show("b.md", on=day_of(5))
    assert before.source == after.source
    assert ledger.show("a.md", on=day_of(5)).source != before.source
    assert refused(lambda: ledger.show("b.md", on=day_of(3))) == "unknown_id"


def test_a_second_run_records_nothing(ledger: Ledger, repo: Repo) -> None:
    write_history(repo)
    take(ledger, repo)
    head = ledger.tree_head()
    assert take(ledger, repo).summary() == "nothing new"
    assert ledger.tree_head() == head


def test_a_later_run_takes_what_is_new(ledger: Ledger, repo: Repo) -> None:
    states = write_history(repo)
    take(ledger, repo)
    repo.write("e.md", b"filled\n")
    repo.commit()
    assert take(ledger, repo).revisions == 1
    states["e.md"].append(b"filled\n")
    check_states(ledger, {"e.md": states["e.md"]})


@pytest.mark.parametrize("point", POINTS)
def test_a_sync_killed_at_any_batch_is_completed_by_the_next(tmp_path: Path, repo: Repo, point: str) -> None:
    states = write_history(repo)
    Ledger.init(tmp_path / "ledger").close()
    kills = 0
    for passes in (1, 2, 3):
        kills += was_killed(sync_until_killed, tmp_path / "ledger", repo.folder, point, passes)
    assert kills
    with Ledger.init(tmp_path / "whole") as whole, Ledger.open(tmp_path / "ledger") as ledger:
        take(ledger, repo)
        take(whole, repo)
        check_states(ledger, states)
        assert statements(ledger) == statements(whole)
        assert ledger.verify().valid


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"branch": "main"}),
        ({}, {"path_glob": "*.md"}),
        ({"path_glob": "a.md"}, {}),
        ({"path_glob": "b.md"}, {}),
        ({"path_glob": "[ac].md"}, {"path_glob": "[bcd].*"}),
    ],
)
def test_what_another_branch_or_glob_brought_is_not_recorded_again(
    ledger: Ledger, repo: Repo, first: dict[str, str], second: dict[str, str]
) -> None:
    states = write_history(repo)
    take(ledger, repo, **first)
    take(ledger, repo, **second)
    take(ledger, repo)
    check_states(ledger, states)
    size = statements(ledger)
    take(ledger, repo, branch="main", path_glob="**")
    assert statements(ledger) == size
    stated = [(page.source, page.label) for page in map(ledger.show, revisions(ledger))]
    assert len(stated) == len(set(stated))


def test_two_feeds_in_turns_take_each_change_once(ledger: Ledger, repo: Repo) -> None:
    repo.write("a.md", b"one\n")
    repo.commit()
    for number in range(4):
        take(ledger, repo, **({"branch": "main"} if number % 2 else {}))
        repo.write("a.md", f"{number}\n".encode())
        repo.commit()
    take(ledger, repo)
    take(ledger, repo, branch="main")
    kinds = [entry.kind for entry in ledger._tenant.journal.entries()]
    assert (kinds.count("source"), kinds.count("revision")) == (1, 5)
    check_states(ledger, {"a.md": [b"one\n", b"0\n", b"1\n", b"2\n", b"3\n"]})


def test_a_branch_that_parted_adds_its_own_changes_to_the_same_sources(ledger: Ledger, repo: Repo) -> None:
    repo.write("a.md", b"shared\n")
    repo.commit()
    repo.git("branch", "draft")
    repo.write("a.md", b"on main\n")
    repo.commit()
    take(ledger, repo, branch="main")
    repo.git("switch", "--quiet", "draft")
    repo.write("a.md", b"on draft\n")
    repo.write("only.md", b"a draft alone\n")
    repo.commit()
    report = take(ledger, repo, branch="draft")
    assert (report.known, report.sources, report.revisions) == (1, 1, 2)
    assert ledger.show("only.md").data == b"a draft alone\n"


def test_two_repositories_are_kept_apart_by_name(tmp_path: Path, ledger: Ledger, repo: Repo) -> None:
    other = make_repo(tmp_path / "other")
    for made, text in ((repo, b"the first\n"), (other, b"the second\n")):
        made.write("README.md", text)
        made.commit()
    take(ledger, repo)
    with pytest.raises(ConnectorError, match="another connector name"):
        take(ledger, other)
    take(ledger, other, name="handbook")
    with pytest.raises(Refused) as refusal:
        ledger.show("README.md")
    assert refusal.value.code == "ambiguous_title"
    named = refusal.value.message.rpartition("one of ")[2].split(", ")
    assert sorted(ledger.show(id).data for id in named) == [b"the first\n", b"the second\n"]


def test_a_name_that_no_connector_can_have_is_refused(ledger: Ledger, repo: Repo) -> None:
    repo.write("a.md", b"one\n")
    repo.commit()
    size = ledger.tree_head().size
    for name in ("", "Git", "two words", "x" * 33):
        assert refused(lambda name=name: take(ledger, repo, name=name)) == "bad_input"
    assert ledger.tree_head().size == size


def test_the_last_change_holds_last_where_the_clock_of_a_commit_went_back(ledger: Ledger, repo: Repo) -> None:
    repo.write("a.md", b"first\n")
    repo.write("b.md", b"first\n")
    repo.commit(dated=START)
    repo.write("a.md", b"second\n")
    repo.write("b.md", b"second\n")
    repo.commit(dated=START + 9 * DAY)
    repo.write("a.md", b"third\n")
    (repo.folder / "b.md").unlink()
    repo.commit(dated=START + 3 * DAY)
    take(ledger, repo)
    assert ledger.show("a.md").data == b"third\n"
    assert at(ledger, "a.md", 9) == b"third\n"
    assert at(ledger, "b.md", 9) is None


def test_changes_within_one_second_are_told_apart(ledger: Ledger, repo: Repo) -> None:
    for data in (b"one\n", None, b"two\n", None):
        if data is None:
            (repo.folder / "a.md").unlink()
        else:
            repo.write("a.md", data)
        repo.commit(dated=START)
        take(ledger, repo)
        take(ledger, repo, branch="main")
        assert at(ledger, "a.md", 0) == data
    kinds = [entry.kind for entry in ledger._tenant.journal.entries()]
    assert (kinds.count("source"), kinds.count("revision"), kinds.count("retire")) == (1, 2, 2)


@pytest.mark.parametrize("seed", range(4))
def test_random_histories_cut_at_random_show_the_bytes_of_git(tmp_path: Path, repo: Repo, seed: int) -> None:
    choose = random.Random(seed)
    paths = ["a.md", "b.md", "x/a.md", "x/c.md"]
    states: dict[str, list[bytes | None]] = {path: [] for path in paths}
    globs = ["x/**", "*.md", "[ab].md", "**"]
    with Ledger.init(tmp_path / "ledger") as ledger:
        for number in range(14):
            there = [path for path in paths if (repo.folder / path).is_file()]
            free = [path for path in paths if path not in there]
            action = choose.choice(["write", "write", "delete", "move"])
            if action == "write" or not there:
                repo.write(choose.choice(paths), f"{number}\n".encode() * 3)
            elif action == "delete" or not free:
                (repo.folder / choose.choice(there)).unlink()
            else:
                old = repo.folder / choose.choice(there)
                repo.write(choose.choice(free), old.read_bytes())
                old.unlink()
            repo.commit()
            for path, seen in states.items():
                file = repo.folder / path
                seen.append(file.read_bytes() if file.is_file() else None)
            if choose.random() < 0.4:
                take(ledger, repo, path_glob=choose.choice(globs))
        take(ledger, repo)
        check_states(ledger, states)
        size = statements(ledger)
        for glob in globs:
            take(ledger, repo, path_glob=glob)
        assert statements(ledger) == size


def test_a_day_is_that_of_the_zone_of_the_tenant(tmp_path: Path, repo: Repo) -> None:
    repo.write("a.md", b"one\n")
    late = datetime(2026, 3, 10, 23, 30, tzinfo=UTC)
    repo.commit(dated=int(late.timestamp()))
    for zone, shown in (("UTC", b"one\n"), ("Europe/Berlin", None)):
        with Ledger.init(tmp_path / zone.replace("/", "-"), zone=zone) as ledger:
            take(ledger, repo)
            days = (late.date(), late.date() + timedelta(days=1))
            assert [shown_on(ledger, "a.md", day) for day in days] == [shown, b"one\n"]
