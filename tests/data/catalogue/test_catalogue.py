import gzip
import hashlib
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from tests.data.catalogue.test_download import Handler, server  # noqa: F401
from trueval import InputError
from trueval.data import catalogue, dataset_info, list_datasets, load_dataset
from trueval.data._source import Source
from trueval.data.catalogue import CATALOGUE, DatasetInfo, FileInfo, read_arrays, read_csr, status

Y = sp.csr_array(np.array([[1, 0], [1, 1], [0, 1]], dtype=np.int8))


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """No folder of the machine is touched."""
    monkeypatch.delenv("TRUEVAL_DATA", raising=False)
    monkeypatch.setenv("TRUEVAL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def info_of(files, **fields):
    settings = {
        "name": "tiny", "kind": "labels", "rows": 3, "classes": 2, "positives": 4,
        "features": None, "citation": "c", "licence": "l", "origin": "o.arff",
        "home": "https://example.org/", "note": "", "files": files,
    }  # fmt: skip
    return DatasetInfo(**{**settings, **fields})


def write_set(folder, monkeypatch, matrix=Y, names=b"a\nb\n", url=None, **fields):
    """Files of a tiny data set in a folder, and its entry in the catalogue."""
    folder.mkdir(exist_ok=True)
    sp.save_npz(folder / "tiny_Y.npz", matrix)
    (folder / "tiny_labels.txt.gz").write_bytes(gzip.compress(names))
    files = {}
    for role, name in (("Y", "tiny_Y.npz"), ("labels", "tiny_labels.txt.gz")):
        data = (folder / name).read_bytes()
        address = None if url is None else f"{url}/{name.split('.')[0]}"
        files[role] = FileInfo(name, len(data), hashlib.sha256(data).hexdigest(), address)
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny", info_of(files, **fields))
    return files


def test_folder_then_cache(tmp_path, monkeypatch):
    write_set(tmp_path / "own", monkeypatch)
    with pytest.raises(InputError, match="not on this machine"):
        load_dataset("tiny")
    monkeypatch.setenv("TRUEVAL_DATA", str(tmp_path / "own"))
    data = load_dataset("tiny")
    assert data.labels.toarray().tolist() == Y.toarray().tolist()
    assert data.labels.classes.tolist() == ["a", "b"]
    assert data.X is None
    assert repr(data) == "Dataset(tiny: Labels(3 rows × 2 classes, 4 positives))"
    (tmp_path / "own").rename(tmp_path / "cache")
    assert load_dataset("tiny").labels.nnz == 4
    table = list_datasets()
    assert table["where"][table["name"] == "tiny"].tolist() == ["cache"]


def test_what_to_put_where_by_hand(tmp_path, monkeypatch):
    files = write_set(tmp_path / "own", monkeypatch)
    with pytest.raises(InputError) as caught:
        load_dataset("tiny")
    message = str(caught.value)
    for part in (
        str(tmp_path / "cache"), "tiny_Y.npz", files["Y"].sha256, "o.arff",
        "https://example.org/", "verify=False",
    ):  # fmt: skip
        assert part in message


def test_other_bytes_are_refused(tmp_path, monkeypatch):
    write_set(tmp_path / "cache", monkeypatch)
    other = Y.copy()
    other.data[:] = 1
    sp.save_npz(tmp_path / "cache" / "tiny_Y.npz", other, compressed=False)
    with pytest.raises(InputError, match=r"not the file of the catalogue.*verify=False"):
        load_dataset("tiny")
    assert load_dataset("tiny", verify=False).labels.nnz == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 4}, "3 rows × 2 classes with 4 positives, but tiny has 4"),
        ({"positives": 5}, "with 4 positives, but"),
        ({"names": b"a\n"}, r"classes must be 2 names.*shape \(1,\)"),
        ({"names": b"a\na\n"}, "2 names, 1 of them different"),
        ({"names": b"a\n\xff\n"}, "not UTF-8"),
        ({"matrix": Y * 2}, "value other than 0 and 1"),
        ({"matrix": sp.coo_array(Y), "classes": 3}, "but tiny has 3 × 3"),
    ],
)
def test_sets_that_do_not_fit_their_entry(tmp_path, monkeypatch, change, message):
    write_set(tmp_path / "cache", monkeypatch, **change)
    with pytest.raises(InputError, match=message):
        load_dataset("tiny")


