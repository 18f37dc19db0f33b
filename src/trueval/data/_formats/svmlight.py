"""Multi-label svmlight (libsvm): ``3,17 1:0.5 8:2 # comment``."""

import re

from trueval.core.labels import Labels
from trueval.data._columns import Lists, number_ints
from trueval.data._entries import labels_of_lists
from trueval.data._formats._format import Format
from trueval.data._formats._label_lines import read_label_lines
from trueval.data._source import Source

__all__ = ["FORMATS"]

_FIRST = re.compile(rb"(?:#[^\n]*\n)*([-+.\d,]*[ \t]+(qid:\d+[ \t]+)?|)\d+:[-+.\deE]+\s")


def _read(source: Source) -> Labels:
    """Classes are the label numbers that occur."""
    with source.open() as stream:
        lines = read_label_lines(source, stream, svmlight=True, first_line=1)
    if len(lines.offsets) == 1:
        raise source.fail("there are no rows.", fix="At least one is needed.")
    codes = number_ints(lines.labels)
    lists = Lists(codes.names, codes.codes, lines.offsets)
    return labels_of_lists(source, lists, None, natural=False)


FORMATS = (
    Format(
        "svmlight",
        holds=("labels",),
        read=_read,
        suffixes=(".svm", ".svmlight", ".libsvm"),
        sniff=lambda head: _FIRST.match(head) is not None,
    ),
)
