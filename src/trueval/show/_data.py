"""How files were understood, in words."""

from trueval.core.errors import quote
from trueval.core.reading import Reading

__all__ = ["reading_line"]

_LAYOUTS = {
    "wide": "wide layout: one 0/1 column for each class",
    "long": "long layout: one label a line",
    "list": "list layout",
}
_SEPARATORS = {" ": "spaces", ",": "commas", "\t": "tabs"}


def reading_line(name: str, reading: Reading) -> str:
    """How a file of labels was understood, in one or two sentences.

    >>> from trueval.core.reading import Reading
    >>> reading_line("tags.csv", Reading("list", ",", "tags", "csv", ("numpy", "pandas")))
    "tags.csv read as csv, list layout: column 'tags', labels separated by commas. Classes \
such as 'numpy', 'pandas'."
    """
    parts = [f"{name} read as {reading.form}"]
    if reading.layout is not None:
        parts.append(_LAYOUTS[reading.layout])
    text = ", ".join(parts)
    column = reading.column
    if reading.layout in ("long", "list") and column is not None:
        column = f"column {column if isinstance(column, int) else quote(column, 40)}"
        text += f" ({column})" if reading.layout == "long" else f": {column}"
    if reading.layout == "list":
        text += _separated(reading.separator)
    classes = ", ".join(quote(example, 40) for example in reading.examples)
    return f"{text}. Classes such as {classes}."


def _separated(separator: str | None) -> str:
    if separator is None:
        return ", one label or one list a cell"
    return f", labels separated by {_SEPARATORS.get(separator, repr(separator))}"
