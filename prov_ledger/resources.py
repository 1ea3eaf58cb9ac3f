"""The shapes, the ontology and the demo's pages, found in a wheel and in a checkout alike.

A wheel carries the folders in ``prov_ledger/_data``; in a checkout that was installed in place they
lie beside the package, where people read and edit them.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from prov_ledger.errors import ProvLedgerError

_PACKAGE = "prov_ledger"


def shapes_dir() -> Traversable:
    """The folder of the SHACL shapes; raises ProvLedgerError ``storage`` when it was not installed."""
    return _folder("shapes")


def ontology_dir() -> Traversable:
    """The folder of the ontology; raises ProvLedgerError ``storage`` when it was not installed."""
    return _folder("ontology")


def demo_dir() -> Traversable:
    """The folder of the demo's pages; raises ProvLedgerError ``storage`` when it was not installed."""
    return _folder("examples/demo")


def load_topics(folder: Traversable) -> dict[str, str]:
    """Read every Turtle file of a folder: topic (its name without ``.ttl``) to text, sorted by topic."""
    found = (item for item in folder.iterdir() if item.name.endswith(".ttl"))
    texts = {item.name.removesuffix(".ttl"): item.read_text(encoding="utf-8") for item in found}
    if not texts:
        raise ProvLedgerError(f"the installation has no Turtle file in {folder.name!r}; reinstall")
    return dict(sorted(texts.items()))


def _folder(name: str) -> Traversable:
    package = files(_PACKAGE)
    for folder in (package / "_data" / name, package / ".." / name):
        if folder.is_dir():
            return folder
    raise ProvLedgerError(f"the installation lacks its folder {name!r}; reinstall prov-ledger")
