"""The fuzzers' seeds, and mutations of them, without atheris."""

import gzip
import io
import json
import random
import zipfile
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.fuzz.__main__ import run_and_keep
from tests.fuzz.corpus import smallest
from tests.fuzz.structured import mutator
from tests.fuzz.targets import TARGETS, VALUES, corpus, run, seeds
from trueval import InputError
from trueval.data._formats import formats, known
from trueval.data._parquet_footer import declared_bytes

NAMES = sorted(TARGETS)
TEXT = {name for name in NAMES if not (form := formats().get(name.split("-")[1])) or not form.magic}
BINARY = sorted({*NAMES} - TEXT | {"labels-gz", "labels-zst"})


def test_every_value_of_every_format_has_a_target():
    for value, (holds, _) in VALUES.items():
        for form in known(holds):
            assert f"{value}-{form}" in TARGETS
    assert {"labels-h5ad", "labels-npz", "scores-parquet", "groups-parquet"} <= {*NAMES}


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_read(name, tmp_path):
    for seed in seeds(name, tmp_path):
        TARGETS[name](seed)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("name", sorted(TEXT))
def test_mutations_give_a_result_or_an_input_error(name, tmp_path):
    generator = random.Random(0)
    alphabet = b'01,;\t\n\r "#:.-+eE{}@%x\x00\xff9'
    begin = seeds(name, tmp_path)
    for _ in range(300):
        data = bytearray(generator.choice(begin))
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


def test_an_input_that_breaks_a_reader_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(TARGETS, "labels-csv", lambda data: 1 / len(data[2:]))
    run_and_keep("labels-csv", b"abc")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ZeroDivisionError):
        run_and_keep("labels-csv", b"ab")
    (kept,) = tmp_path.glob("fuzz-labels-csv-crash-*")
    assert kept.read_bytes() == b"ab"


def test_inputs_are_learned_that_make_new_steps():
    csv = b"id,a,b\nx,1,0\ny,0,1\n"
    inputs = [csv + b"z,1,1\n" + b"\0" * 9, csv, csv + b"z,1,1\n\0", csv + b"z,0,1\n"]
    assert smallest("labels-wide", [csv], inputs) == [csv + b"z,1,1\n\0"]


def damaged(generator, data):
    """Flip some bytes anywhere."""
    data = bytearray(data)
    for _ in range(generator.randint(1, 8)):
        at = generator.randrange(len(data))
        data[at] = generator.choice([0, 255, generator.randrange(256), data[at] ^ 1])
    return bytes(data)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("name", BINARY)
def test_damaged_bytes_give_a_result_or_an_input_error(name, tmp_path):
    """Arrow's own metadata calls abort the process on some of these."""
    generator = random.Random(zlib.crc32(name.encode()))
    begin = seeds(name, tmp_path)
    refused = 0
    for _ in range({"labels-parquet": 1500, "labels-h5ad": 100}.get(name, 200)):
        data = damaged(generator, generator.choice(begin))
        try:
            TARGETS[name](data)
        except InputError:
            refused += 1
    assert refused > 0


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("name", NAMES)
def test_what_fuzzers_learned_gives_a_result_or_an_input_error(name):
    for data in corpus(name):
        run(name, data)


def longer(data, max_size):
    return bytes(data) + b"1"


@pytest.mark.parametrize("name", ["labels-npz", "labels-gz", "labels-zst", "result-stage"])
def test_structured_mutations_keep_the_outer_form(name, tmp_path):
    begin, change = seeds(name, tmp_path)[0], mutator(name, longer)
    opened = {
        "npz": lambda data: {*zipfile.ZipFile(io.BytesIO(data)).namelist()},
        "gz": gzip.decompress,
        "zst": lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
        "stage": json.loads,
    }[name.split("-")[1]]
    made = {bytes(change(begin, 4096, seed)) for seed in range(60)} - {longer(begin, 0)}
    assert len(made) > (30 if name == "result-stage" else 0)
    for data in made:
        assert opened(data)
        run(name, data)
    assert mutator("labels-csv", longer) is None
    # What is broken already is changed as bytes are.
    assert change(b"broken", 4096, 1) == b"broken1"


IDS = [f"p{i}" for i in range(20)]


def test_damaged_lists_in_parquet():
    generator = random.Random(1)
    begin = [
        parquet({"id": IDS, "labels": [["a"], ["b", "c"]] * 10}),
        parquet({"id": IDS, "a": [0, 1] * 10, "b": [True, False] * 10}, compression="zstd"),
    ]
    for _ in range(1500):
        run("labels-parquet", damaged(generator, generator.choice(begin)))


def parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


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
