"""The published cases of RFC 6962 proofs: each is accepted or refused as its file says."""

import base64
import json
from pathlib import Path

from prov_ledger.errors import ProofError
from prov_ledger.merkle.proofs import verify_consistency, verify_inclusion


def decoded(text: str | None) -> bytes:
    """Base64, or nothing."""
    return base64.b64decode(text or "")


def accepts(case: dict[str, object], kind: str) -> bool:
    """Whether our verification passes the case."""
    path = [decoded(x) for x in case["proof"] or []]  # type: ignore[attr-defined]
    try:
        if kind == "inclusion":
            leaf, root = decoded(case["leafHash"]), decoded(case["root"])  # type: ignore[arg-type]
            verify_inclusion(leaf, case["leafIdx"], case["treeSize"], path, root)  # type: ignore[arg-type]
        else:
            first, second = decoded(case["root1"]), decoded(case["root2"])  # type: ignore[arg-type]
            verify_consistency(case["size1"], case["size2"], first, second, path)  # type: ignore[arg-type]
    except ProofError:
        return False
    return True


def test_all_published_cases_agree(shared: Path) -> None:
    folder = shared / "data" / "merkle"
    disagreeing, count = [], 0
    for kind in ("inclusion", "consistency"):
        for path in sorted((folder / "testdata" / kind).rglob("*.json")):
            case = json.loads(path.read_text())
            count += 1
            if accepts(case, kind) == case["wantErr"]:
                disagreeing.append(f"{path.relative_to(folder)}: {case['desc']}")
    assert disagreeing == []
    assert count == 196