def test_files_are_fetched_into_the_cache(tmp_path, monkeypatch, server):  # noqa: F811
    write_set(tmp_path / "there", monkeypatch, url=server.address)
    calls = []

    def serve(name):
        def answer(self, tries):
            self.whole((tmp_path / "there" / name).read_bytes())

        return answer

    monkeypatch.setattr(Handler, "do_tiny_Y", serve("tiny_Y.npz"), raising=False)
    monkeypatch.setattr(Handler, "do_tiny_labels", serve("tiny_labels.txt.gz"), raising=False)
    with pytest.raises(InputError, match="not on this machine"):
        load_dataset("tiny", fetch=False)
    assert server.seen == []
    data = load_dataset("tiny", progress=lambda *a: calls.append(a))
    assert data.labels.nnz == 4
    assert calls == [(1, 2), (2, 2)]
    assert len(server.seen) == 2
    assert load_dataset("tiny").labels.nnz == 4  # from the cache now
    assert len(server.seen) == 2


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    write_set(tmp_path / "there", monkeypatch, url="https://example.org")
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TRUEVAL_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot be written"):
        load_dataset("tiny")


def test_unknown_names():
    with pytest.raises(InputError, match=r"'bibtx'.*Did you mean bibtex"):
        load_dataset("bibtx")
    with pytest.raises(InputError, match="It has: bibtex, delicious"):
        load_dataset(None)


def test_every_entry_is_complete():
    assert len(CATALOGUE) >= 35
    for name, info in CATALOGUE.items():
        assert info.name == name
        assert info.citation
        assert info.licence
        assert info.origin
        assert info.home.startswith(("https://", "http://"))
        assert info.kind in ("labels", "ontology", "pairs", "arrays")
        assert info.files or info.published
        for file in info.files.values():
            assert len(file.sha256) == 64
            assert file.size > 0
        for file in [*info.files.values(), *info.published.values()]:
            assert file.url is None or file.url.startswith("https://")
            assert file.sha256 is None or len(file.sha256) == 64
        if any(role.startswith("arff") for role in info.published):
            assert "xml" in info.published or info.label_attributes == -info.classes
    names = [f.name for i in CATALOGUE.values() for f in [*i.published.values()]]
    assert len(set(names)) == len(names)  # they share one folder
    # Table 2 of the OptiSplit paper and the pages of Mulan and the XMC repository.
    shapes = {"bibtex": (7395, 159), "delicious": (16105, 983), "yeast": (2417, 14),
              "scene": (2407, 6), "emotions": (593, 6), "mediamill": (43907, 101),
              "corel5k": (5000, 374), "enron": (1702, 53), "medical": (978, 45),
              "tmc2007": (28596, 22), "bookmarks": (87856, 208),
              "amazoncat_13k": (1186239 + 306782, 13330),
              "wikipedia_500k": (1813391 + 783743, 501070)}  # fmt: skip
    for name, shape in shapes.items():
        assert (CATALOGUE[name].rows, CATALOGUE[name].classes) == shape


ARFF = b"""@relation r
@attribute f numeric
@attribute a {0,1}
@attribute b {0,1}
@data
0.5,1,0
0.1,1,1
2,0,1
"""


def unknown_set(monkeypatch, url=None, **fields):
    """A set of which only the published file is known, and not its checksum."""
    files = {"arff": FileInfo("tiny.arff", url=url)}
    info = info_of({}, published=files, label_attributes=-2, **fields)
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny", info)


def test_an_unknown_checksum_is_refused_then_recorded_then_held(tmp_path, monkeypatch):
    unknown_set(monkeypatch)
    with pytest.raises(InputError, match=r"No address.*tiny.arff \(checksum unknown\)"):
        load_dataset("tiny")
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "tiny.arff").write_bytes(ARFF)
    sha = hashlib.sha256(ARFF).hexdigest()
    with pytest.raises(InputError, match=f"Its sha256 is {sha}.*accept_unknown=True"):
        load_dataset("tiny")
    with pytest.raises(InputError, match="not the file expected"):
        load_dataset("tiny", sha256={"tiny.arff": "0" * 64})
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        load_dataset("tiny", sha256={"tiny.arff": "x"})
    assert load_dataset("tiny", sha256={"tiny.arff": sha.upper()}).labels.nnz == 4
    assert not (cache / "tiny.arff.sha256").exists()
    data = load_dataset("tiny", accept_unknown=True)
    assert data.labels.toarray().tolist() == Y.toarray().tolist()
    assert data.labels.classes.tolist() == ["a", "b"]
    assert data.checksums == {"tiny.arff": sha}
    assert (cache / "tiny.arff.sha256").read_text() == f"{sha}  tiny.arff\n"
    assert load_dataset("tiny").checksums == {"tiny.arff": sha}
    (cache / "tiny.arff").write_bytes(ARFF.replace(b"0.5", b"0.6"))
    for options in ({}, {"accept_unknown": True}):
        with pytest.raises(InputError, match=r"accepted before.*delete .*tiny.arff.sha256"):
            load_dataset("tiny", **options)
    assert load_dataset("tiny", verify=False).checksums == {}


