"""Which form of an answer a caller takes.

Source: RFC 9110 section 12.5.1 (Accept).
"""

from collections.abc import Mapping, Sequence

from prov_ledger.errors import Refused


def choose_type(accept: str | None, offered: Sequence[str], aliases: Mapping[str, str] | None = None) -> str:
    """The media type of ``offered`` that ``accept`` likes best; among equals the one that stands first.

    ``aliases`` are other names of what is offered. None, or an empty header, takes anything. Raises
    Refused ``not_acceptable``, naming what there is.
    """
    wanted = _parsed(accept or "*/*")
    named = {**{form: form for form in offered}, **(aliases or {})}
    best, liked = "", 0.0
    for name in named:
        quality = _quality(name, wanted)
        if named[name] in offered and quality > liked:
            best, liked = named[name], quality
    if not best:
        forms = ", ".join(dict.fromkeys(offered))
        raise Refused("not_acceptable", f"this comes as {forms}: accept one of them")
    return best


def _parsed(accept: str) -> dict[str, float]:
    ranges: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = min(max(float(parameter[2:]), 0.0), 1.0)
                except ValueError:
                    quality = 0.0
        if name:
            ranges[name] = max(quality, ranges.get(name, 0.0))
    return ranges


def _quality(name: str, wanted: Mapping[str, float]) -> float:
    """What the most exact range says of a type."""
    for pattern in (name, f"{name.partition('/')[0]}/*", "*/*"):
        if pattern in wanted:
            return wanted[pattern]
    return 0.0
