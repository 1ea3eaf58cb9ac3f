"""Finding in the history of a folder of policies: how long the index takes, and a question then.

    python benchmarks/bench_find.py REPOSITORY-OR-BUNDLE [QUESTIONS]

Prints the build of the index, its reload from a file, and the median and 95th percentile of questions of
two or three words from the pages themselves, one in four with a typing error.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from prov_ledger import Ledger
from prov_ledger.connectors.git import GitConnector


def timed(ledger: Ledger, question: str) -> float:
    start = time.perf_counter()
    ledger.find(question)
    return time.perf_counter() - start


def misspelt(choose: random.Random, word: str) -> str:
    at = choose.randrange(1, max(2, len(word) - 1))
    return word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]


def questions(ledger: Ledger, count: int) -> list[str]:
    choose = random.Random(1)
    words = [x.text.split() for x in ledger.find("account notice policy", limit=400).passages]
    made = []
    for number in range(count):
        chosen = choose.choices(choose.choice(words), k=choose.randint(2, 3))
        if number % 4 == 0:
            chosen[0] = misspelt(choose, chosen[0])
        made.append(" ".join(chosen) + " policy")
    return made


def main(repository: Path, count: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "ledger"
        with Ledger.init(place) as ledger, GitConnector(repository) as connector:
            report = ledger.sync(connector)
            ledger.keep_search_index(Path(folder) / "index")
            build = timed(ledger, "policy")
        with Ledger.open(place) as ledger:
            ledger.keep_search_index(Path(folder) / "index")
            reload_s = timed(ledger, "policy")
            times = sorted(timed(ledger, question) for question in questions(ledger, count))
        size = sum(file.stat().st_size for file in (Path(folder) / "index").iterdir())
    print(f"{report.revisions} revisions of {report.sources} sources; index file {size / 1e6:.1f} MB")
    print(f"build {build:.2f} s, reload {reload_s:.2f} s")
    print(f"question: median {times[count // 2] * 1e3:.0f} ms, 95 % {times[count * 95 // 100] * 1e3:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200))
