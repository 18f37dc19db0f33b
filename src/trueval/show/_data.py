"""How files were understood, in words."""

from trueval.core.errors import quote
from trueval.core.reading import (
    AnyReading,
    PairReading,
    PairScoreReading,
    RowsReading,
    SimilarityReading,
)
from trueval.show._numbers import count

__all__ = ["reading_line"]

_LAYOUTS = {
    "wide": "wide layout: one 0/1 column for each class",
    "long": "long layout: one label a line",
    "list": "list layout",
}
_SEPARATORS = {" ": "spaces", ",": "commas", "\t": "tabs"}


def reading_line(name: str, reading: AnyReading) -> str:
    """How a file was understood, in one or two sentences.

    >>> from trueval.core.reading import PairReading, PairScoreReading, Reading
    >>> reading_line("tags.csv", Reading("list", ",", "tags", "csv", ("numpy", "pandas")))
    "tags.csv read as csv, list layout: column 'tags', labels separated by commas. Classes \
such as 'numpy', 'pandas'."
    >>> melted = Reading("long", None, "label", "csv", ("ion",), "value", ("year",))
    >>> reading_line("m.csv", melted)
    "m.csv read as csv, long layout: one label a line (column 'label'; 'value' says whether the \
label is positive). Classes such as 'ion'. Not used: 'year'."
    """
    if isinstance(reading, PairReading):
        return _pairs_line(name, reading)
    if isinstance(reading, PairScoreReading):
        return _scores_line(name, reading)
    if isinstance(reading, SimilarityReading):
        return _similarity_line(name, reading)
    if isinstance(reading, RowsReading):
        return _rows_line(name, reading)
    parts = [f"{name} read as {reading.form}"]
    if reading.layout is not None:
        parts.append(_LAYOUTS[reading.layout])
    text = ", ".join(parts)
    column = reading.column
    if reading.layout is not None and column is not None:
        column = f"column {_column(column)}"
        if reading.value is not None:
            column += f"; {_column(reading.value)} says whether the label is positive"
        text += f" ({column})" if reading.layout == "long" else f": {column}"
    if reading.layout == "list":
        text += _separated(reading.separator)
    classes = ", ".join(quote(example, 40) for example in reading.examples)
    return f"{text}. Classes such as {classes}.{_unused(reading.unused)}"


def _pairs_line(name: str, reading: PairReading) -> str:
    """Which columns of a file of pairs are objects, label and weight.

    >>> _pairs_line("p.csv", PairReading(("a", "b"), "y", None, ("split",)))
    "p.csv: objects in columns 'a' and 'b', label 'y'. Not used: 'split'."
    >>> _pairs_line("p.csv", PairReading((0, 1), header=False))
    'p.csv: objects in columns 0 and 1, no label. The first line is a pair.'
    """
    a, b = map(_column, reading.columns)
    label = "no label" if reading.label is None else f"label {_column(reading.label)}"
    weight = "" if reading.weight is None else f", weight {_column(reading.weight)}"
    text = f"{name}: objects in columns {a} and {b}, {label}{weight}."
    text += _unused(reading.unused)
    return text if reading.header else f"{text} The first line is a pair."


def _scores_line(name: str, reading: PairScoreReading) -> str:
    """Which column of a file has the scores of pairs, and how lines are matched to pairs.

    >>> _scores_line("s.csv", PairScoreReading("prob", ("a", "b")))
    "s.csv: scores in column 'prob', matched to pairs by columns 'a' and 'b'."
    """
    ids = " and ".join(map(_column, reading.ids))
    by = "in the order of the pairs"
    if reading.ids:
        numbered = len(reading.ids) == 1
        by = "matched to pairs by " + (f"row number {ids}" if numbered else f"columns {ids}")
    fold = ", for each fold" if reading.by_fold else ""
    return f"{name}: scores in column {_column(reading.score)}, {by}{fold}."


def _similarity_line(name: str, reading: SimilarityReading) -> str:
    """Where the similarities are, and their unit.

    >>> _similarity_line("hits.m8", SimilarityReading(2, "percent", 12, 5, 0))
    'hits.m8: similarity in column 2, read as per cent; 12 pairs of similar rows.'
    """
    pairs = f"{count(reading.n_edges, 'pair')} of similar rows"
    if reading.column is None:
        return f"{name}: a matrix of similarities; {pairs}."
    units = {"percent": "per cent", "fraction": "fractions from 0 to 1", "as given": "given"}
    unit = f"{'taken as' if reading.unit == 'as given' else 'read as'} {units[reading.unit]}"
    return f"{name}: similarity in column {_column(reading.column)}, {unit}; {pairs}."


def _rows_line(name: str, reading: RowsReading) -> str:
    """Which columns of a file of rows are features, and what the others are.

    >>> _rows_line("x.csv", RowsReading(5, 1, {"id": "id", "split": "part"}, ("note",)))
    "x.csv: 5 features (1 of text), id 'id', split 'part'. Not used: 'note'."
    """
    text = f" ({reading.n_text:,} of text)" if reading.n_text else ""
    parts = [f"{name}: {count(reading.n_features, 'feature')}{text}"]
    parts += [f"{role} {_column(column)}" for role, column in reading.special.items()]
    line = ", ".join(parts) + "." + _unused(reading.unused)
    return line if reading.header else f"{line} The first line is a row."


def _unused(columns: tuple[str | int, ...]) -> str:
    return f" Not used: {', '.join(map(_column, columns))}." if columns else ""


def _column(column: str | int) -> str:
    return str(column) if isinstance(column, int) else quote(column, 40)


def _separated(separator: str | None) -> str:
    if separator is None:
        return ", one label or one list a cell"
    return f", labels separated by {_SEPARATORS.get(separator, repr(separator))}"
