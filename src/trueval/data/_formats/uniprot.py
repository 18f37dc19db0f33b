"""UniProt's flat file: the GO terms of its entries are the labels."""

from trueval.core.labels import Labels
from trueval.data._formats._format import Format
from trueval.data._sequence_files import read_uniprot
from trueval.data._source import Source

__all__ = ["FORMATS"]


def _read(source: Source) -> Labels:
    """Labels of the annotated entries."""
    labels = read_uniprot(source).labels
    assert labels is not None
    return labels


FORMATS = (
    Format(
        "uniprot",
        holds=("labels",),
        read=_read,
        sniff=lambda head: head.startswith(b"ID   ") and b" AA." in head.partition(b"\n")[0],
    ),
)
