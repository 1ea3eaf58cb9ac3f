"""Claims on random sentences of random past revisions, carried over to the revisions that govern now.

Syncs a git repository or bundle of Markdown pages, makes claims, reaffirms them in bulk, and holds the
result against git itself: a claim may be carried over only where the head has the sentence exactly
once, below the same headings.

    python benchmarks/bench_reaffirm.py REPO_OR_BUNDLE [CLAIMS]
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from prov_ledger import Ledger, Refused
from prov_ledger.connectors.git import GitConnector

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def sentences(text: str) -> list[str]:
    """Lines of prose, cut at full stops; long enough to be about something."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    lines = [line for line in body.splitlines() if line and not line.startswith(("#", "|", "```", "<"))]
    parts = [part.strip() for line in lines for part in re.findall(r"[^.]+\.", line)]
    return [part for part in parts if 40 <= len(part) <= 300]


def headings_above(text: str, at: int) -> list[str]:
    """The headings that a place stands under, read line by line, fences left out: the oracle's own way."""
    path: list[tuple[int, str]] = []
    fenced, passed = False, 0
    for line in text.splitlines(keepends=True):
        if passed > at:
            break
        passed += len(line)
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line.rstrip("\r\n"))
        if found and passed <= at + len(line):
            level = len(found.group(1))
            path = [step for step in path if step[0] < level] + [(level, found.group(2))]
    return [title for _, title in path]


def paths_now(clone: Path) -> dict[str, str]:
    names = git(clone, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return {name: git(clone, "show", f"HEAD:{name}") for name in names if name.endswith(".md")}


def main(place: str, wanted: int) -> int:
    random.seed(20260601)
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "-q", place, str(clone)], check=True)
        head = paths_now(clone)
        commits = git(clone, "rev-list", "--first-parent", "HEAD").split()
        with Ledger.init(Path(scratch) / "ledger") as ledger, GitConnector(clone) as connector:
            ledger.sync(connector)
            made = make_claims(ledger, clone, head, commits, wanted)
            start = time.perf_counter()
            done = ledger.reaffirm(list(made))
            took = time.perf_counter() - start
            wrong = [old for old in done.carried if not holds(head, *made[old])]
            missed = [old for old in done.changed if holds(head, *made[old])]
            resolved = {s.verdict for s in ledger.resolve(list(done.carried.values()))}
    print(f"claims {len(made)}, carried over {len(done.carried)}, changed or gone {len(done.changed)},")
    print(f"left alone {len(done.left)} (their revision still governs), in {took:.1f} s")
    print(f"carried over wrongly {len(wrong)}; the same by git and not carried over {len(missed)}")
    print(f"verdicts of what was carried over: {', '.join(sorted(resolved))}")
    return 1 if wrong or resolved - {"citable"} else 0


def make_claims(
    ledger: Ledger, clone: Path, head: dict[str, str], commits: list[str], wanted: int
) -> dict[str, tuple[str, str, list[str]]]:
    """Claims by id: path, sentence, and the headings that it stood under."""
    made: dict[str, tuple[str, str, list[str]]] = {}
    with ledger.batch():
        while len(made) < wanted:
            commit, path = random.choice(commits), random.choice(sorted(head))
            try:
                text = git(clone, "show", f"{commit}:{path}")
            except subprocess.CalledProcessError:
                continue
            found = sentences(text)
            if not found:
                continue
            quote = random.choice(found)
            at = git(clone, "show", "-s", "--format=%cI", commit).strip()
            try:
                evidence = ledger.evidence(ledger.show(path, on=at).revision, quote=quote)
            except Refused:
                continue
            claim = ledger.claim(
                says=quote,
                support=[evidence],
                transformation={"kind": "quote"},
                question={"text": "What does the policy say?", "facts": {}},
            )
            made[claim] = (path, quote, headings_above(text, text.index(quote)))
    return made


def holds(head: dict[str, str], path: str, quote: str, headings: list[str]) -> bool:
    """Whether git's head has the sentence once, below the same headings."""
    text = head.get(path, "")
    if text.count(quote) != 1:
        return False
    return headings_above(text, text.index(quote)) == headings


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000))
