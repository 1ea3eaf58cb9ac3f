import pytest

from prov_ledger.connectors.paths import PathGlob, media_type_of, native_of


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        (None, "any/thing.md", True),
        ("*.md", "a.md", True),
        ("*.md", "deep/er/a.md", True),
        ("*.md", "a.mdx", False),
        ("docs/*", "docs/a/b", True),
        ("docs/", "docs/a", True),
        ("docs", "docs/a", True),
        ("docs", "documents/a", False),
        ("./docs", "docs/a", True),
        ("**/a.md", "a.md", True),
        ("**/a.md", "x/y/a.md", True),
        ("**/a.md", "x/ba.md", False),
        ("a?.md", "ab.md", True),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "b.md", False),
        ("[!ab].md", "c.md", True),
        ("a+b(1).md", "a+b(1).md", True),
        ("a.md", "axmd", False),
        ("*", "line\nend.md", True),
        ("[", "[", True),
    ],
)
def test_a_glob_matches_as_a_pathspec(glob: str | None, path: str, expected: bool) -> None:
    assert PathGlob(glob).matches(path) is expected


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a/README.MD", b"", "text/markdown"),
        ("a.html", b"\xff", "text/html"),
        ("a.csv", b"", "text/csv"),
        ("a.png", b"", "image/png"),
        ("LICENSE", "é".encode(), "text/plain"),
        ("LICENSE", b"\xe9", "application/octet-stream"),
        ("core", b"a\0b", "application/octet-stream"),
        (".md", b"x", "text/plain"),
    ],
)
def test_the_media_type_is_told_by_extension_and_then_by_the_bytes(
    path: str, data: bytes, expected: str
) -> None:
    assert media_type_of(path, data) == expected


def test_a_path_that_is_no_utf8_is_written_out() -> None:
    assert native_of(b"caf\xe9/\xc3\xbc") == "caf\\xe9/ü"
