"""A restored ledger gives out nothing that was taken away, and everything else."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.files import FilesConnector
from prov_ledger.errors import Corrupt, MissingKey
from prov_ledger.ledger.doctoring import examine
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.model import records as r
from prov_ledger.vault.backup import opened_copy
from prov_ledger.vault.keys import EnvironmentKeys, FileKeys
from tests.ledger.keeping.work import TENANT, restore_until_killed, restored
from tests.ledger.worlds import QUOTE, Clock, World, make_world, refused, was_killed


@dataclass
class Story:
    """A ledger that was backed up, and where things of it are."""

    world: World
    folder: Path
    backup: Path
    again: Path = field(init=False)

    def __post_init__(self) -> None:
        self.again = self.folder / "again"

    def restore(self, lost: bool = True, keys_from: Path | None = None) -> Ledger:
        """Restore, beside what the lost ledger has or beside nothing, and open what came of it."""
        self.world.ledger.close()
        folder = self.world.folder if lost else None
        restored(self.backup, self.again, self.world.clock, folder, keys_from or self.world.folder / "keys")
        return Ledger.open(self.again, clock=self.world.clock)


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    world = make_world(tmp_path / "ledger")
    world.ledger.grant("ben", world.source)
    made = Story(world, tmp_path, tmp_path / "backup")
    world.ledger.backup(str(made.backup))
    yield made
    world.ledger.close()


def verdicts(ledger: Ledger, *ids: str, who: str | None = None) -> list[str]:
    return [slot.verdict for slot in ledger.resolve(list(ids), principal=who)]


def test_what_was_not_taken_away_is_as_it_was(story: Story) -> None:
    world = story.world
    with story.restore() as ledger:
        assert verdicts(ledger, world.claim, world.evidence) == ["citable", "citable"]
        assert verdicts(ledger, world.claim, who="ben") == ["citable"]
        assert ledger.show("returns").data.startswith(b"# Returns")
        assert ledger.verify().valid
        conclude = ledger.evidence(world.revision, quote="Shipping is free above 50 EUR.")
        assert verdicts(ledger, conclude) == ["citable"]


def test_a_new_incarnation_begins_with_the_last_tree_that_is_known(story: Story) -> None:
    story.world.ledger.source(native="later", title="Later")
    with story.restore() as ledger:
        entries = list(ledger._tenant.state.entries_of("incarnation"))
    assert len(entries) == 1
    assert entries[0].sequence == 8
    record = entries[0].statements[0].record
    assert isinstance(record, r.IncarnationRecord)
    assert (record.size, record.grants_suspended) == (7, False)


def test_no_payload_of_an_erased_source_opens_and_every_other_does(story: Story) -> None:
    ledger, clock = story.world.ledger, story.world.clock
    other = ledger.source(native="gifts", title="Gifts")
    revision = ledger.revision(other, data="Gifts are wrapped.", label="v1")
    evidence = ledger.evidence(revision, quote="wrapped")
    ledger.backup(str(story.folder / "second"))
    story.backup = story.folder / "second"
    tickets = {key: ledger._tenant.journal.payload(*key) for key in ledger._tenant.journal.payload_keys()}
    clock.step(60)
    ledger.erase([story.world.source], reason="asked")
    left = set(ledger._tenant.journal.payload_keys())
    with story.restore() as again:
        journal, sealer = again._tenant.journal, again._tenant.sealer
        there = set(journal.payload_keys())
        assert there <= left
        for key in there & tickets.keys():
            payload = journal.payload(*key)
            assert payload is not None
            sealer.open(payload)
        for key in tickets.keys() - left:
            gone = tickets[key]
            assert gone is not None
            with pytest.raises(Corrupt):
                sealer.open(gone)
        assert verdicts(again, evidence, story.world.evidence, story.world.claim) == [
            *("citable", "withheld", "withheld")
        ]
        assert again.verify().valid, again.verify().findings
        assert refused(lambda: again.show("returns")) == refused(lambda: again.show("never"))


def test_an_erased_text_stands_in_no_file_of_the_restored_ledger(story: Story) -> None:
    story.world.ledger.erase([story.world.source], reason="asked")
    with story.restore() as again:
        again.verify()
    for path in story.again.rglob("*"):
        if path.is_file():
            assert QUOTE.encode() not in path.read_bytes()


def test_names_are_found_after_an_erasure_covered_them_anew(story: Story) -> None:
    ledger = story.world.ledger
    other = ledger.source(native="gifts", title="Gifts", collection="handbook")
    ledger.rename(other, "presents", "2026-05-01T00:00:00Z")
    ledger.backup(str(story.folder / "second"))
    story.backup = story.folder / "second"
    ledger.erase([story.world.source], reason="asked")
    with story.restore() as again:
        assert again.source(native="presents", title="Gifts", collection="handbook") == other
        assert again.source(native="gifts", title="Gifts") == other
        again.grant("ben", "collection:handbook")
        assert again.source(native="returns", title="Anew") != story.world.source
        assert again.verify().valid, again.verify().findings


def test_a_feed_goes_on_where_it_was(story: Story) -> None:
    pages = story.folder / "pages"
    pages.mkdir()
    for name in "ab":
        (pages / f"{name}.txt").write_text(f"Page {name}")
    ledger = story.world.ledger
    ledger.sync(FilesConnector(pages))
    ledger.backup(str(story.folder / "second"))
    story.backup = story.folder / "second"
    ledger.erase([story.world.source], reason="asked")
    (pages / "b.txt").write_text("Page b, changed")
    with story.restore() as again:
        report = again.sync(FilesConnector(pages))
        assert (report.sources, report.revisions) == (0, 1)
        assert again.sync(FilesConnector(pages)).changes == 0


def test_without_the_newest_list_all_grants_wait_to_be_confirmed(story: Story) -> None:
    world = story.world
    with story.restore(lost=False) as ledger:
        assert verdicts(ledger, world.claim, world.evidence) == ["withheld", "withheld"]
        assert verdicts(ledger, world.claim, who="ben") == ["withheld"]
        assert refused(lambda: ledger.show(world.revision)) == "unknown_id"
        assert ledger.find("return goods").evidence == ()
        ledger.agent("clerk", roles=["curator"])
        assert refused(lambda: ledger.confirm_grants(by="clerk")) == "denied"
        ledger.confirm_grants()
        assert verdicts(ledger, world.claim, who="ben") == ["citable"]
        assert refused(ledger.confirm_grants) == "bad_input"
        assert ledger.verify().valid


def test_a_list_that_is_older_than_the_backup_leaves_the_grants_suspended(story: Story) -> None:
    world = story.world
    older = story.folder / "older"
    shutil.copytree(story.backup, older)
    world.ledger.source(native="later", title="Later")
    world.ledger.revoke("ben", world.source)
    world.ledger.backup(str(story.folder / "second"))
    world.ledger.close()
    lost = story.folder / "lost"
    shutil.copytree(world.folder, lost)
    for name in ("keys.sqlite", "denials.sqlite"):
        shutil.copy(older / name, lost / "tenants" / TENANT / name)
        for suffix in ("-wal", "-shm"):
            (lost / "tenants" / TENANT / f"{name}{suffix}").unlink(missing_ok=True)
    done = restored(story.folder / "second", story.again, world.clock, lost)
    assert done.grants_suspended
    assert done.known_through < done.entries
    with Ledger.open(story.again, clock=world.clock) as ledger:
        ledger.confirm_grants()
        assert verdicts(ledger, world.claim, who="ben") == ["withheld"]
        assert verdicts(ledger, world.claim) == ["citable"]


def test_a_second_restore_knows_what_the_first_could_not_apply(story: Story) -> None:
    """A grant that is not in an older backup is still revoked in a newer one of the same ledger."""
    world, ledger = story.world, story.world.ledger
    ledger.grant("ann", world.source)
    ledger.backup(str(story.folder / "second"))
    ledger.revoke("ann", world.source)
    ledger.close()
    restored(story.backup, story.again, world.clock, world.folder)
    with Ledger.open(story.again, clock=world.clock) as first:
        assert verdicts(first, world.claim, who="ann") == ["withheld"]
        first.backup(str(story.folder / "third"))
    third = story.folder / "again2"
    done = restored(story.folder / "second", third, world.clock, story.again)
    assert done.applied == 1
    with Ledger.open(third, clock=world.clock) as again:
        if done.grants_suspended:
            again.confirm_grants()
        assert verdicts(again, world.claim, who="ann") == ["withheld"]
        assert verdicts(again, world.claim, who="ben") == ["citable"]


def test_a_denial_that_was_lifted_before_the_backup_is_not_brought_back(story: Story) -> None:
    ledger, world = story.world.ledger, story.world
    ledger.deny(world.source, "for now")
    ledger.allow(world.source)
    ledger.backup(str(story.folder / "second"))
    story.backup = story.folder / "second"
    with story.restore() as again:
        assert verdicts(again, world.claim) == ["citable"]


def test_of_several_denials_since_the_last_one_counts(story: Story) -> None:
    ledger, world = story.world.ledger, story.world
    for _ in range(2):
        ledger.deny(world.source, "for now")
        ledger.allow(world.source)
    ledger.deny(world.source, "for good")
    with story.restore() as again:
        assert verdicts(again, world.claim) == ["withheld"]


def test_an_existing_tenant_is_not_restored_over(story: Story) -> None:
    world = story.world
    state = world.state()
    call: Callable[[], object] = lambda: restored(story.backup, world.folder, world.clock, world.folder)  # noqa: E731
    assert refused(call) == "already_exists"
    assert world.state() == state
    assert verdicts(world.ledger, world.claim) == ["citable"]


def test_without_the_key_of_its_epoch_a_backup_does_not_open(story: Story) -> None:
    world = story.world
    world.ledger.rotate_keys()
    world.ledger.close()
    with pytest.raises(MissingKey, match="epoch 1"):
        restored(story.backup, story.again, world.clock, None, world.folder / "keys")
    assert not list(story.again.glob("tenants/*"))
    with story.restore() as again:
        assert verdicts(again, world.claim) == ["citable"]


def test_keys_of_a_master_key_reopen_a_backup_and_still_nothing_erased_is_given_out(tmp_path: Path) -> None:
    from prov_ledger.ledger.restoring import Newest, restore

    keys = EnvironmentKeys({"PROV_LEDGER_KEY": "ab" * 32})
    world = make_world(tmp_path / "ledger", keys=keys)
    world.ledger.backup(str(tmp_path / "backup"))
    world.ledger.erase([world.source], reason="asked")
    world.ledger.close()
    lost = world.folder / "tenants" / TENANT
    newest = Newest(denials=lost / "denials.sqlite")
    done = restore(tmp_path / "backup", tmp_path / "again", keys, newest, world.clock)
    assert (done.keys_newest, done.grants_suspended) == (False, False)
    with Ledger.open(tmp_path / "again", clock=world.clock, keys=keys) as again:
        assert verdicts(again, world.claim, world.evidence) == ["withheld", "withheld"]
        assert again._tenant.journal.payload(world.evidence, "quote") is None
        assert again.verify().valid, again.verify().findings


POINTS = [
    "restore.copied",
    "denials.created",
    "cover.made",
    "write.complete",
    "restore.orphans",
    "keys.destroyed",
    "restore.staged",
    "journal.after_commit",
]


@pytest.mark.parametrize("point", POINTS)
def test_a_restore_that_was_killed_answers_nothing_and_is_made_by_the_next(
    tmp_path: Path, point: str
) -> None:
    world = make_world(tmp_path / "ledger")
    world.ledger.grant("ben", world.source)
    world.ledger.backup(str(tmp_path / "backup"))
    world.ledger.revoke("ben", world.source)
    world.ledger.revision(world.source, data="Returns take 20 days.", label="later")
    world.ledger.close()
    again = tmp_path / "again"
    killed = was_killed(restore_until_killed, tmp_path / "backup", again, world.folder, point, 1)
    assert killed or point == "cover.made"
    if killed:
        assert not (again / "tenants" / TENANT).exists()
        restored(tmp_path / "backup", again, world.clock, world.folder)
    with Ledger.open(again, clock=world.clock) as ledger:
        assert verdicts(ledger, world.claim, who="ben") == ["withheld"]
        assert verdicts(ledger, world.claim) == ["citable"]
        assert ledger.verify().valid
    assert sorted(path.name for path in again.iterdir()) == ["keys", "tenants"]


def test_an_older_journal_beside_newer_keys_opens_through_restore_alone(story: Story) -> None:
    world = story.world
    world.ledger.erase([world.source], reason="asked")
    world.ledger.close()
    folder = world.folder / "tenants" / TENANT
    for path in folder.glob("ledger.sqlite*"):
        path.unlink()
    for path in folder.glob("denials.sqlite*"):
        path.unlink()
    for name in ("ledger.sqlite", "denials.sqlite"):
        shutil.copy(story.backup / name, folder / name)
    with pytest.raises(Corrupt, match="restore"):
        Ledger.open(world.folder, clock=world.clock)


def test_a_changed_epoch_is_no_reason_not_to_open(story: Story) -> None:
    clock: Clock = story.world.clock
    story.world.ledger.rotate_keys()
    story.world.ledger.rotate_keys()
    with Ledger.open(story.world.folder, clock=clock) as ledger:
        assert verdicts(ledger, story.world.claim) == ["citable"]
    assert FileKeys(story.world.folder / "keys").epochs(TENANT) == (3,)


def test_no_later_backup_opens_with_the_keys_of_a_restored_ledger(story: Story) -> None:
    """What came after the backup has no entry here that an erasure could find its keys by."""
    world, ledger = story.world, story.world.ledger
    later = ledger.revision(world.source, data="Anna was treated in March.", label="later")
    ledger.backup(str(story.folder / "second"))
    with story.restore() as again:
        sealer = again._tenant.sealer
        with closing(opened_copy(story.folder / "second")) as journal:
            theirs = [payload for _, payload in journal.sealed() if payload.owner == later]
        assert theirs
        for payload in theirs:
            with pytest.raises(Corrupt, match="is gone"):
                sealer.open(payload)
        assert verdicts(again, world.claim) == ["citable"]
        assert again.verify().valid, again.verify().findings
        erased = again.erase([world.source], reason="asked")
        told = again.certificate(erased.id).body["restored_from"]
    assert isinstance(told, list)
    assert "later" in str(told[0])


def test_a_key_of_an_earlier_life_without_its_payload_is_told(story: Story) -> None:
    story.restore().close()
    file = story.again / "tenants" / TENANT / "keys.sqlite"
    with closing(sqlite3.connect(file)) as keys:
        first = keys.execute("SELECT min(id) FROM ticket").fetchone()[0]
        keys.execute("INSERT INTO ticket SELECT id + 60, epoch, wrapped FROM ticket WHERE id = ?", (first,))
        keys.commit()
    with Ledger.open(story.again, clock=story.world.clock) as again:
        assert "1 of before the restore are there, and no payload has them" in [
            finding.what for finding in again.verify().findings
        ]


def test_holds_retention_and_roles_that_came_after_the_backup_hold_again(story: Story) -> None:
    world, ledger = story.world, story.world.ledger
    other = ledger.source(native="gifts", title="Gifts")
    ledger.agent("eve", roles=["curator", "agent"])
    ledger.backup(str(story.folder / "second"))
    story.backup = story.folder / "second"
    ledger.hold(world.source, reason="a law suit")
    ledger.retention(other, bytes_for="P1M")
    ledger.agent("eve", roles=["agent"])
    with story.restore() as again:
        assert refused(lambda: again.erase([world.source], reason="asked")) == "legal_hold"
        (rule,) = again._tenant.state.removals.retention.rules()
        assert (rule.record.on, rule.record.bytes_for) == (other, "P1M")
        assert refused(lambda: again.source(native="zz", title="Z", by="eve")) == "denied"
        assert again.verify().valid, again.verify().findings


def test_an_older_list_of_denials_beside_the_newest_journal_does_not_open(story: Story) -> None:
    world = story.world
    world.ledger.erase([world.evidence], reason="asked")
    world.ledger.close()
    folder = world.folder / "tenants" / TENANT
    for path in folder.glob("denials.sqlite*"):
        path.unlink()
    shutil.copy(story.backup / "denials.sqlite", folder / "denials.sqlite")
    with pytest.raises(Corrupt, match="older denials"):
        Ledger.open(world.folder, clock=world.clock)


def test_a_fingerprint_that_was_taken_out_is_told(story: Story) -> None:
    world = story.world
    world.ledger.erase([world.revision])
    denials = tenant_folder(world.folder, TENANT) / "denials.sqlite"
    with closing(sqlite3.connect(denials)) as file, file:
        assert file.execute("DELETE FROM fingerprint").rowcount
    assert "fingerprints of what was erased" in str(world.ledger.verify().findings)
    world.ledger.close()
    with pytest.raises(Corrupt, match="fingerprints of what was erased were removed"):
        Ledger.open(world.folder, clock=world.clock)
    found = examine(world.folder, TENANT, FileKeys(world.folder / "keys"), world.clock)
    assert "fingerprints of what was erased" in found[0].what
    with pytest.raises(Corrupt, match="fingerprints of erasures were removed"):
        story.restore()


def test_the_first_erasure_in_a_restored_ledger_closes_the_backups_of_its_earlier_life(story: Story) -> None:
    world, third = story.world, story.folder / "third"
    with story.restore() as again:
        epoch = again._tenant.tickets.epoch
        again.erase([world.evidence])
        assert again._tenant.tickets.epoch == epoch + 1
    with pytest.raises(MissingKey, match=f"epoch {epoch}"):
        restored(story.backup, third, world.clock, None, story.again / "keys")
    restored(story.backup, third, world.clock, story.again, story.again / "keys")
    with Ledger.open(third, clock=world.clock) as ledger:
        assert verdicts(ledger, world.claim, world.evidence) == ["withheld", "withheld"]
