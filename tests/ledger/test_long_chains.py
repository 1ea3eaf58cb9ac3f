"""Claims on claims on claims: as long or as wide as somebody makes them."""

from pathlib import Path

from prov_ledger import Ledger

QUOTE = {"transformation": {"kind": "combine"}, "question": {"text": "?", "facts": {}}}


def test_a_chain_of_hundreds_of_claims_is_recorded_corrected_and_resolved(tmp_path: Path) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        source = ledger.source(native="s", title="S")
        claim = ledger.evidence(ledger.revision(source, data="It holds.", label="1"), quote="It holds.")
        with ledger.batch():
            for number in range(450):
                claim = ledger.claim(says=f"step {number}", support=[claim], **QUOTE)  # type: ignore[arg-type]
        assert ledger.resolve([claim])[0].verdict == "citable"
        evidence = ledger.resolve([claim])[0].quotes[0].evidence
        new = ledger.supersede(claim, says="other", support=[evidence], **QUOTE)  # type: ignore[arg-type]
        assert [slot.verdict for slot in ledger.resolve([claim, new])] == ["superseded", "citable"]


def test_a_lattice_of_alternatives_costs_no_more_for_each_level(tmp_path: Path) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        source = ledger.source(native="s", title="S")
        text = "One holds. Two holds."
        revision = ledger.revision(source, data=text, label="1")
        pair = [ledger.evidence(revision, quote=quote) for quote in ("One holds.", "Two holds.")]
        with ledger.batch():
            for level in range(60):
                pair = [
                    ledger.claim(says=f"{side} {level}", support=pair, **QUOTE)  # type: ignore[arg-type]
                    for side in "ab"
                ]
        assert {slot.verdict for slot in ledger.resolve(pair)} == {"citable"}
