"""How often the answer gate blocks an honest sentence, and how often it sees one changed value.

    python benchmarks/bench_gate.py PATH/TO/site-policy.bundle

Takes every sentence with a number or a date from the Markdown pages at the head of a git bundle. Each
becomes evidence; the answer is the sentence with its marker, then rephrasings that keep its values, then
the same with one value changed. Titles of all other pages count as readable.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from prov_ledger.checks.answer.gate import Citable, Gate, Passage, read_draft
from prov_ledger.checks.answer.markers import find_markers
from prov_ledger.checks.answer.sentences import find_sentences
from prov_ledger.checks.answer.titles import Titles
from prov_ledger.checks.answer.values import find_values
from prov_ledger.model.ids import mint_id

MONTHS = "January February March April May June July August September October November December"
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
WORDS = {
    2: "two", 3: "three", 5: "five", 7: "seven", 10: "ten", 14: "fourteen", 20: "twenty", 30: "thirty",
    45: "forty-five", 60: "sixty", 90: "ninety", 100: "one hundred",
}  # fmt: skip
DATE = re.compile(rf"\b({MONTHS.replace(' ', '|')}) (\d{{1,2}}), (\d{{4}})\b")


def _iso(m: re.Match[str]) -> str:
    return f"{m[3]}-{MONTHS.split().index(m[1]) + 1:02d}-{int(m[2]):02d}"


def _german(m: re.Match[str]) -> str:
    return f"{int(m[2])}. {GERMAN.split()[MONTHS.split().index(m[1])]} {m[3]}"


def _words(text: str) -> str:
    number = re.compile(r"(?<![\w.,/:#§$-])(\d{1,3})(?= (?:days|hours|months|years|weeks)\b)")
    return number.sub(lambda m: WORDS.get(int(m[1]), m[1]), text)


def _grouped_in_german(text: str) -> str:
    return re.sub(r"(?<![\w.,])(\d{1,3}),(\d{3})(?![\w,.])", r"\1.\2", text)


REPHRASINGS: dict[str, Callable[[str, str], str]] = {
    "as it is": lambda text, title: text,
    "after a citing word": lambda text, title: f"According to {title}, {text}",
    "title before the marker": lambda text, title: f"{text.rstrip('.')} ({title})",
    "quoted": lambda text, title: f"The page says: “{text}”",
    "dates in ISO": lambda text, title: DATE.sub(_iso, text),
    "dates in German": lambda text, title: DATE.sub(_german, text),
    "numbers in words": lambda text, title: _words(text),
    "numbers in German": lambda text, title: _grouped_in_german(text),
}


def pages(bundle: Path, folder: Path) -> dict[str, str]:
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(bundle), str(clone)], check=True)
    files = sorted(clone.rglob("*.md"))
    return {str(file.relative_to(clone)): file.read_text(encoding="utf-8") for file in files}


def title_of(path: str, text: str) -> str:
    found = re.search(r"^title:\s*(.+)$", text, re.MULTILINE) or re.search(r"^# +(.+)$", text, re.MULTILINE)
    return found[1].strip().strip("'\"") if found else Path(path).stem


def sentences(text: str) -> Iterator[str]:
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    for sentence in find_sentences(body, find_markers(body)):
        words = " ".join(body[sentence.start : sentence.end].split())
        if 20 < len(words) < 600 and any(not value.weak for value in find_values(words)):
            yield words


def changed(text: str) -> Iterator[tuple[str, bool]]:
    """The text with one run of digits raised by one, for each run that is outside an address.

    With it, whether the new digits stand elsewhere in the text: then the value does occur.
    """
    outside = re.sub(r"\]\([^()\s]*\)|https?://\S+", lambda m: " " * len(m[0]), text)
    for run in re.finditer(r"\d+", outside):
        raised = str(int(run[0]) + 1).zfill(len(run[0]))
        elsewhere = re.search(rf"(?<!\d){raised}(?!\d)", outside) is not None
        yield text[: run.start()] + raised + text[run.end() :], elsewhere


def code(answer: str, source: str, evidence: str, titles: Titles) -> str | None:
    id = mint_id("cl")
    draft = read_draft(f"{answer} [{id}].", {})
    cited = Citable(id, "citable", None, (Passage(evidence, source),))
    return next(iter(Gate(draft, {id: cited}, titles).faults().values()), None)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = pages(Path(sys.argv[1]), Path(folder))
    named: dict[str, frozenset[str]] = {}
    for path, text in texts.items():
        title = title_of(path, text)
        named[title] = named.get(title, frozenset()) | {path}
    honest = [(path, s) for path, text in texts.items() for s in sentences(text)]
    print(f"{len(texts)} pages, {len(named)} titles, {len(honest)} sentences with a value")
    for name, rephrase in REPHRASINGS.items():
        began, codes, count = time.perf_counter(), Counter[str](), 0
        for path, sentence in honest:
            answer = rephrase(sentence, title_of(path, texts[path]))
            if answer == sentence and name != "as it is":
                continue
            count += 1
            found = code(answer, path, sentence, named)
            codes[found or ""] += 1
            if found and "-v" in sys.argv:
                print(f"  {found}: {answer}")
        took = (time.perf_counter() - began) / max(count, 1)
        del codes[""]
        blocked = sum(codes.values())
        print(f"{name}: {blocked} of {count} blocked {dict(codes)}, {took * 1e3:.2f} ms each")
    made = [(path, s, *other) for path, s in honest for other in changed(s)]
    for name, form in (("as it is", "{}"), ("quoted", "It says: “{}”")):
        for elsewhere in (False, True):
            tried = [x[:3] for x in made if x[3] is elsewhere]
            missed = [new for path, s, new in tried if code(form.format(new), path, s, named) is None]
            where = "to one that the sentence has elsewhere" if elsewhere else "to a new one"
            print(f"one value changed {where}, {name}: {len(tried) - len(missed)} of {len(tried)} caught")
            if "-v" in sys.argv:
                print(*(f"  {text}" for text in missed), sep="\n")


if __name__ == "__main__":
    main()
