"""What claims rest on, read from a leaf without decoding it, is what decoding gives."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id
from prov_ledger.rdf.encode import encode_entry
from prov_ledger.rdf.supports import Supported, supports_of

AT = datetime(2026, 3, 1, tzinfo=UTC)
BASE = "https://ledger.example/a.b/"
NODES = st.builds(mint_id, st.sampled_from(("ev", "cl")))
GROUP = st.lists(NODES, min_size=1, max_size=4, unique=True).map(tuple)


@given(groups=st.lists(GROUP, min_size=1, max_size=12).map(tuple), extra=st.frozensets(NODES, max_size=5))
def test_members_and_exposure_are_read_in_their_order(
    groups: tuple[tuple[str, ...], ...], extra: frozenset[str]
) -> None:
    id, exposure = mint_id("cl"), extra.union(*groups)
    made = r.Transformation("quote"), r.Question("0" * 64, {}), mint_id("agt"), AT
    claim = r.ClaimRecord(id, "0" * 64, groups, exposure, *made)
    supersession = r.SupersessionRecord(mint_id("cl"), id)
    entry = r.entry_of(mint_id("ent"), 7, mint_id("agt"), AT, [claim, supersession])

    assert supports_of(encode_entry(BASE, entry), BASE) == [Supported(id, groups, exposure)]


def test_a_leaf_without_a_claim_has_none() -> None:
    entry = r.entry_of(mint_id("ent"), 7, mint_id("agt"), AT, [r.RetractionRecord(mint_id("cl"))])

    assert supports_of(encode_entry(BASE, entry), BASE) == []