def test_nothing_is_recorded_for_a_file_of_another_shape(tmp_path, monkeypatch):
    unknown_set(monkeypatch, rows=4)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "tiny.arff").write_bytes(ARFF)
    with pytest.raises(InputError, match="but tiny has 4 × 2"):
        load_dataset("tiny", accept_unknown=True)
    assert not (tmp_path / "cache" / "tiny.arff.sha256").exists()


def test_an_unknown_file_is_fetched_only_when_accepted(tmp_path, monkeypatch, server):  # noqa: F811
    unknown_set(monkeypatch, url=f"{server.address}/tiny_arff")
    monkeypatch.setattr(
        Handler, "do_tiny_arff", lambda self, tries: self.whole(ARFF), raising=False
    )
    table = list_datasets()
    where = table["where"][table["name"] == "tiny"].tolist()
    assert where == ["download, checksum unknown"]
    with pytest.raises(InputError, match=r"pass accept_unknown=True .* to fetch"):
        load_dataset("tiny")
    with pytest.raises(InputError, match=r"differs from expected \(0000"):
        load_dataset("tiny", sha256={"tiny.arff": "0" * 64})
    assert len(server.seen) == 1
    assert not (tmp_path / "cache" / "tiny.arff").exists()
    calls = []
    data = load_dataset("tiny", accept_unknown=True, progress=lambda *a: calls.append(a))
    assert data.labels.nnz == 4
    assert calls == [(1, 1)]
    assert load_dataset("tiny").labels.nnz == 4
    assert len(server.seen) == 2


def test_published_parts_are_stacked(tmp_path, monkeypatch):
    files = {"text_train": FileInfo("t_train.txt"), "text_test": FileInfo("t_test.txt")}
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny", info_of({}, published=files, positives=None))
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "t_train.txt").write_text("2 5 2\n0 1:1\n0,1 2:1\n")
    (cache / "t_test.txt").write_text("1 5 2\n1 3:1\n")
    assert load_dataset("tiny", accept_unknown=True).labels.toarray().tolist() == [
        [1, 0], [1, 1], [0, 1]
    ]  # fmt: skip
    (cache / "t_test.txt").write_text("1 5 3\n1 3:1\n")
    with pytest.raises(InputError, match="other classes"):
        load_dataset("tiny", verify=False)


def test_tables(tmp_path, monkeypatch):
    text = b"row\tsequence\n0\tMSQ\n5\tA\n"
    (tmp_path / "cache").mkdir()
    path = tmp_path / "cache" / "t.tsv.gz"
    path.write_bytes(gzip.compress(text))
    files = {"table": FileInfo("t.tsv.gz")}
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny", info_of(files, kind="arrays"))
    arrays = load_dataset("tiny", verify=False).arrays
    assert {name: column.tolist() for name, column in arrays.items()} == {
        "row": ["0", "5"], "sequence": ["MSQ", "A"]
    }  # fmt: skip
    path.write_bytes(gzip.compress(text + b"6\n"))
    with pytest.raises(InputError, match="line 4: 1 fields where the header has 2"):
        load_dataset("tiny", verify=False)


def test_dataset_info():
    info = dataset_info("mediamill")
    assert (info.rows, info.classes, info.features) == (43907, 101, 120)
    assert info.positives is None
    with pytest.raises(InputError, match="Did you mean mediamill"):
        dataset_info("mediamil")


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TRUEVAL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert catalogue.cache_folder() == tmp_path / "trueval"
    monkeypatch.setattr("sys.platform", "darwin")
    assert catalogue.cache_folder().parts[-3:] == ("Library", "Caches", "trueval")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert catalogue.cache_folder() == tmp_path / "trueval"


