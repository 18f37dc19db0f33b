"""Compressed streams one after another: all are read, and damage to any is seen."""

import bz2
import gzip
import lzma

import pytest
import zstandard

from trueval.core.errors import InputError
from trueval.data import read_labels
from trueval.data._source import Source

PACK = {"bz2": bz2.compress, "gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}
HEAD, REST = b"id,a,b\nx,0,1\ny,1,0\n", b"z,1,1\n"
BIG = bytes(range(256)) * 40  # more than one bite, and its stream too


def content(data):
    with Source(data).open() as stream:
        return stream.read()


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("parts", [(HEAD, REST), (b"", HEAD, b"", REST), (BIG, BIG, b"")])
def test_streams_are_read_one_after_another(kind, parts):
    assert content(b"".join(map(PACK[kind], parts))) == b"".join(parts)


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("first", [HEAD, BIG])
def test_damage_to_the_first_byte_of_a_later_stream_is_refused(tmp_path, kind, bit, first):
    later = bytearray(PACK[kind](REST))
    later[0] ^= 1 << bit
    path = tmp_path / f"y.csv.{kind}"
    path.write_bytes(PACK[kind](first) + later)
    with pytest.raises(InputError, match="data are broken") as caught:
        read_labels(path)
    assert caught.value.place.file == str(path)


@pytest.mark.parametrize("kind", PACK)
def test_a_later_stream_that_is_cut_anywhere_is_refused(kind):
    first, later = PACK[kind](HEAD), PACK[kind](REST)
    for size in range(1, len(later)):
        with pytest.raises(InputError, match="data are broken"):
            content(first + later[:size])


@pytest.mark.parametrize("kind", PACK)
def test_other_bytes_behind_the_last_stream_are_refused(kind):
    with pytest.raises(InputError, match="data are broken"):
        content(PACK[kind](HEAD) + b"more")


@pytest.mark.parametrize("n_zeros", [4, 8, 4096])
def test_stream_padding_of_xz_is_passed_over(n_zeros):
    """Section 2.2 of the .xz specification: zero bytes, a multiple of four."""
    one, two, zeros = lzma.compress(HEAD), lzma.compress(REST), bytes(n_zeros)
    assert content(one + zeros + two + zeros) == HEAD + REST


@pytest.mark.parametrize("n_zeros", [1, 2, 3, 1023, 1025])
@pytest.mark.parametrize("rest", [b"", lzma.compress(REST)])
def test_zeros_behind_xz_that_are_no_padding_are_refused(n_zeros, rest):
    with pytest.raises(InputError, match=f"{n_zeros} zero bytes"):
        content(lzma.compress(HEAD) + bytes(n_zeros) + rest)


@pytest.mark.parametrize("kind", ["bz2", "zst"])
def test_zeros_behind_formats_without_padding_are_refused(kind):
    with pytest.raises(InputError, match="data are broken"):
        content(PACK[kind](HEAD) + bytes(512))


def test_blocks_of_zeros_behind_gzip_are_passed_over():
    """Tapes fill up their blocks; gzip and Python's reader pass over that."""
    assert content(gzip.compress(HEAD) + bytes(512)) == HEAD
