"""``Format``: everything trueval knows of a file format, in one record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from trueval.core.labels import Labels
from trueval.data._raw import RawMatrix, RawTable

__all__ = ["Format"]


@dataclass(frozen=True)
class Format:
    """A file format."""

    name: str  # as ``format=`` takes it
    # what files of it may be: ``"table"`` (any value), ``"matrix"`` (labels and scores),
    # ``"labels"`` (labels alone)
    holds: tuple[str, ...]
    # ``read(source, **options)`` to a :class:`RawTable`, a :class:`RawMatrix`, or labels
    read: Callable[..., RawTable | RawMatrix | Labels]
    # options that ``read`` takes, of those that readers of values have
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()  # what names end in
    magic: tuple[bytes, ...] = ()  # what all files of a binary format begin with
    # ``sniff(head)``: whether text without a known name looks so
    sniff: Callable[[bytes], bool] | None = None
    last: bool = False  # whether ``sniff`` accepts nearly anything, and is asked after all others
    # ``write(file, raw)`` of a table, or of a matrix if it holds these; to an open binary file
    write: Callable[[BinaryIO, Any], None] | None = None
    # whether cells of a table have types. If not, names are written as text that is read back the
    # same, or refused.
    typed: bool = True
    beside: bool = False  # whether metadata go into a side file, see :mod:`trueval.data._side`
    packed: bool = False  # whether it is compressed in itself
    extra: str | None = None  # the extra of trueval that it needs
