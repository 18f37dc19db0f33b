"""The fuzzers' seeds, and mutations of them, without atheris."""

import io
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from tests.fuzz.targets import CAP, SEEDS, TARGETS, run
from trueval import InputError
from trueval.data.footer import declared_bytes
from trueval.data.labels import labels_of
from trueval.data.source import Source


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name):
    for seed in SEEDS[name]:
        if name == "folds":
            run(name, seed)  # also asks for other labels, which is refused
        else:
            TARGETS[name](seed)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("name", TARGETS)
def test_mutations_give_a_result_or_an_input_error(name):
    generator = random.Random(0)
    alphabet = b'01,;\t\n\r "#:.-+eE{}@%x\x00\xff9'
    for _ in range(300):
        data = bytearray(generator.choice(SEEDS[name]))
        for _ in range(generator.randint(1, 6)):
            at = generator.randrange(len(data) + 1)
            kind = generator.random()
            if kind < 0.4:
                data[at:at] = bytes([generator.choice(alphabet)])
            elif kind < 0.7:
                del data[at : at + generator.randint(1, 8)]
            else:
                data[at : at + 1] = bytes([generator.choice(alphabet)])
        run(name, bytes(data))


def parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def npz(compressed):
    file = io.BytesIO()
    sp.save_npz(file, sp.csr_array(np.eye(4)), compressed=compressed)
    return file.getvalue()


IDS = [f"p{i}" for i in range(20)]
BINARY = {
    "y.parquet": [
        parquet({"id": IDS, "labels": [["a"], ["b", "c"]] * 10}),
        parquet({"id": IDS, "a": [0, 1] * 10, "b": [True, False] * 10}, compression="zstd"),
    ],
    "y.npz": [npz(True), npz(False)],
}


@pytest.mark.parametrize("name", BINARY)
def test_damaged_bytes_give_a_result_or_an_input_error(name):
    """Flipped bytes anywhere; Arrow's own metadata calls abort the process on some of these."""
    generator = random.Random(1)
    refused = 0
    for _ in range(3000 if name == "y.parquet" else 300):
        data = bytearray(generator.choice(BINARY[name]))
        for _ in range(generator.randint(1, 8)):
            at = generator.randrange(len(data))
            data[at] = generator.choice([0, 255, generator.randrange(256), data[at] ^ 1])
        try:
            labels = labels_of(Source(name, data=bytes(data), max_bytes=CAP))
            labels.matrix.check_format(full_check=True)
        except InputError:
            refused += 1
    assert refused > 0


def test_declared_sizes_agree_with_arrow():
    data = parquet(
        {"id": IDS * 9, "labels": [["a"], ["b", "c"]] * 90, "t": [True, False] * 90},
        row_group_size=50,
    )
    meta = pq.ParquetFile(io.BytesIO(data)).metadata
    chunks = [
        meta.row_group(g).column(c)
        for g in range(meta.num_row_groups)
        for c in range(meta.num_columns)
    ]
    expected = sum(max(c.total_uncompressed_size, 4 * c.num_values) for c in chunks)
    assert declared_bytes(io.BytesIO(data)) == expected
