"""The kernels of the readers against the same in plain Python."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import _kernels

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=6)
SPACED = st.text(st.sampled_from('ab"é\u2003\u00a0\u3000 \t;|'), max_size=6)


def laid_out(cells):
    """Cells as one array of bytes, and where each begins and ends."""
    parts = [cell.encode() for cell in cells]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int32)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int32)
    data = b"".join(parts) or b"\0"
    return np.frombuffer(bytearray(data), np.uint8), starts[: len(parts)], ends


def texts(data, starts, stops):
    return [bytes(data[a:b]).decode() for a, b in zip(starts, stops, strict=True)]


@given(st.data(), st.integers(1, 4), st.integers(0, 5))
def test_fields_are_those_of_the_csv_module(data, width, n_rows):
    rows = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width),
                              min_size=n_rows, max_size=n_rows))  # fmt: skip
    blanks = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    chosen = data.draw(st.lists(st.integers(0, width - 1), min_size=1, max_size=width, unique=True))
    chosen.sort()
    text = io.StringIO()
    for blank, row in zip(blanks, rows, strict=True):
        text.write("\n" * blank)
        csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(row)
    whole = text.getvalue()
    assert [row for row in csv.reader(io.StringIO(whole)) if row] == rows
    content = np.frombuffer(bytearray(whole.encode() or b"\n"), np.uint8)
    starts, stops, at, counts, error, lines = _kernels.split_fields(
        content, ord(","), width, np.array(chosen, np.int32)
    )
    assert error == 0
    assert lines == max(whole.count("\n"), 1)
    assert texts(content, starts, stops) == [row[c] for row in rows for c in chosen]
    before = [(row, blank) for row, blank in enumerate(blanks) if blank]
    assert list(zip(at.tolist(), counts.tolist(), strict=True)) == before


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        (b"a,b\na\n", 1, 1),
        (b"a,b\n\na,b,c\n", 1, 2),
        (b'a,"b\nc"\n', 2, 0),
        (b'a,b\n"a"b,c\n', 2, 1),
        (b'a,""\n', 0, 1),
    ],
)
def test_fields_that_do_not_fit(text, error, line):
    content = np.frombuffer(bytearray(text), np.uint8)
    *_, found, at = _kernels.split_fields(content, ord(","), 2, np.array([0, 1], np.int32))
    assert (found, at) == (error, line)


@given(st.lists(SPACED | CELLS, min_size=1))
def test_white_space_is_that_of_python(cells):
    data, starts, stops = laid_out(cells)
    _kernels.strip_fields(data, starts, stops)
    assert texts(data, starts, stops) == [cell.strip() for cell in cells]


FLAGS = {"0": 0, "0.0": 0, "false": 0, "False": 0, "FALSE": 0,
         "1": 1, "1.0": 1, "true": 1, "True": 1, "TRUE": 1}  # fmt: skip


@given(st.data(), st.integers(1, 4), st.integers(1, 5))
def test_flags(data, width, n_rows):
    word = st.sampled_from([*FLAGS, " 1", "0\u2003"] * 3 + ["", "2", "tRUE", "10"])
    cells = data.draw(st.lists(word, min_size=width * n_rows, max_size=width * n_rows))
    counts, columns, bad = _kernels.find_flags(*laid_out(cells), width)
    values = [FLAGS.get(cell.strip()) for cell in cells]
    if None in values:
        assert bad == values.index(None)
        return
    assert bad == -1
    table = np.array(values).reshape(n_rows, width)
    assert counts.tolist() == table.sum(axis=1).tolist()
    assert columns.tolist() == np.nonzero(table)[1].tolist()


@given(st.lists(CELLS, min_size=1, max_size=2000), st.integers(0, 2**64 - 1), st.booleans())
def test_names_are_numbered_as_they_appear(cells, seed, empty_too):
    names = _kernels.Names(seed)
    number = {}
    expected = [number.setdefault(cell, len(number)) if cell or empty_too else -1 for cell in cells]
    half = len(cells) // 2
    codes = [names.numbers(*laid_out(part), empty_too) for part in (cells[:half], cells[half:])]
    assert np.concatenate(codes).tolist() == expected
    assert len(names) == len(number)
    assert [names.name(i).decode() for i in range(len(names))] == list(number)
    assert names.invalid == -1
    assert names.longest == max(map(len, number), default=0)
    width = max(names.longest, 1)
    out = np.zeros(len(names) * width, np.uint32)
    names.fill(out, width)
    assert out.view(f"U{width}").tolist() == list(number)


def test_many_names():
    cells = [f"name {i % 5000}" for i in range(20_000)]
    codes = _kernels.Names(7).numbers(*laid_out(cells), False)
    assert codes.tolist() == [i % 5000 for i in range(20_000)]


@given(st.lists(SPACED, min_size=1), st.sampled_from([";", "|", "ab", "é"]))
def test_lists_of_names(cells, separator):
    names = _kernels.Names(1)
    stripped = [cell.strip() for cell in cells]
    counts, codes, whole = names.split(*laid_out(stripped), separator)
    number, expected = {}, []
    for at, cell in enumerate(stripped):
        parts = [part.strip() for part in cell.split(separator)] if cell else []
        if "" in parts:
            assert not whole
            assert len(counts) == at
            return
        expected.append([number.setdefault(part, len(number)) for part in parts])
    assert whole
    assert counts.tolist() == [len(parts) for parts in expected]
    assert codes.tolist() == [code for parts in expected for code in parts]


@given(st.binary(max_size=6))
def test_what_is_no_text_is_told(data):
    names = _kernels.Names(1)
    names.numbers(*laid_out(["first"]), False)
    content = np.frombuffer(bytearray(data or b"\0"), np.uint8)
    names.numbers(content, np.array([0], np.int32), np.array([len(data)], np.int32), True)
    try:
        is_text = not data.decode().endswith("\0")
    except UnicodeDecodeError:
        is_text = False
    assert names.invalid == (-1 if is_text else 1)


ROWS = st.lists(st.lists(st.integers(0, 8), max_size=8), min_size=1, max_size=8)


@given(ROWS, st.integers(0, 3))
def test_rows_become_canonical(rows, before):
    """Entries before the first row are dropped."""
    indptr = np.cumsum([before, *(len(row) for row in rows)]).astype(np.int64)
    indices = np.array([9] * before + [c for row in rows for c in row] or [0], np.int32)
    n = _kernels.canonical_rows(indptr, indices)
    assert n == sum(len(set(row)) for row in rows)
    got = [indices[a:b].tolist() for a, b in pairwise([0, *indptr[1:].tolist()])]
    assert got == [sorted(set(row)) for row in rows]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9))))
def test_entries_are_grouped_by_row(entries):
    rows, columns = (np.array([e[k] for e in entries], np.int32) for k in (0, 1))
    indptr, indices = _kernels.group_rows(rows, columns, 5)
    for row in range(5):
        expected = [c for r, c in entries if r == row]
        assert indices[indptr[row] : indptr[row + 1]].tolist() == expected
