"""``read_labels`` and ``write_labels``."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, ParameterError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import BOOL, NONE, PATH, STRING, Instance, Where, constrained
from trueval.core.reading import Reading, examples_of
from trueval.core.sparse import check_indices
from trueval.data._cells import LISTED
from trueval.data._columns import Codes, Column, Lists, ones
from trueval.data._formats import Format, find_format, output_format, read_raw, write_raw
from trueval.data._lines import READING
from trueval.data._names import renamed
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._source import FILE, Source
from trueval.data._values._layouts import CLASSES_KEY, LAYOUT, labels_of_table
from trueval.data._values._separators import SEPARATORS, possible_list
from trueval.data._values._words import COLUMN, DELIMITER
from trueval.data._writers import file_names
from trueval.data.ontology import Ontology

__all__ = ["read_labels", "read_labels_with_reading", "write_labels"]

_OF_TABLES = ("layout", "id_column", "label_column", "separator", "header")


@constrained(
    **READING,
    layout=LAYOUT,
    id_column=COLUMN,
    label_column=COLUMN,
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
        Columns of a table, by name or number from 0.
    separator : str, optional
        What separates labels in one column. ``";"`` and ``"|"`` are found, and a comma if labels
        change places, ``a,b`` in one row and ``b,c`` in another. Otherwise, as names contain
        commas and spaces too, one of them in a table of unique ids is refused, and so are
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
    labels, _ = read_labels_with_reading(
        path,
        format,
        layout=layout,
        id_column=id_column,
        label_column=label_column,
        separator=separator,
        delimiter=delimiter,
        header=header,
        label_list=label_list,
        key=key,
        classes=classes,
        index=index,
        ontology=ontology,
        encoding=encoding,
        max_bytes=max_bytes,
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
    form = find_format(source, format)
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


# --- writing ----------------------------------------------------------------------------


@constrained(path=PATH, format=(NONE, STRING), layout=LAYOUT)
def write_labels(
    path: Any,
    labels: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    layout: str | None = None,
) -> None:
    """Write labels with their names; the file is complete or not there.

    Parameters
    ----------
    path : str or path-like
        Ends in ``.npz``, ``.csv``, ``.tsv`` or ``.parquet``; text also in ``.gz``,
        ``.bz2``, ``.xz`` or ``.zst`` after that.
    labels : Labels or anything :func:`trueval.as_labels` takes
        Rows without ids get their numbers in text and Parquet.
    format : {"npz", "csv", "tsv", "parquet"}, optional
        If the name does not say it.
    layout : {"wide", "long", "list"}, optional
        Of a table; ``"list"`` by default. Parquet is always a list column.

    Notes
    -----
    What is written is read back the same by :func:`read_labels`, or refused:

    - npz, Parquet and wide text keep the order of the classes and classes without
      positives. Long and list text hold neither: a class without positives is refused,
      and the classes come back sorted (by value if all are numbers).
    - Text cannot hold every name: tabs, line ends and space around a name are
      refused, in long and list text ``;`` and ``|`` too, and if no row has two labels also
      what could be read as a list (commas, spaces). npz and Parquet can.
    - Text reads names that are numbers back as text, npz and Parquet as numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_labels, write_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "labels.csv")
    ...     write_labels(file, [{"a", "b"}, {"b"}])
    ...     print(file.read_text(), read_labels(file))
    id,labels
    0,a;b
    1,b
    Labels(2 rows × 2 classes, 3 positives)
    """
    labels = as_labels(labels)
    form = output_format(path, format)
    if "matrix" in form.holds:
        classes = file_names(form, labels.classes, "class")
        index = None if labels.index is None else file_names(form, labels.index, "row id")
        write_raw(path, form, RawMatrix(labels.matrix, classes, index))
        return
    index = np.arange(labels.n_rows) if labels.index is None else labels.index
    if form.typed:
        if layout not in (None, "list"):
            expected = f"'list' for {form.name}, which holds any number of classes so; leave it out"
            raise ParameterError("layout", expected, layout, "write_labels")
        write_raw(path, form, _list_table(form, labels, index))
        return
    layout = layout or "list"
    separators = "" if layout == "wide" else SEPARATORS
    instead = "write npz, Parquet" + (" or layout='wide'" if separators else "")
    if separators:
        _refuse_lost(labels, instead)
    names = file_names(form, labels.classes, "class", forbidden=separators, instead=instead)
    ids = file_names(form, index, "row id")
    if layout == "wide":
        write_raw(path, form, RawMatrix(labels.matrix, names, ids))
    elif layout == "list":
        columns: dict[str, Column] = {"id": ids}
        columns["labels"] = Lists(names, labels.indices, labels.indptr)
        write_raw(path, form, RawTable(columns))
    else:
        write_raw(path, form, _long_table(labels, ids, names))


def _refuse_lost(labels: Labels, instead: str) -> None:
    """Refuse classes that a long or list layout cannot hold."""
    empty = np.flatnonzero(labels.class_sizes == 0)
    if len(empty):
        raise InputError(
            f"{len(empty):,} classes have no positive, the first "
            f"{str(labels.classes[empty[0]])!r}, and would be lost in a long or list layout.",
            fix=Fix("Write npz or Parquet, pass {}, or drop them.", "layout", "wide"),
        )
    names = list(map(str, labels.classes.tolist()))
    if {*names} <= {"0", "1"}:
        raise InputError(
            "the only classes are named 0 and 1, so that a column of them could be read back as "
            "one class.",
            fix=f"Rename them, or {instead}.",
        )
    listed = [name for name in names if LISTED.fullmatch(name)]
    if listed:
        raise InputError(
            f"the class {listed[0]!r} looks like a list and would not be read back.",
            fix=f"Rename it, or {instead}.",
        )
    if np.diff(labels.indptr).max(initial=0) < 2:  # neither a separator nor an id that comes again
        doubtful = possible_list(names)
        if doubtful is not None:
            raise InputError(
                f"the class {doubtful[0]!r} could be read back as a list separated by "
                f"{doubtful[1]!r}: no row has two labels to show what separates them.",
                fix=f"Rename it, or {instead}.",
            )


def _list_table(form: Format, labels: Labels, index: NDArray[Any]) -> RawTable:
    names = file_names(form, labels.classes, "class")
    # Lists alone would be read back sorted, and without the classes nobody has.
    in_order = bool((names[1:] > names[:-1]).all()) and bool((labels.class_sizes > 0).all())
    metadata = {} if in_order else {CLASSES_KEY: json.dumps(names.tolist())}
    lists = Lists(names, labels.indices, labels.indptr)
    columns: dict[str, Column] = {"id": file_names(form, index, "row id"), "labels": lists}
    return RawTable(columns, metadata)


def _long_table(labels: Labels, ids: NDArray[Any], names: NDArray[Any]) -> RawTable:
    """One row for each label; a row without labels has an empty one."""
    counts = np.diff(labels.indptr)
    rows = np.repeat(np.arange(labels.n_rows, dtype=np.int32), np.maximum(counts, 1))
    codes = np.full(len(rows), -1, np.int32)
    codes[np.repeat(counts > 0, np.maximum(counts, 1))] = labels.indices
    # Number -1 is the last name.
    columns = {"id": Codes(ids, rows), "label": Codes(np.append(names, ""), codes)}
    return RawTable(columns)
