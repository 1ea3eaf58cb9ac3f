"""Shapes and ontology are found in a checkout and are part of the wheel."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from prov_ledger.errors import ProvLedgerError
from prov_ledger.resources import load_topics, ontology_dir, shapes_dir

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = {"shapes": shapes_dir, "ontology": ontology_dir}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_checkout_reads_the_files_that_people_edit(name: str):
    texts = {path.stem: path.read_text() for path in (CHECKOUT / name).glob("*.ttl")}
    assert load_topics(FOLDERS[name]()) == texts


def test_an_empty_folder_is_an_error(tmp_path: Path):
    with pytest.raises(ProvLedgerError, match="no Turtle file"):
        load_topics(tmp_path)


def test_a_wheel_carries_every_file_and_reads_it_from_there(tmp_path: Path):
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run([*build, str(CHECKOUT)], check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    expected = {
        f"prov_ledger/_data/{name}/{path.name}" for name in FOLDERS for path in (CHECKOUT / name).iterdir()
    }
    with zipfile.ZipFile(wheel) as archive:
        assert {
            name for name in archive.namelist() if name.split("/")[2:3] in [["shapes"], ["ontology"]]
        } == expected
        archive.extractall(tmp_path / "installed")
    script = (
        "from prov_ledger.resources import load_topics, ontology_dir, shapes_dir\n"
        "print(shapes_dir(), len(load_topics(shapes_dir())), len(load_topics(ontology_dir())))"
    )
    read = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "installed",
        check=True,
        capture_output=True,
        text=True,
    )
    counts = [len(list((CHECKOUT / name).glob("*.ttl"))) for name in FOLDERS]
    folder = tmp_path / "installed" / "prov_ledger" / "_data" / "shapes"
    assert read.stdout.split() == [str(folder), *map(str, counts)]
