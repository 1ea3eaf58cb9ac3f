"""Cedar policies: what is refused at loading, what a policy can speak of, and the example that we ship."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from roster_story import START, Story, ask
from small_shop import STATEMENT, Shop

from prov_ledger.authz.cedar import CedarAuthoriser, load_cedar
from prov_ledger.authz.port import readable
from prov_ledger.errors import Refused
from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cedar"
GRANTED = "permit (principal, action, resource) when { context.granted };"
STAFF, HANDBOOK, SUPPORT = mint_id("grp"), mint_id("col"), mint_id("pur")
Load = Callable[..., CedarAuthoriser]


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.fixture
def load(tmp_path: Path, story: Story) -> Load:
    def load(*policies: str) -> CedarAuthoriser:
        for number, policy in enumerate(policies):
            (tmp_path / f"p{number}.cedar").write_text(policy)
        return load_cedar(tmp_path)(story.roster, story.find_name)

    return load


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("permit (", "unexpected end of input"),
        ("permit (principal, action, resource) when { context.office };", "office"),
        ('permit (principal == User::"a", action, resource);', "User"),
        ('permit (principal, action == Action::"write", resource);', "write"),
        ("permit (principal, action, resource) when { resource.title == 1 };", "title"),
        ("permit (principal, action, resource) when { context.granted == 1 };", "granted|types"),
        ('permit (principal, action, resource) when { context.purpose == Purpose::"a" };', "purpose"),
        ("permit (principal == ?principal, action, resource);", "template"),
        ("// nothing yet", "holds no policy"),
        ("", "holds no policy"),
    ],
)
def test_a_file_that_is_not_valid_is_refused_with_its_name_and_the_reason(
    load: Load, policy: str, reason: str
) -> None:
    with pytest.raises(Refused, match=rf"p1\.cedar.*({reason})") as refused:
        load(GRANTED, policy)
    assert refused.value.code == "bad_input"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.cedar").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match=r"a\.cedar cannot be read: UnicodeDecodeError"):
        load_cedar(tmp_path)


def test_no_policies_at_all_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(GRANTED)
    with pytest.raises(Refused, match="without a policy nothing is read"):
        load_cedar(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        load_cedar(tmp_path / "policies")
    assert refused.value.code == "not_found"


def test_without_the_extra_the_refusal_says_what_to_install(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
sys.modules["cedarpy"] = None
from prov_ledger.authz.cedar import load_cedar
load_cedar(Path({str(tmp_path)!r}))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "install prov-ledger[cedar]" in ran.stderr.splitlines()[-1]


def test_a_forbidding_policy_in_another_file_wins(load: Load, story: Story) -> None:
    story.grant("agt_amira", "*")
    story.names["collection", "handbook"] = HANDBOOK
    authoriser = load(
        GRANTED, 'forbid (principal, action, resource in Collection::"handbook");', "// why\n" + GRANTED
    )
    assert readable(authoriser, [ask(collection=HANDBOOK), ask(source="src_2")]) == {"src_2"}


def test_a_policy_may_permit_what_no_grant_gives(load: Load, story: Story) -> None:
    authoriser = load('permit (principal in Role::"auditor", action, resource);')
    story.tell(r.AgentRecord("agt_amira", "0" * 64, frozenset({r.Role.AUDITOR})))
    story.tell(r.AgentRecord("agt_ben", "0" * 64, frozenset({r.Role.AGENT})))
    assert readable(authoriser, [ask()]) == {"src_1"}
    assert readable(authoriser, [ask("agt_ben")]) == frozenset()


@pytest.mark.parametrize("as_id", [False, True], ids=["by name", "by id"])
def test_a_group_is_called_by_its_name_or_its_id(load: Load, story: Story, as_id: bool) -> None:
    story.names["group", "staff"] = STAFF
    authoriser = load(f'permit (principal in Group::"{STAFF if as_id else "staff"}", action, resource);')
    assert readable(authoriser, [ask()]) == frozenset()
    story.tell(r.MembershipRecord("agt_amira", STAFF))
    assert readable(authoriser, [ask()]) == {"src_1"}


def test_a_name_is_found_once_the_ledger_knows_it(load: Load, story: Story) -> None:
    authoriser = load('permit (principal, action, resource in Collection::"handbook");')
    assert readable(authoriser, [ask(collection=HANDBOOK)]) == frozenset()
    story.names["collection", "handbook"] = HANDBOOK
    assert readable(authoriser, [ask(collection=HANDBOOK)]) == {"src_1"}


def test_names_in_annotations_stay_as_they_are(load: Load, story: Story) -> None:
    story.names["group", "staff"] = STAFF
    authoriser = load(f'@id("staff") @type("Group") {GRANTED}')
    story.grant("agt_amira", "src_1")
    assert readable(authoriser, [ask()]) == {"src_1"}


def test_a_policy_sees_the_purpose_and_that_there_is_none(load: Load, story: Story) -> None:
    story.names["purpose", "support"] = SUPPORT
    authoriser = load(
        "permit (principal, action, resource) when { context has purpose && "
        'context.purpose in [Purpose::"support", Purpose::"sales"] };'
    )
    assert readable(authoriser, [ask(purpose=SUPPORT)]) == {"src_1"}
    assert readable(authoriser, [ask(purpose=mint_id("pur"))]) == frozenset()
    assert readable(authoriser, [ask()]) == frozenset()


def test_a_policy_sees_the_time_to_the_millisecond(load: Load) -> None:
    authoriser = load(
        'permit (principal, action, resource) when { context.now < datetime("2026-06-01T12:00:00Z") };'
    )
    assert readable(authoriser, [ask(now=START - timedelta(microseconds=1))]) == {"src_1"}
    assert readable(authoriser, [ask(now=START)]) == frozenset()


def test_what_a_policy_fails_to_evaluate_is_not_permitted(load: Load, story: Story) -> None:
    story.grant("agt_amira", "*")
    largest = 2**63 - 1
    overflow = f"(if context.granted then {largest} else 0) + 1 > 0"
    authoriser = load(GRANTED, f"forbid (principal, action, resource) when {{ {overflow} }};")
    assert readable(authoriser, [ask()]) == frozenset()


def test_the_version_changes_with_a_file_and_with_a_grant(load: Load, story: Story, tmp_path: Path) -> None:
    first = load(GRANTED).policy_version
    assert load(GRANTED).policy_version == first
    (tmp_path / "p0.cedar").rename(tmp_path / "q.cedar")
    renamed = load_cedar(tmp_path)(story.roster, story.find_name)
    assert renamed.policy_version != first
    before = renamed.policy_version
    story.grant("agt_amira", "src_1")
    assert renamed.policy_version != before


def test_the_example_opens_a_ledger_and_keeps_its_rules(shop: Shop) -> None:
    ledger = shop.open(load_cedar(EXAMPLE))

    def reads(who: str, purpose: str | None = None) -> bool:
        [slot] = ledger.resolve([shop.claim], principal=who, purpose=purpose)
        return slot.statement == STATEMENT

    ledger.agent("olga", roles=["auditor"])
    ledger.grant("group:audit", "collection:archive", for_purpose="audit")
    assert not reads("amira")
    assert not reads("olga")
    assert reads("olga", "audit")
    ledger.grant("amira", "collection:handbook")
    assert reads("amira")
    ledger.revoke("amira", "collection:handbook")
    assert not reads("amira")


@pytest.mark.parametrize(
    ("collection", "group", "opens"),
    [
        ("payroll", "staff", datetime.min),
        ("payroll", "contractors", datetime.max),
        ("prices-2027", "staff", datetime(2027, 1, 1)),
        ("prices-2027", "price-team", datetime.min),
    ],
)
def test_the_example_restricts_what_grants_give(
    shop: Shop, collection: str, group: str, opens: datetime
) -> None:
    ledger = shop.open(load_cedar(EXAMPLE))
    page = ledger.source(native=collection, title="Figures", collection=collection)
    evidence = ledger.evidence(ledger.revision(page, data="The figure is 12.", label="1"), quote="is 12")
    ledger.grant("amira", f"collection:{collection}")
    ledger.member("amira", f"group:{group}")
    shop.now = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    for _ in range(2):
        [slot] = ledger.resolve([evidence], principal="amira")
        assert (slot.verdict == "withheld") == (shop.now.replace(tzinfo=None) < opens)
        shop.now += timedelta(seconds=1)
