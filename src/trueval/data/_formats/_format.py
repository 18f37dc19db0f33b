"""``Format``: everything trueval knows of a file format, in one record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from trueval.core.labels import Labels
from trueval.data._raw import RawMatrix, RawTable

__all__ = ["Format"]


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : str
        As ``format=`` takes it.
    holds : tuple of str
        What files of it may be: ``"table"`` (any value), ``"matrix"`` (labels and scores),
        ``"labels"`` (labels alone).
    read : callable
        ``read(source, **options)`` to a :class:`RawTable`, a :class:`RawMatrix`, or labels.
    options : tuple of str
        Options that ``read`` takes, of those that readers of values have.
    suffixes : tuple of str
        What names end in.
    magic : tuple of bytes
        What all files of a binary format begin with.
    sniff : callable, optional
        ``sniff(head)``: whether text without a known name looks so.
    last : bool
        Whether ``sniff`` accepts nearly anything, and is asked after all others.
    write : callable, optional
        ``write(file, raw)`` of a table, or of a matrix if it holds these; to an open binary file.
    typed : bool
        Whether cells of a table have types. If not, names are written as text that is read
        back the same, or refused.
    beside : bool
        Whether metadata of a table go into a side file, see :mod:`trueval.data._side`.
    packed : bool
        Whether it is compressed in itself.
    extra : str, optional
        The extra of trueval that it needs.
    """

    name: str
    holds: tuple[str, ...]
    read: Callable[..., RawTable | RawMatrix | Labels]
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    sniff: Callable[[bytes], bool] | None = None
    last: bool = False
    write: Callable[[BinaryIO, Any], None] | None = None
    typed: bool = True
    beside: bool = False
    packed: bool = False
    extra: str | None = None
