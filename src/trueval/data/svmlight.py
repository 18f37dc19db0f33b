"""Multi-label svmlight (libsvm): ``3,17 1:0.5 8:2 # comment``."""

from trueval.core.labels import Labels
from trueval.data.lines import LabelLines, csr_of, distinct
from trueval.data.source import Source

__all__ = ["read_svmlight_labels"]


def read_svmlight_labels(source: Source) -> Labels:
    """Labels of an svmlight file; classes are the label numbers that occur."""
    with source.open() as stream:
        found = LabelLines(source, stream, svmlight=True, first_line=1)
    if len(found.counts) == 0:
        raise source.fail("there are no rows.", fix="At least one is needed.")
    classes, columns = distinct(found.labels)
    if len(classes) == 0:
        raise source.fail("no row has a label.", fix="At least one class is needed.")
    return Labels._trusted(csr_of(found.counts, columns, len(classes)), classes)
