"""Names on their way to a file: as it can hold them and a reader gives them back, or refused."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, quote
from trueval.core.named import as_text
from trueval.data._formats import Format

__all__ = ["file_names"]


def file_names(
    form: Format,
    names: NDArray[Any],
    what: str,
    *,
    forbidden: str = "",
    instead: str = "write npz or Parquet",
) -> NDArray[Any]:
    """Distinct names as a format holds them: numbers stay numbers where cells have types.

    ``forbidden`` are characters that text cannot have in them here, and ``instead`` what to do
    with a name that has one.
    """
    if form.typed and names.dtype.kind in "iu":
        texts = None
    else:
        texts = [str(name) for name in names.tolist()]
    _refuse_repeats(names if texts is None else texts, what)
    if texts is None:
        return names
    if "matrix" not in form.holds:
        _refuse_surrogates(texts, what)
    if not form.typed:
        _refuse_odd(texts, what, forbidden, instead)
    return as_text(texts)


def _refuse_repeats(names: Any, what: str) -> None:
    distinct = len(set(names)) if isinstance(names, list) else len(np.unique(names))
    if distinct < len(names):
        twice = str(Counter(list(names)).most_common(1)[0][0])
        raise InputError(
            f"the {what} {quote(twice, 60)} occurs more than once.", fix="Names must be unique."
        )


def _refuse_surrogates(texts: list[str], what: str) -> None:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        odd = next(text for text in texts if any("\ud800" <= c <= "\udfff" for c in text))
        raise InputError(
            f"the {what} {quote(odd, 60)} holds half a surrogate pair, which UTF-8 cannot.",
            fix="Rename it, or write npz.",
        ) from None


def _refuse_odd(texts: list[str], what: str, forbidden: str, instead: str) -> None:
    """Refuse names that a reader of text would not give back unchanged."""
    for text in texts:
        bad = next((c for c in "\n\r\t\0" + forbidden if c in text), None)
        if bad is not None or text != text.strip() or not text:
            why = f"contains {bad!r}" if bad else "is empty or has space around it"
            raise InputError(
                f"the {what} {quote(text, 60)} {why} and would not be read back.",
                fix=f"Rename it, or {instead}.",
            )
