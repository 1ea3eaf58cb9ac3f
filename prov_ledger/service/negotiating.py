"""Which of the forms that there are a caller would rather have.

Source: RFC 9110 section 12.5.1.
"""

from collections.abc import Sequence

from prov_ledger.errors import Refused


def best_of(accept: str | None, offered: Sequence[str]) -> str:
    """The form with the greatest weight, the first offered among equals. Raises Refused ``not_acceptable``.

    >>> best_of("text/turtle;q=0.8, application/ld+json", ["text/html", "text/turtle", "application/ld+json"])
    'application/ld+json'
    """
    ranges = [_range(part) for part in (accept or "*/*").split(",") if part.strip()]
    weights = [(_weight(form, ranges), -place) for place, form in enumerate(offered)]
    weight, place = max(weights)
    if weight <= 0:
        raise Refused("not_acceptable", f"this is to be had as {', '.join(offered)}")
    return offered[-place]


def _range(part: str) -> tuple[str, float]:
    name, *parameters = (one.strip().lower() for one in part.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, float(parameter.removeprefix("q="))
            except ValueError:
                return name, 0.0
    return name, 1.0


def _weight(form: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The weight of the most precise range that holds a form; 0 for none."""
    for wanted in (form, f"{form.partition('/')[0]}/*", "*/*"):
        found = [weight for name, weight in ranges if name == wanted]
        if found:
            return max(found)
    return 0.0
