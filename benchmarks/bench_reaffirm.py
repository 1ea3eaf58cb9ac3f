"""Claims on random sentences of random past revisions, carried over to the revisions that govern now.

Syncs a git repository or bundle of Markdown pages, makes claims, reaffirms them in bulk, and holds the
result against git itself: a claim may be carried over only where the head has the sentence exactly
once, below the same headings.
"""

import random
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Measured, Setting
from prov_ledger import Ledger, Refused
from prov_ledger.connectors.git import GitConnector
from prov_ledger.ledger.reaffirming import Reaffirmation

CLAIMS = 1_000
#: Nine years of the published policies of a company.
HISTORY = Path(__file__).parents[2] / "shared" / "data" / "site-policy.bundle"

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
    """The headings that a place stands under, read line by line, fences left out: the oracle's own way.

    Emphasis around a whole heading is left out too: one page changed it from stars to underscores.
    """
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
            path = [step for step in path if step[0] < level] + [(level, found.group(2).strip("*_"))]
    return [title for _, title in path]


def paths_now(clone: Path) -> dict[str, str]:
    names = git(clone, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return {name: git(clone, "show", f"HEAD:{name}") for name in names if name.endswith(".md")}


def carried(place: Path, scratch: Path) -> tuple[Reaffirmation, int, int, set[str], float]:
    """What reaffirming made of the claims; how many were carried wrongly, and left though git has them."""
    clone = scratch / "clone"
    subprocess.run(["git", "clone", "-q", str(place), str(clone)], check=True)
    head = paths_now(clone)
    commits = git(clone, "rev-list", "--first-parent", "HEAD").split()
    with Ledger.init(scratch / "ledger") as ledger, GitConnector(clone) as connector:
        ledger.sync(connector)
        made = make_claims(ledger, clone, head, commits, CLAIMS)
        start = time.perf_counter()
        done = ledger.reaffirm(list(made))
        took = time.perf_counter() - start
        wrong = sum(not holds(head, *made[old]) for old in done.carried)
        missed = sum(holds(head, *made[old]) for old in done.changed)
        verdicts = {slot.verdict for slot in ledger.resolve(list(done.carried.values()))}
    return done, wrong, missed, verdicts, took


def measure(setting: Setting) -> Iterator[Measured]:
    if not HISTORY.exists():
        print(
            f"reaffirming: skipped, there is no {HISTORY.name} in {HISTORY.parent.name}/ beside the checkout"
        )
        return
    random.seed(20260601)
    done, wrong, missed, verdicts, took = carried(HISTORY, setting.scratch)
    uncitable = sorted(verdicts - {"citable"})
    name = f"{CLAIMS:,} claims reaffirmed"
    gone = f"{len(done.carried)} carried, {len(done.changed)} changed"
    yield Measured(name, took, "s", note=gone)
    yield Measured("  carried over wrongly", wrong, "", limit=0, note=f"git has {missed} more the same")
    yield Measured("  carried and not citable", len(uncitable), "", limit=0, note=", ".join(uncitable))


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
