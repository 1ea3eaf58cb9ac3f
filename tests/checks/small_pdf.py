"""PDF files made by hand: pages of lines in Helvetica, so that no library that writes them is needed."""

from collections.abc import Sequence


def pdf_of(pages: Sequence[Sequence[str]]) -> bytes:
    """A file with a page of each list of lines, letters of Windows-1252."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        shown = b"".join(b"(%s) Tj T* " % _escaped(line) for line in lines)
        stream = b"BT /F1 12 Tf 14 TL 72 720 Td " + shown + b"ET"
        fonts = b"/Resources << /Font << /F1 3 0 R >> >>"
        box = b"/MediaBox [0 0 612 792]"
        contents = f"/Contents {5 + 2 * number} 0 R".encode()
        objects.append(b"<< /Type /Page /Parent 2 0 R " + b" ".join((box, fonts, contents)) + b" >>")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    return _file(objects)


def _escaped(line: str) -> bytes:
    return line.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


def _file(objects: Sequence[bytes]) -> bytes:
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"<< /Size %d /Root 1 0 R >>" % (len(objects) + 1)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return data + head + table + b"trailer\n" + trailer + b"\nstartxref\n%d\n%%%%EOF\n" % len(data)
