"""How numbers read: one formatter for the terminal, notebooks, the page and studies.

``report/page/number.js`` is its twin in the browser; a test compares the two.
"""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

__all__ = ["NOTHING", "count", "interval", "number", "percent", "rounded", "times"]

#: Stands where there is no value.
NOTHING = "–"
_INFINITE = "∞"


def number(value: Any, digits: int = 3) -> str:
    """A value for people: thousands separated, few decimals, small numbers not rounded to 0.

    >>> number(12345), number(0.123456), number(2.5e-07), number(1234.5678), number(3.0, 1)
    ('12,345', '0.123', '2.5e-7', '1,234.6', '3.0')
    >>> number(0.0625), number(-1.5, 0)
    ('0.063', '-2')
    >>> number(None), number(float("nan")), number(float("inf")), number(True), number("x")
    ('–', '–', '∞', 'yes', 'x')
    """
    if hasattr(value, "item"):
        value = value.item()
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return NOTHING if value != value else _INFINITE if value > 0 else f"−{_INFINITE}"
    size = abs(value)
    if size >= 1e9 or 0 < size < 10.0**-digits:
        return _significant(value)
    # Halves are rounded up, as browsers do.
    step = Decimal(1).scaleb(-(digits if size < 1000 else min(digits, 1)))
    return f"{Decimal(value).quantize(step, ROUND_HALF_UP):,}"


def _significant(value: float) -> str:
    """Three significant digits; the exponent as browsers write it."""
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    return f"{mantissa}e{int(exponent):+d}" if exponent else mantissa


def percent(share: float | None) -> str:
    """A share in per cent; never 0 % or 100 % unless it is.

    >>> percent(0.807), percent(1.0), percent(0.0001), percent(0.9999), percent(None)
    ('80.7 %', '100 %', '<0.1 %', '>99.9 %', '–')
    """
    if share is None or share != share:
        return NOTHING
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def times(ratio: float | None) -> str:
    """A ratio to the lower bound.

    >>> times(1.0021), times(float("inf")), times(None)
    ('1.002 ×', '∞ ×', '∞ ×')
    """
    return f"{number(float('inf') if ratio is None else float(ratio))} ×"


def interval(value: float, ends: Iterable[float] | None, digits: int = 3) -> str:
    """A value and its interval.

    >>> interval(0.898, (0.878, 0.916))
    '0.898 (0.878 to 0.916)'
    """
    if ends is None:
        return number(float(value), digits)
    low, high = ends
    return (
        f"{number(float(value), digits)} ({number(float(low), digits)} to "
        f"{number(float(high), digits)})"
    )


def count(n: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> count(1, "class", "classes"), count(1200, "row")
    ('1 class', '1,200 rows')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


def rounded(value: Any, significant: int = 5) -> Any:
    """A number, or each of several, with so many significant digits; None if not finite.

    More cannot be seen on a screen, and makes files large.

    >>> rounded(0.123456789), rounded([1234567.0, float("nan")])
    (0.12346, [1234600.0, None])
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [rounded(item, significant) for item in value]
    return float(f"{value:.{significant}g}") if math.isfinite(value) else None
