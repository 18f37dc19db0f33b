"""``write_predictions``: a file that CAFA and its evaluator read."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._predictions import TEXT, as_predictions
from trueval.core.errors import InputError, ParameterError
from trueval.core.files import atomic_write
from trueval.core.params import NONE, PATH, Instance, Interval, constrained
from trueval.data._words import check_words, text_problem

__all__ = ["write_predictions"]

_BLOCK = 200_000
_FILE = "a file of predictions"
_KEYWORDS = dict.fromkeys(
    ("AUTHOR", "MODEL", "KEYWORDS", "ACCURACY", "END"), "is a word of the format"
)
_FREE_TEXT = {TEXT: "stands for predictions in free text"}


@constrained(
    path=PATH,
    header=(NONE, Instance(Mapping, "a mapping")),
    digits=(NONE, Interval(int, 1)),
    max_terms=(NONE, Interval(int, 1)),
)
def write_predictions(
    path: Any,
    predictions: Any,
    *,
    header: Mapping[str, Any] | None = None,
    digits: int | None = 3,
    max_terms: int | None = None,
) -> None:
    r"""Write predictions in the format of CAFA.

    Parameters
    ----------
    path : str or path
        Compressed if the name says so (``.gz``). Complete or not there.
    predictions : Predictions, Scores, DataFrame, mapping or path
        As :func:`evaluate` takes them; several scores of a pair are merged.
    header : mapping of str to str, optional
        ``author``, ``model``, ``keywords`` and ``accuracy``, to write around the predictions
        with ``END``. CAFA-evaluator and Kaggle take files without; so by default none.
    digits : int or None, default=3
        Significant digits of the scores, as CAFA wants them; None for all. A score never
        becomes 0.
    max_terms : int, optional
        Write only the best so many terms of a target.

    Raises
    ------
    InputError
        If there is no prediction, or for a name that would not be read back as it is: one that is
        empty, has a blank, begins with ``#``, or is a word of the format, such as ``END``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval.cafa import write_predictions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "team_1.txt")
    ...     write_predictions(path, {"P1": {"GO:0003677": 0.12345, "GO:0016301": 0.9}},
    ...                       header={"author": "team", "model": 1})
    ...     print(path.read_text().expandtabs(), end="")
    AUTHOR  team
    MODEL   1
    P1      GO:0016301      0.9
    P1      GO:0003677      0.123
    END
    """
    table = as_predictions(predictions)
    matrix = table.matrix
    check_words(table.targets.tolist(), "target", _FILE, _KEYWORDS)
    check_words(table.terms.tolist(), "term", _FILE, _FREE_TEXT)
    if matrix.nnz == 0:
        raise InputError(
            "there is no prediction to write.",
            fix="A file of predictions has at least one score above 0.",
        )
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    if max_terms is not None:
        place = np.arange(len(order)) - matrix.indptr[rows]  # rows keep their places
        order = order[place < max_terms]
    with atomic_write(path) as file:
        for key, value in (header or {}).items():
            file.write(_header_line(key, value).encode())
        for start in range(0, len(order), _BLOCK):
            part = order[start : start + _BLOCK]
            lines = zip(
                table.targets[rows[part]].tolist(),
                table.terms[matrix.indices[part]].tolist(),
                _texts(matrix.data[part], digits),
                strict=True,
            )
            file.write("".join([f"{a}\t{b}\t{c}\n" for a, b, c in lines]).encode())
        if header:
            file.write(b"END\n")


def _texts(scores: NDArray[np.float64], digits: int | None) -> list[str]:
    """Scores as text; few of them differ, and each is formatted once."""
    distinct, place = np.unique(scores, return_inverse=True)
    if digits is None:
        texts = [repr(score) for score in distinct.tolist()]
    else:
        texts = [f"{score:.{digits}g}" for score in distinct.tolist()]
    return np.array(texts, dtype=object)[place].tolist()


def _header_line(key: str, value: Any) -> str:
    if key not in ("author", "model", "keywords", "accuracy"):
        expected = "a mapping with the keys author, model, keywords and accuracy"
        raise ParameterError("header", expected, key)
    text = ", ".join(map(str, value)) + "." if isinstance(value, list | tuple) else str(value)
    if not text.strip() or text_problem(text):
        raise ParameterError("header", f"a mapping with one line of text for {key!r}", text)
    return f"{key.upper()}\t{text.strip()}\n"
