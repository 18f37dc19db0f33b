"""``read_labels``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval.core.errors import (
    Fix,
    InputWarning,
    ParameterError,
    Place,
    quote_names,
    warn_user,
)
from trueval.core.labels import Labels, as_labels
from trueval.core.params import BOOL, NONE, STRING, Instance, Where, constrained
from trueval.core.reading import Reading, examples_of
from trueval.core.sparse import check_indices
from trueval.data._columns import ones
from trueval.data._formats import find_format, read_raw
from trueval.data._lines import READING
from trueval.data._names import renamed
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._source import FILE, Source
from trueval.data._values._layouts import LAYOUT, labels_of_table
from trueval.data._values._words import COLUMN, COLUMNS, DELIMITER
from trueval.data.ontology import Ontology

__all__ = ["read_labels", "read_labels_with_reading"]

_OF_TABLES = (
    "layout", "id_column", "label_column", "value_column", "ignore", "separator", "header",
)  # fmt: skip


@constrained(
    **READING,
    layout=LAYOUT,
    id_column=COLUMN,
    label_column=COLUMN,
    value_column=COLUMN,
    ignore=COLUMNS,
    separator=(NONE, Where(lambda s: isinstance(s, str) and s != "", "a string that is not empty")),
    delimiter=DELIMITER,
    header=(NONE, BOOL),
    key=(NONE, STRING, Where(lambda keys: all(isinstance(k, str) for k in keys), "several keys")),
    ontology=(NONE, Instance(Ontology, "an Ontology"), FILE),
)
def read_labels(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    layout: str | None = None,
    id_column: str | int | None = None,
    label_column: str | int | None = None,
    value_column: str | int | None = None,
    ignore: str | int | Sequence[str | int] = (),
    separator: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    label_list: Any = None,
    key: Any = None,
    classes: Any = None,
    index: Any = None,
    ontology: Any = None,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Labels:
    r"""Read labels with their row ids and class names.

    The format is found by the name and the first bytes; gzip, bzip2, xz and
    Zstandard (extra ``zst``) are opened on the way. Nothing is ever unpickled.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        A file, its content, or an open file such as ``sys.stdin.buffer``.
    format : str, optional
        - ``"npz"``: :func:`scipy.sparse.save_npz`, or one dense array; arrays
          ``classes`` and ``index`` beside it are the names; ``"npy"``: dense;
        - ``"csv"``, ``"tsv"``: a table, see ``layout``;
        - ``"parquet"``: a table (extra ``parquet``);
        - ``"svmlight"``: multi-label, ``3,17 1:0.5``;
        - ``"xmc"``: extreme classification, with the header ``rows features labels``;
        - ``"arff"``: dense or sparse, Mulan or MEKA (extra ``arff``);
        - ``"h5ad"``: AnnData (extra ``h5ad``);
        - ``"gaf"``: annotations of genes, see ``ontology``;
          :func:`~trueval.data.read_annotations` has filters beside.
    layout : {"wide", "long", "list"}, optional
        Of a table: one 0/1 column for each class; one row for each id and label;
        or one row for each id with its labels in one column, as lists or as text.
        Found by the content.
    id_column, label_column : str or int, optional
        Columns of a table, by name or number from 0. By default those that are named so, else an
        index without a name, unless it has whole numbers and another column different texts.
        A file of folds is refused unless ``label_column`` says that it has labels.
    value_column : str or int, optional
        In the long layout, a column of 0 and 1 (or words such as no and yes) that says whether
        the row has the label, or one of qualifiers, where NOT says that it has not. One named
        ``value``, ``y``, ``present``, ``positive``, …, or ``qualifier`` is found; any other that
        may say it, and one of scores, is refused.
    ignore : str, int, or sequence of these, default=()
        Columns of a table that are left out. Others that are not read are named in a warning. A
        column of 0 and 1 that is named as folds are, as ``fold`` or ``is_test``, is refused, unless
        it is here, or ``layout="wide"`` says that all columns are classes.
    separator : str, optional
        What separates labels in one column. ``";"`` and ``"|"`` are found, and a comma if five or
        more labels change places, ``a,b`` in one row and ``b,c`` in another. Otherwise, as names
        contain commas and spaces too, one of them in a table of unique ids is refused, and so are
        labels that change places around ``/``, ``+``, ``&`` or ``:``.
    delimiter : str, optional
        What separates the columns: a tab, comma or semicolon is found. Lines that could be
        separated by either of the latter are refused.
    header : bool, optional
        Whether the first line of a table is a header. Found by its words, or by a
        column of numbers that begins with a word; where neither tells, the line is
        data and an ``InputWarning`` says so.
    label_list : path, sequence of str or int, optional
        ARFF: Mulan's XML file, or the names of the labels, or their number
        (negative: the last ones). By default MEKA's ``-C`` or the XML file of the
        same name.
    key : str or sequence of str, optional
        AnnData: the key in ``obsm``, or one or more columns of ``obs``.
    classes, index : sequence or path, optional
        Names (a sequence, or a text file with one on a line). Where the file has
        none they are given in order; where it has, classes and rows are put into
        this order, and a name that is missing is an error.
    ontology : Ontology or path, optional
        GAF: terms are read by it and carried up the true path to all ancestors.
    encoding : str, default="utf-8"
        Of text.
    max_bytes : int, optional
        Most bytes to read, to decompress, or to allocate for a size the file declares.
        By default 100 times the size of the file, and at least 256 MiB.

    Returns
    -------
    Labels
        ``matrix`` (CSR), ``classes``, ``index``. Classes of long and list layouts
        are sorted by name, numbers by their value.

    Warns
    -----
    InputWarning
        If columns are not read, labels are left out because of NOT, a cell such as ``NA`` is read
        as a class, or the ids are in a column that is not named so.

    Raises
    ------
    InputError
        For anything wrong in the file, with the place, the value and the fix.
    ImportError
        If an extra is missing; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_labels
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "proteins.tsv")
    >>> _ = file.write_text("id\tterms\np1\tGO:2;GO:1\np2\tGO:2\n")
    >>> labels = read_labels(file)
    >>> labels.index, labels.classes
    (array(['p1', 'p2'], dtype='<U2'), array(['GO:1', 'GO:2'], dtype='<U4'))
    >>> labels.toarray()
    array([[1, 1],
           [0, 1]])
    >>> folder.cleanup()
    """
    source = Source.of(path, max_bytes)
    labels, reading = read_labels_with_reading(
        source,
        format,
        layout=layout,
        id_column=id_column,
        label_column=label_column,
        value_column=value_column,
        ignore=(ignore,) if isinstance(ignore, str | int) else tuple(ignore),
        separator=separator,
        delimiter=delimiter,
        header=header,
        label_list=label_list,
        key=key,
        classes=classes,
        index=index,
        ontology=ontology,
        encoding=encoding,
    )
    if reading.unused:
        warn_user(
            f"not read: {quote_names(reading.unused)}.",
            InputWarning,
            place=Place(source.name),
            fix=Fix("If that is right, pass {}.", "ignore", list(reading.unused)),
        )
    return labels


def read_labels_with_reading(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    classes: Any = None,
    index: Any = None,
    ontology: Any = None,
    max_bytes: int | None = None,
    **options: Any,
) -> tuple[Labels, Reading]:
    """Labels as :func:`read_labels` reads them, and how the file was understood."""
    source = Source.of(path, max_bytes)
    form = find_format(source, format, delimiter=options.get("delimiter"))
    if ontology is not None and "ontology" not in form.options:
        expected = "left out but for GAF files; see Ontology.propagate"
        raise ParameterError("ontology", expected, ontology, "read_labels")
    raw = read_raw(source, form, ontology=ontology, **options)
    reading = Reading()
    if isinstance(raw, RawTable):
        chosen = {name: options[name] for name in _OF_TABLES if name in options}
        raw, reading = labels_of_table(raw, **chosen)
    elif isinstance(raw, RawMatrix):
        raw = _labels_of_matrix(source, raw)
    labels = renamed(source, raw, classes, index)
    return labels, replace(reading, form=form.name, examples=examples_of(labels.classes))


def _labels_of_matrix(source: Source, raw: RawMatrix) -> Labels:
    matrix = raw.matrix
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise source.fail(
            f"the labels must be 0/1 numbers in two dimensions, rows × classes. Got shape "
            f"{matrix.shape} of {matrix.dtype}."
        )
    with source.guard("labels"):
        clean = _taken_over(matrix)
        clean = as_labels(matrix).matrix if clean is None else clean
        classes = np.arange(clean.shape[1]) if raw.classes is None else raw.classes
        return Labels._trusted(clean, classes, raw.index)


def _taken_over(matrix: Any) -> Any:
    """CSR of ones on the memory of the matrix; None if it is anything else as it is."""
    if not sp.issparse(matrix) or matrix.format != "csr" or 0 in matrix.shape:
        return None
    try:
        check_indices(matrix)
    except ValueError:
        return None  # as_labels says what is wrong
    if not (matrix.data == 1).all():
        return None
    clean = ones(matrix.indptr, matrix.indices, matrix.shape)
    return clean if clean.has_canonical_format else None