def header(shape, dtype="<i8"):
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


class Trap:
    """Unpickling this writes a file."""

    def __reduce__(self):
        return (open, ("trap-went-off", "w"))


def test_pickles_in_npz_are_never_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez(tmp_path / "a.npz", a=np.array([Trap()], dtype=object))
    with pytest.raises(InputError, match="is a pickle, which can run any code"):
        read_arrays(tmp_path / "a.npz")
    assert not (tmp_path / "trap-went-off").exists()


BROKEN = {
    "empty": lambda p: p.write_bytes(b""),
    "text": lambda p: p.write_bytes(b"hello"),
    "pickle": lambda p: p.write_bytes(b"\x80\x04K\x01."),
    "cut": lambda p: (sp.save_npz(p, Y), p.write_bytes(p.read_bytes()[:-100])),
    "huge shape": lambda p: zipped(p, a=header("(10000000000000,)")),
    "negative shape": lambda p: zipped(p, a=header("(-5,)")),
    "overflowing shape": lambda p: zipped(p, a=header("(4294967296, 4294967296, 4294967296)")),
    "words as shape": lambda p: zipped(p, a=header("'x'")),
    "no header": lambda p: zipped(p, a=b"abc"),
    "odd version": lambda p: zipped(p, a=b"\x93NUMPY\x09\x00" + b"x" * 99),
    "other file inside": lambda p: zipfile.ZipFile(p, "w").close() or _add_text(p),
}


def _add_text(path):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("readme.txt", "x")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_npz(tmp_path, name):
    path = tmp_path / "a.npz"
    BROKEN[name](path)
    with pytest.raises(InputError, match=r"a\.npz"):
        read_arrays(path)


def test_npz_bomb(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(10_000_000))
    with pytest.raises(InputError, match=r"80,000,128 bytes, more than the cap of 1,000,000"):
        read_arrays(Source(tmp_path / "a.npz", max_bytes=1_000_000))
    with pytest.raises(InputError, match="no such file"):
        read_arrays(tmp_path / "b.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 0, 99, 1])}, "broken"),
        ({"indptr": np.array([0, 9, 3, 4])}, "broken"),
        ({"shape": np.array([-1, 2])}, "broken"),
        ({"shape": np.array([2])}, "broken"),
        ({"shape": np.array(["a", "b"])}, "broken"),
        ({"format": np.array("csc")}, r"index pointer size \(?4\)? should be \(?3"),
        ({"format": np.array("lil")}, "'lil' is not known.*Save it as CSR"),
        ({"format": np.array(["csr", "csr"])}, "'format' must be one text"),
        ({"data": None}, "no array 'data'; there are indices, indptr, shape, format"),
    ],
)
def test_broken_csr(tmp_path, change, message):
    parts = {"data": Y.data, "indices": Y.indices, "indptr": Y.indptr,
             "shape": np.array(Y.shape), "format": np.array("csr"), **change}  # fmt: skip
    np.savez(tmp_path / "a.npz", **{k: v for k, v in parts.items() if v is not None})
    with pytest.raises(InputError, match=message):
        read_csr(tmp_path / "a.npz")


@pytest.mark.parametrize("where", ["nowhere", "folder", "cache"])
@pytest.mark.parametrize("url", [None, "https://example.org"])
def test_list_and_loading_say_the_same(tmp_path, monkeypatch, where, url):
    write_set(tmp_path / where, monkeypatch, url=url)
    monkeypatch.setenv("TRUEVAL_DATA", str(tmp_path / "folder"))
    table = list_datasets()
    listed = table["where"][table["name"] == "tiny"].tolist()
    there = status(dataset_info("tiny"))
    assert listed == [there.where]
    expected = {"nowhere": "by hand" if url is None else "download"}
    assert there.where == expected.get(where, where)
    if where == "nowhere":
        with pytest.raises(InputError) as caught:
            load_dataset("tiny", fetch=False)
        assert there.how in str(caught.value)
    else:
        assert load_dataset("tiny", fetch=False).labels.nnz == 4
        assert str(tmp_path / where) in there.how


def test_every_set_that_is_not_here_says_how_to_get_it():
    for info in CATALOGUE.values():
        there = status(info)
        assert there.where in ("by hand", "download", "download, checksum unknown")
        if there.where == "by hand":
            assert info.home in there.how
            assert info.origin in there.how
