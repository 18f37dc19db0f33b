"""``read_labels``: a file of any known format into labels with their names."""

from typing import Any

from trueval.core.errors import ParameterError
from trueval.core.labels import Labels
from trueval.core.params import (
    BOOL,
    NONE,
    PATH,
    STRING,
    Choice,
    Instance,
    Interval,
    Where,
    constrained,
)
from trueval.data.annotations import MAX_BYTES, read_annotations
from trueval.data.arff import read_arff_labels
from trueval.data.delimited import LAYOUT, read_delimited_labels
from trueval.data.h5ad import read_h5ad_labels
from trueval.data.names import renamed
from trueval.data.npz import read_npy_labels, read_npz_labels
from trueval.data.ontology import Ontology
from trueval.data.ontology_tables import read_ontology
from trueval.data.parquet import read_parquet_labels
from trueval.data.sniff import FORMATS, find_format, is_gaf
from trueval.data.source import Source
from trueval.data.svmlight import read_svmlight_labels
from trueval.data.text import COLUMN, DELIMITER, ENCODING
from trueval.data.xmc import read_xmc_labels

__all__ = ["read_labels"]


@constrained(
    path=PATH,
    format=Choice((None, "gaf", *FORMATS)),
    layout=LAYOUT,
    id_column=COLUMN,
    label_column=COLUMN,
    separator=(NONE, STRING),
    delimiter=DELIMITER,
    header=(NONE, BOOL),
    key=(NONE, STRING, Where(lambda keys: all(isinstance(k, str) for k in keys), "several keys")),
    ontology=(NONE, PATH, Instance(Ontology, "an Ontology")),
    encoding=ENCODING,
    max_bytes=(NONE, Interval(int, 1)),
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
    path : str or path-like
    format : str, optional
        - ``"npz"``: :func:`scipy.sparse.save_npz`, or one dense array; arrays
          ``classes`` and ``index`` beside it are the names; ``"npy"``: dense;
        - ``"csv"``, ``"tsv"``: a table, see ``layout``;
        - ``"parquet"``: a table, or a column of lists (extra ``parquet``);
        - ``"svmlight"``: multi-label, ``3,17 1:0.5``;
        - ``"xmc"``: extreme classification, with the header ``rows features labels``;
        - ``"arff"``: dense or sparse, Mulan or MEKA (extra ``arff``);
        - ``"h5ad"``: AnnData (extra ``h5ad``);
        - ``"gaf"``: annotations of genes, see ``ontology``;
          :func:`~trueval.data.read_annotations` has filters beside.
    layout : {"wide", "long", "list"}, optional
        Of a table: one 0/1 column for each class; one row for each id and label;
        or one row for each id with its labels in one column. Found by the content.
    id_column, label_column : str or int, optional
        Columns of a table, by name or number from 0.
    separator : str, optional
        What separates labels in one column: ``";"`` or ``"|"`` is found.
    delimiter : str, optional
        What separates the columns: a tab, comma or semicolon is found.
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
        Most bytes to decompress, or to allocate for a size the file declares. By
        default 100 times the size of the file, and at least 256 MiB.

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
    source = Source(path, max_bytes=max_bytes)
    if format == "gaf" or (format is None and is_gaf(source)):
        labels = _annotated(source, ontology, max_bytes)
        return renamed(source, labels, classes, index)
    if ontology is not None:
        raise ParameterError(
            "ontology",
            "left out but for GAF files; see Ontology.propagate",
            ontology,
            "read_labels",
        )
    return labels_of(
        source,
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
        encoding=encoding,
    )


def _annotated(source: Source, ontology: Any, max_bytes: int | None) -> Labels:
    if ontology is not None and not isinstance(ontology, Ontology):
        ontology = read_ontology(ontology)
    return read_annotations(
        source.path,
        ontology,
        propagate=ontology is not None,
        max_bytes=MAX_BYTES if max_bytes is None else max_bytes,
    )


def labels_of(source: Source, form: str | None = None, **options: Any) -> Labels:
    """Labels of a source; the body of :func:`read_labels`."""
    form = find_format(source, form)
    given = {name: value for name, value in options.items() if value is not None}

    def some(*names: str) -> dict[str, Any]:
        return {name: given[name] for name in names if name in given}

    if form == "npz":
        labels = read_npz_labels(source)
    elif form == "npy":
        labels = read_npy_labels(source)
    elif form == "parquet":
        labels = read_parquet_labels(source, **some("layout", "id_column", "label_column"))
    elif form == "svmlight":
        labels = read_svmlight_labels(source)
    elif form == "xmc":
        labels = read_xmc_labels(source)
    elif form == "arff":
        labels = read_arff_labels(source, **some("label_list", "encoding"))
    elif form == "h5ad":
        labels = read_h5ad_labels(source, **some("key", "separator"))
    else:
        table = ("layout", "id_column", "label_column", "separator", "delimiter", "header")
        labels = read_delimited_labels(source, **some(*table, "encoding"))
    return renamed(source, labels, options.get("classes"), options.get("index"))
