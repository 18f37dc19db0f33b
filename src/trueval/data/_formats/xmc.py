"""The extreme-classification text format: a header ``rows features labels``, then lines.

::

    2 10 5
    0,3 1:0.5 7:1
     2:1                 (a row without labels)
"""

import re

import numpy as np

from trueval.core.errors import Fix, shorten
from trueval.core.labels import Labels
from trueval.data._entries import csr_of_lists
from trueval.data._formats._format import Format
from trueval.data._formats._label_lines import read_label_lines
from trueval.data._lines import check_lines
from trueval.data._source import Source

__all__ = ["FORMATS"]

_LONGEST_HEADER = 4096
_FIRST = re.compile(rb"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?(\n|$)")


def _read(source: Source) -> Labels:
    """Classes are numbers from 0."""
    with source.open() as stream:
        first = stream.readline(_LONGEST_HEADER).removeprefix(b"\xef\xbb\xbf")
        check_lines(source, first, 1)
        header = re.fullmatch(rb"\s*(-?\d{1,18})[ \t]+(-?\d{1,18})[ \t]+(-?\d{1,18})\s*", first)
        if header is None:
            quoted = shorten(first.decode("utf-8", "replace").rstrip())
            raise source.fail(
                f"the header must be three numbers, rows features labels. Got {quoted!r}.",
                fix=Fix("Add it, or pass {} if the file has none.", "format", "svmlight"),
                line=1,
            )
        n_rows, n_features, n_labels = (int(n) for n in header.groups())
        for what, n in (("rows", n_rows), ("labels", n_labels)):
            if n < 1:
                raise source.fail(
                    f"the header declares {n} {what}; at least one is needed.",
                    fix="Correct it.",
                    line=1,
                )
        if n_features < 0:
            raise source.fail(
                f"the header declares {n_features} features.", fix="Correct it.", line=1
            )
        source.need(8 * n_rows, f"the {n_rows:,} rows the header declares")
        source.need(8 * n_labels, f"the {n_labels:,} labels the header declares")
        lines = read_label_lines(
            source,
            stream,
            n_labels=n_labels,
            n_features=n_features,
            svmlight=False,
            first_line=2,
        )
    offsets = lines.offsets
    if len(offsets) - 1 > n_rows > lines.last_written:
        offsets = offsets[: n_rows + 1]  # blank lines at the end
    if len(offsets) - 1 != n_rows:
        raise source.fail(
            f"the header declares {n_rows:,} rows, but {len(offsets) - 1:,} follow.",
            fix="The file is truncated or the header wrong: fetch it again, or correct the "
            "first line.",
            line=1,
        )
    if n_labels >= 2**31:
        raise source.fail(f"{n_labels:,} labels; at most 2,147,483,647 can be numbered.", line=1)
    return Labels._trusted(csr_of_lists(lines.labels, offsets, n_labels), np.arange(n_labels))


FORMATS = (
    Format(
        "xmc",
        holds=("labels",),
        read=_read,
        suffixes=(".xmc",),
        sniff=lambda head: _FIRST.match(head) is not None,
    ),
)
