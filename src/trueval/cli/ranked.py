"""Ranked lists for people: best first, rounded, named; predictions by depth; folds in a line."""

from pathlib import Path
from typing import TYPE_CHECKING

from trueval.cli.types import Fields, Values

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scipy.sparse import csr_array

    from trueval.cli.run import Run
    from trueval.core.labels import Labels
    from trueval.core.scores import Scores
    from trueval.data import Ontology

__all__ = ["calls_by_depth", "of_folds", "term_names", "write_list", "write_ranked"]

_DIGITS = 4


def write_list(path: Path, scores: "Scores", ontology: "Ontology | None" = None) -> None:
    """Write scores as a list for people where the name ends in .tsv, else as data.

    Rows without a prediction are not in a table of predictions, which needs no warning.
    """
    from trueval.data._values._write_scores import write_predictions

    if _is_text(path):
        write_ranked(path, scores, ontology)
    else:
        write_predictions(path, scores)


def _is_text(path: Path) -> bool:
    """Whether a file is to be a list for people: TSV, compressed or not."""
    name = str(path).lower()
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return name.endswith(".tsv")


def write_ranked(path: Path, scores: "Scores", ontology: "Ontology | None" = None) -> None:
    """Write id, label, score and, with an ontology, name: highest scores first.

    Scores are rounded to four digits after the point, but none that is above 0 becomes 0.
    Rows of the same score keep the order of ids and classes.
    """
    import numpy as np
    import scipy.sparse as sp

    from trueval.data._columns import Codes
    from trueval.data._formats import output_format, write_raw
    from trueval.data._raw import RawTable
    from trueval.data._writers import file_names

    form = output_format(path, "tsv")
    coo = sp.coo_array(scores.matrix)
    order = np.lexsort((coo.col, coo.row, -coo.data))
    index = np.arange(scores.n_rows) if scores.index is None else scores.index
    ids, classes = file_names(form, index, "row id"), file_names(form, scores.classes, "class")
    columns: dict[str, Codes | Values] = {
        "id": Codes(ids, coo.row[order]),
        "label": Codes(classes, coo.col[order]),
        "score": np.array([_rounded(value) for value in coo.data[order].tolist()], dtype=np.str_),
    }
    if ontology is not None:
        columns["name"] = Codes(np.array(term_names(classes.tolist(), ontology)), coo.col[order])
    write_raw(path, form, RawTable(columns))


def _rounded(value: float) -> str:
    text = f"{value:.{_DIGITS}f}"
    return f"{value:.1e}" if value != 0 and float(text) == 0 else text


def term_names(classes: list[str], ontology: "Ontology") -> list[str]:
    """Name of each term; empty where the ontology has none."""
    name_of = dict(zip(ontology.terms.tolist(), ontology.names.tolist(), strict=True))
    return [
        " ".join(str(name_of[ontology.resolve(term)]).split()) if term in ontology else ""
        for term in classes
    ]


def of_folds(
    run: "Run", scores: "Scores | None", labels: "Labels", threshold: float | None = None
) -> tuple[Fields | None, list[str]]:
    """Measures of each fold as data, and in one line; None and nothing without folds."""
    if run.folds is None or scores is None:
        return None, []
    from trueval.rank._by_class import fold_measures
    from trueval.show._rank import folds_line

    measures = fold_measures(scores, labels, run.folds, threshold)
    return measures, [folds_line(measures)]


def calls_by_depth(
    calls: "csr_array", labels: "Labels", ontology: "Ontology", *, judged: bool
) -> "tuple[Fields, list[RenderableType]]":
    """Predictions by the depth of their term, as data and as what to show."""
    import numpy as np

    from trueval.cli.show import heading, table

    place = {term: i for i, term in enumerate(ontology.terms.tolist())}
    all_depths = ontology.depth()
    depth = np.array(
        [all_depths[place[ontology.resolve(str(term))]] for term in labels.classes.tolist()]
    )
    content = ontology.information_content(labels)
    content = np.where(np.isfinite(content), content, 0.0)
    column = calls.indices
    by_depth: dict[str, dict[str, float]] = {}
    data: Fields = {"calls_by_depth": by_depth}
    correct = None
    if judged:
        ones = calls.copy()
        ones.data = np.arange(1.0, calls.nnz + 1)
        correct = np.zeros(calls.nnz, dtype=bool)
        correct[ones.multiply(labels.matrix).data.astype(np.int64) - 1] = True
    rows = []
    for step in np.unique(depth[column]).tolist():
        inside = depth[column] == step
        counts = {"calls": int(inside.sum()), "bits": float(content[column][inside].mean())}
        if correct is not None:
            counts["precision"] = float(correct[inside].mean())
        by_depth[str(step)] = counts
        rows.append([step, counts["calls"], counts["bits"], counts.get("precision", "–")])
    lines: list[RenderableType] = [
        heading("Predictions by depth of the term"),
        table(["depth", "predictions", "bits each", "precision here"], rows),
    ]
    if correct is not None and content[column].sum() > 0:
        weighted = float((content[column] * correct).sum() / content[column].sum())
        data["information_weighted_precision"] = weighted
        lines.append(
            f"Precision weighted by information content: {weighted:.3f}, on these rows; 'bits' are "
            "−log₂ of a term's frequency in the labels."
        )
    return data, lines
