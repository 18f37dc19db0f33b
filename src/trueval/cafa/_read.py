"""``read_predictions``: files of CAFA predictions, with the lines around them."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trueval.cafa._index import TermIndex
from trueval.cafa._lines import OtherLine, read_records
from trueval.cafa._predictions import DUPLICATES, SCORE_RULE, TEXT, Predictions, bad_score
from trueval.core.errors import InputError, InputWarning, Place, quote, shorten, warn_user
from trueval.core.params import NONE, STRING, Choice, Interval, constrained
from trueval.data._source import FILE, Source

__all__ = ["read_predictions"]


@constrained(
    path=FILE,
    duplicates=Choice(DUPLICATES),
    name=(NONE, STRING),
    max_bytes=(NONE, Interval(int, 1)),
)
def read_predictions(
    path: str | os.PathLike[str],
    ontology: Any = None,
    *,
    duplicates: str = "max",
    name: str | None = None,
    max_bytes: int | None = None,
) -> Predictions:
    r"""Read a file of CAFA predictions.

    Lines of target, term and score, separated by tabs or spaces, with or without the lines
    ``AUTHOR``, ``MODEL``, ``KEYWORDS``, ``ACCURACY`` and ``END`` around them, or a header.

    Parameters
    ----------
    path : str, path, bytes of a file, or binary file
        Plain, or packed with gzip, bzip2, xz or Zstandard.
    ontology : Ontology or path, optional
        If given, alternative ids become the term they mean; obsolete terms and terms it does
        not have are left out, with one warning.
    duplicates : {"max", "mean", "error"}, default="max"
        What becomes of several scores of one pair.
    name : str, optional
        Name of the method; that of the file if left out.
    max_bytes : int, optional
        Largest text read, after unpacking.

    Returns
    -------
    Predictions

    Raises
    ------
    InputError
        For a line that is no prediction or a score outside [0, 1], with its number and the
        fix; for a file with two models or without a prediction.

    Examples
    --------
    >>> from trueval.cafa import read_predictions
    >>> predictions = read_predictions(b"AUTHOR team\nMODEL 1\nKEYWORDS homolog.\n"
    ...                                b"P1\tGO:0003677\t0.97\nP1\tGO:0016301\t0.03\nEND\n")
    >>> predictions
    Predictions(2 scores of 1 targets and 2 terms)
    >>> predictions.header["author"], predictions.matrix.toarray()
    ('team', array([[0.97, 0.03]]))
    """
    source = Source.of(path, max_bytes)
    return predictions_of(source, ontology, duplicates=duplicates, name=name)


def predictions_of(
    source: Source, ontology: Any = None, *, duplicates: str = "max", name: str | None = None
) -> Predictions:
    """Predictions of a source; the body of :func:`read_predictions`."""
    around = _Around(source)
    records = read_records(source, 2, (2,), around, refuse=bad_score, keywords=True)
    if len(records) == 0:
        raise source.fail(
            "the file has no prediction.",
            fix="Write a target, a term and a score on each line, separated by tabs or spaces.",
        )
    (targets, terms), (rows, columns), scores = records.names, records.codes, records.numbers[:, 0]
    counts = {"lines": len(scores), "zero": int((scores == 0).sum()), "text": 0}
    keep = scores > 0
    if TEXT in terms.tolist():
        is_text = columns == int(np.flatnonzero(terms == TEXT)[0])
        counts["text"] = int(is_text.sum())
        keep &= ~is_text
    _warn_of_dropped(source.name, counts)
    if not keep.all():
        rows, columns, scores = rows[keep], columns[keep], scores[keep]
    predictions = Predictions._trusted(
        targets,
        terms,
        rows,
        columns,
        scores,
        duplicates=duplicates,
        name=Path(source.path).name if name is None else name,
        header=around.header,
        counts=counts,
    )
    if ontology is not None:
        predictions = _resolved(predictions, TermIndex.of(ontology))
    if duplicates == "error":
        _ = predictions.matrix
    return predictions


class _Around:
    """The lines around the predictions."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._model_line = 0
        self.header: dict[str, str] = {}

    def __call__(self, line: OtherLine) -> None:
        word, _, rest = line.text.partition(" ")
        word, _, more = word.partition("\t")
        value = f"{more} {rest}".strip()
        if word in ("AUTHOR", "MODEL", "KEYWORDS", "ACCURACY"):
            self._keep(word.lower(), value, line.number)
        elif not (word == "END" and not value) and not self._is_header(line):
            raise self._no_prediction(line)

    def _keep(self, key: str, value: str, number: int) -> None:
        before = self.header.get(key)
        if key == "model":
            if before is not None and before != value:
                raise self._source.fail(
                    f"the model is {quote(value, 60)} here and {quote(before, 60)} on line "
                    f"{self._model_line}.",
                    fix="Put each model into a file of its own.",
                    line=number,
                )
            self._model_line = self._model_line or number
        self.header[key] = value if before in (None, value) else f"{before}; {value}"

    def _is_header(self, line: OtherLine) -> bool:
        """Whether the first line names the columns: three words, none with a digit."""
        words = line.text.split()
        return (
            line.n_records == 0
            and len(words) >= 3
            and all(re.fullmatch(r"[A-Za-z_ .-]+", word) for word in words[:3])
        )

    def _no_prediction(self, line: OtherLine) -> InputError:
        words = line.text.split()
        if len(words) >= 3:
            problem = f"the score is {quote(words[2], 60)}, not a number."
            fix = f"{SCORE_RULE}."
        elif "," in line.text or ";" in line.text:
            problem = f"{quote(line.text, 60)} is not separated by tabs or spaces."
            fix = "Replace the commas by tabs."
        else:
            problem = f"{len(words)} fields, {quote(line.text, 60)}."
            fix = "A prediction has a target, a term and a score, separated by tabs or spaces."
        return self._source.fail(problem, fix=fix, line=line.number)


def _warn_of_dropped(where: str, counts: Mapping[str, int]) -> None:
    parts = []
    if counts["zero"]:
        parts.append(f"{counts['zero']:,} with a score of 0, which is no prediction")
    if counts["text"]:
        parts.append(f"{counts['text']:,} in free text, which is not evaluated")
    if parts:
        warn_user(
            f"{' and '.join(parts)}, of {counts['lines']:,} lines are left out.",
            InputWarning,
            place=Place(where),
        )


def _resolved(predictions: Predictions, index: TermIndex) -> Predictions:
    """The same with the terms of an ontology as columns, those only that occur."""
    resolved = index.resolve(predictions.terms)
    resolved.warn(predictions.name, predictions.columns)
    numbers = resolved.numbers[predictions.columns]
    keep = numbers >= 0
    if not keep.any():
        raise InputError(
            f"none of the terms is in the ontology ({shorten(predictions.terms[0])}, …).",
            place=Place(predictions.name),
            fix="Use the ontology that the predictions were made with.",
        )
    used, columns = np.unique(numbers[keep], return_inverse=True)
    return Predictions._trusted(
        predictions.targets,
        index.terms[used],
        predictions.rows[keep],
        columns.astype(np.int32),
        predictions.scores[keep],
        duplicates=predictions.duplicates,
        name=predictions.name,
        header=predictions.header,
        counts=predictions.counts | resolved.counts(predictions.columns),
    )
