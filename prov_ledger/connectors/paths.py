"""Paths of files as native ids: their text, the globs that choose among them, their media types."""

import re
from pathlib import PurePosixPath

_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".rst": "text/plain",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".zip": "application/zip",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_WILD = re.compile(r"(\*\*/|\*+|\?|\[[!^]?\]?[^\]]*\])")


def media_type_of(path: str, data: bytes) -> str:
    """Give the media type by extension; else ``text/plain`` for UTF-8, ``application/octet-stream``.

    The table is our own: the one of the operating system differs from machine to machine.

    >>> media_type_of("LICENSE", b"All rights"), media_type_of("a.bin", b"\\x00\\xff")
    ('text/plain', 'application/octet-stream')
    """
    known = _MEDIA_TYPES.get(PurePosixPath(path).suffix.lower())
    if known is not None:
        return known
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "application/octet-stream" if "\0" in text else "text/plain"


def native_of(path: bytes) -> str:
    """Give the text of a path: UTF-8, and ``\\xNN`` for each byte that is not."""
    return path.decode("utf-8", "backslashreplace")


class PathGlob:
    """Which paths are meant, as git's own pathspecs read a glob; None means all.

    ``*`` and ``?`` match ``/`` too, ``**/`` is any folders or none, ``[a-z]`` a class; a name without
    wildcards, or one that ends with ``/``, means all beneath that folder as well.

    >>> [PathGlob("docs").matches(path) for path in ("docs/a/b.md", "docs2/a.md")]
    [True, False]
    """

    def __init__(self, glob: str | None) -> None:
        self.text = glob or ""
        self._pattern = None if not glob else re.compile(_translate(glob), re.DOTALL)

    def matches(self, path: str) -> bool:
        """Whether the path is meant."""
        return self._pattern is None or self._pattern.fullmatch(path) is not None


def _translate(glob: str) -> str:
    parts = _WILD.split(glob.removeprefix("./").rstrip("/"))
    return "".join(map(_piece, parts)) + "(?:/.*)?"


def _piece(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part.startswith("*"):
        return ".*"
    if part == "?":
        return "."
    if part.startswith("[") and len(part) > 2:
        inside = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
    return re.escape(part)
