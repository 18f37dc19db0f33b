import bz2
import gzip
import io
import lzma

import numpy as np
import obonet
import pytest
import zstandard

from tests.data.ontology.examples import SMALL_OBO, random_obo
from trueval import InputError, InputWarning
from trueval.data import read_labels, read_ontology

EDGES = "child\tparent\trelation\nB:2\tB:1\tis_a\nB:3\tB:2\tpart_of\n"
TERMS = "go_id\tontology\tname\nB:1\tBP\troot\nB:2\tBP\tmiddle\nB:3\tBP\tleaf\n"


@pytest.mark.parametrize("seed", range(20))
def test_against_obonet(seed):
    text, _ = random_obo(seed, 60)
    theirs = obonet.read_obo(io.StringIO(text), ignore_obsolete=False)
    ours = read_ontology(text.encode())
    assert set(ours.terms.tolist()) == set(theirs.nodes)
    assert set(ours.edges) == set(theirs.edges(keys=True))
    for term, name, namespace in zip(ours.terms, ours.names, ours.namespaces, strict=True):
        assert theirs.nodes[str(term)]["name"] == name
        assert theirs.nodes[str(term)]["namespace"] == namespace


def test_small_file_against_obonet():
    theirs = obonet.read_obo(io.StringIO(SMALL_OBO), ignore_obsolete=False)
    ours = read_ontology(SMALL_OBO.encode())
    assert set(ours.terms.tolist()) == set(theirs.nodes)
    assert set(ours.edges) == set(theirs.edges(keys=True))
    for i, term in enumerate(ours.terms.tolist()):
        node = theirs.nodes[term]
        assert (node.get("is_obsolete") == "true") == ours.obsolete[i]
        assert tuple(node.get("replaced_by", ())) == ours.replaced_by.get(term, ())
        own = [other for other, means in ours.alternative.items() if means == term]
        assert node.get("alt_id", []) == own


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress],
    ids=["plain", "gz", "bz2", "xz", "zst"],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_packed_with_other_line_ends_and_byte_order_mark(tmp_path, pack, ends, mark):
    path = tmp_path / "a.bin"  # the name says nothing: the first bytes do
    path.write_bytes(pack((mark + SMALL_OBO.replace("\n", ends)).encode()))
    expected = read_ontology(SMALL_OBO.encode())
    assert read_ontology(path).edges == expected.edges
    assert read_ontology(path).names.tolist() == expected.names.tolist()
    edges, terms = tmp_path / "e", tmp_path / "t"
    edges.write_bytes(pack((mark + EDGES.replace("\n", ends)).encode()))
    terms.write_bytes(pack((mark + TERMS.replace("\n", ends)).encode()))
    table = read_ontology(edges, terms=terms)
    assert table.edges == [("B:2", "B:1", "is_a"), ("B:3", "B:2", "part_of")]
    assert table.names.tolist() == ["root", "middle", "leaf"]
    assert set(table.namespaces) == {"BP"}


def test_table_columns_in_any_order_and_without_relation(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("parent\tnote\tchild\nX:1\thello\tX:2\n")
    with pytest.warns(InputWarning, match="not read: 'note'. All edges are taken as is_a"):
        assert read_ontology(path).edges == [("X:2", "X:1", "is_a")]
    terms = tmp_path / "terms.tsv"
    terms.write_text("id\tobsolete\nX:1\t0\nX:2\tfalse\nX:3\ttrue\n")
    path.write_text("parent\tchild\nX:1\tX:2\n")
    assert read_ontology(path, terms=terms).obsolete.tolist() == [False, False, True]


@pytest.mark.parametrize(
    "name", ["relationship", "Rel", "edge_type", "relationship_type", "edge", "predicate"]
)
def test_other_names_of_the_relation(name):
    text = f"child\tparent\t{name}\nX:2\tX:1\tis_a\nX:3\tX:2\tregulates\n"
    ontology = read_ontology(text.encode())
    assert ontology.edges == [("X:2", "X:1", "is_a"), ("X:3", "X:2", "regulates")]
    # The true path goes over is_a and part_of alone.
    labels = read_labels(b"id,label\np1,X:3\n", "csv")
    assert ontology.propagate(labels).classes.tolist() == ["X:3"]


@pytest.mark.parametrize("value", ["regulates", "part of", "IS_A", "RO:0002211", "subClassOf"])
def test_a_relation_in_another_column_is_refused(value):
    text = f"child\tparent\tlink\nX:2\tX:1\tx\nX:3\tX:2\t{value}\n".encode()
    with pytest.raises(InputError, match=f"line 3: the column 'link' has '{value}', a relation"):
        read_ontology(text)


def test_columns_of_terms_that_are_not_read_are_named(tmp_path):
    (tmp_path / "t.tsv").write_text("id\tdeprecated\tdomain\nX:1\t0\tA\nX:2\t1\tA\n")
    edges = b"child\tparent\trelation\nX:2\tX:1\tis_a\n"
    with pytest.warns(InputWarning, match=r"t.tsv: not read: 'deprecated', 'domain'\.$"):
        read_ontology(edges, terms=tmp_path / "t.tsv")


def test_a_table_without_is_a_is_said():
    with pytest.warns(InputWarning, match="no edge is is_a; the relations are 'subClassOf'"):
        read_ontology(b"child\tparent\trelation\nX:2\tX:1\tsubClassOf\n")


def test_missing_terms_are_dropped_on_demand():
    text = "[Term]\nid: A:1\nis_a: Z:9\nis_a: A:2\n[Term]\nid: A:2\n"
    assert read_ontology(text.encode(), missing="drop").edges == [("A:1", "A:2", "is_a")]


def test_a_parent_named_by_its_alternative_id():
    text = "[Term]\nid: A:1\nis_a: A:20\n[Term]\nid: A:2\nalt_id: A:20\n"
    assert read_ontology(text.encode()).edges == [("A:1", "A:2", "is_a")]


def test_continued_lines_and_escapes():
    text = "[Term]\nid: A:1\nname: one \\\ntwo\\, three\\\\\n[Term]\nid: A:2"
    ontology = read_ontology(text.encode())
    assert ontology.names.tolist() == ["one two, three\\", ""]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("nucleus", "nucleus"),
        ("nucleus ! a comment", "nucleus"),
        ("stop\\! now ! a comment", "stop! now"),
        ('nucleus {source="x"}', "nucleus"),
        ('nucleus {source="x"} ! a comment', "nucleus"),
        ("a {b} c", "a {b} c"),
        ("poly{x}", "poly{x}"),
        ("a \\{b\\}", "a {b}"),
        ("tab\\there", "tab\there"),
        ("", ""),
    ],
)
def test_names(line, name):
    assert read_ontology(f"[Term]\nid: A:1\nname: {line}".encode()).names.tolist() == [name]


BAD_OBO = {
    "empty": ("", r"a\.obo: the file is empty"),
    "blank": ("\n", r"a\.obo, line 1: the file has no term"),
    "no terms": ("format-version: 1.2\n", "no term"),
    "not obo": ("hello world\n", "line 1: 'hello world' is neither"),
    "html": ("<!DOCTYPE html>\n<p>404</p>\n", "line 1: .*neither"),
    "no id": ("[Term]\nname: x\n", "line 2: .*begins with 'name'"),
    "stanza without lines": (
        "[Term]\n\n[Term]\nid: A:1\n",
        r"line 1: the \[Term\] stanza has no id",
    ),
    "cut after the head": ("[Term]\nid: A:1\n\n[Term]", "line 4: .*no id"),
    "empty id": ("[Term]\nid:\n", "line 2: the id is empty"),
    "blank in id": ("[Term]\nid: A 1\n", "line 2: .*blanks"),
    "long id": (f"[Term]\nid: {'A' * 999}\n", "line 2: .*more than 200"),
    "duplicate": ("[Term]\nid: A:1\n[Term]\nid: A:1\n", "line 4: .*already given on line 2"),
    "second id": ("[Term]\nid: A:1\nid: A:2\n", "line 3: .*second id, 'A:2'"),
    "second name": ("[Term]\nid: A:1\nname: x\nname: y\n", "line 4: .*second name, 'y'"),
    "parent unknown": ("[Term]\nid: A:1\nis_a: A:7 ! x\n", "line 3: A:1 is_a A:7 names A:7"),
    "parent empty": ("[Term]\nid: A:1\nis_a: ! x\n", "line 3: is_a is '! x', not one id"),
    "two parents": ("[Term]\nid: A:1\nis_a: A:2 A:3\n", "line 3: .*not one id"),
    "relation alone": ("[Term]\nid: A:1\nrelationship: part_of\n", "line 3: .*'part_of' is not"),
    "relation of three": ("[Term]\nid: A:1\nrelationship: a b c\n", "line 3: .*'a b c'"),
    "obsolete maybe": ("[Term]\nid: A:1\nis_obsolete: maybe\n", "line 3: is_obsolete is 'maybe'"),
    "no colon": ("[Term]\nid: A:1\nname\n", "line 3: 'name' is neither"),
    "broken stanza": ("[Term\nid: A:1\n", r"line 1: '\[Term' is not the head"),
    "empty stanza": ("[]\nid: A:1\n", "line 1: .*not the head"),
    "alt of two": (
        "[Term]\nid: A:1\nalt_id: A:9\n[Term]\nid: A:2\nalt_id: A:9\n",
        "line 6: 'A:9' is given as alternative id of both A:1 and A:2",
    ),
    "latin-1": (b"[Term]\nid: A:1\nname: caf\xe9\n", "line 3: byte 0xe9 at 10 is not UTF-8"),
    "utf-16": ("[Term]\nid: A:1\n".encode("utf-16"), "line 1: the file is UTF-16"),
    "nul": ("[Term]\nid: A:1\x00\n", "line 2: .*NUL"),
    "binary": (bytes(range(256)), "line 1: "),
    "long line": (b"[Term]\nid: A:1\nname: " + b"x" * 2_000_000, "line 3: .*longer than 1,048,576"),
    "gzip cut": (gzip.compress(SMALL_OBO.encode())[:-60], "gzip data are broken.*truncated"),
    "gzip wrong": (gzip.compress(b"x" * 999)[:12] + b"rubbish" * 9, "gzip data are broken"),
    "xz cut": (lzma.compress(SMALL_OBO.encode())[:-60], "xz data are broken"),
    "bz2 cut": (bz2.compress(SMALL_OBO.encode())[:-60], "bzip2 data are broken"),
    "zstd": (b"\x28\xb5\x2f\xfd1234", "zstd data are broken"),
    "zstd cut": (zstandard.compress(SMALL_OBO.encode())[:-60], "zstd data are broken"),
}


@pytest.mark.parametrize("name", BAD_OBO)
def test_bad_obo(tmp_path, name):
    text, message = BAD_OBO[name]
    path = tmp_path / "a.obo"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message) as caught:
        read_ontology(path)
    assert "a.obo" in str(caught.value)


BAD_TABLES = {
    "empty terms": (EDGES, "", "t.tsv: the file is empty"),
    "header only": (EDGES, "go_id\n", "t.tsv, line 1: the table has no term"),
    "no id column": (EDGES, "a\tb\n", "t.tsv, line 1: .*no column for the id"),
    "two id columns": (EDGES, "go_id\tid\n", "columns 1 and 2 both give the id"),
    "short row": (EDGES, TERMS + "B:9\tBP\n", "t.tsv, line 5: 2 cells where the header has 3"),
    "duplicate": (EDGES, TERMS + "B:1\tBP\tx\n", "t.tsv, line 5: .*already given on line 2"),
    "empty id": (EDGES, TERMS + "\tBP\tx\n", "t.tsv, line 5: the id is empty"),
    "odd flag": (EDGES, "id\tobsolete\nB:1\tperhaps\n", "t.tsv, line 2: obsolete is 'perhaps'"),
    "edge to nowhere": (EDGES + "B:7\tB:1\tis_a\n", TERMS, "e.tsv, line 4: .*names B:7"),
    "edge without parent": (EDGES + "B:1\t\tis_a\n", TERMS, "e.tsv, line 4: the parent is empty"),
    "edge without child": (EDGES + "\tB:1\tis_a\n", TERMS, "e.tsv, line 4: the child is empty"),
    "edge without relation": (
        EDGES + "B:3\tB:1\t\n",
        TERMS,
        "e.tsv, line 4: the relation is empty",
    ),
    "commas": ("child,parent\nB:2,B:1\n", None, "e.tsv, line 1: .*commas; .* needs tabs"),
    "no child column": ("parent\tx\nB:2\tB:1\n", None, "e.tsv, line 1: .*no column for the child"),
    "edges header only": ("child\tparent\n", None, "e.tsv, line 1: the file has no term"),
    "terms with obo": (SMALL_OBO, TERMS, "leave terms= out"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(tmp_path, name):
    edges, terms, message = BAD_TABLES[name]
    (tmp_path / "e.tsv").write_text(edges)
    if terms is not None:
        (tmp_path / "t.tsv").write_text(terms)
    with pytest.raises(InputError, match=message):
        read_ontology(tmp_path / "e.tsv", terms=None if terms is None else tmp_path / "t.tsv")


def test_bombs_folders_and_missing_files(tmp_path):
    bomb = tmp_path / "bomb.obo.gz"
    bomb.write_bytes(gzip.compress(b"[Term]\nid: A:1\n" + b"! x\n" * 10_000_000))
    with pytest.raises(
        InputError, match=r"bomb.obo.gz: .*expand to more than the cap of 1,000,000"
    ):
        read_ontology(bomb, max_bytes=1_000_000)
    with pytest.raises(InputError, match="no such file"):
        read_ontology(tmp_path / "none.obo")
    with pytest.raises(InputError, match="this is a folder"):
        read_ontology(tmp_path)
    with pytest.raises(InputError, match="null"):
        read_ontology("a\x00b.obo")
    with pytest.raises(ValueError, match="'missing'"):
        read_ontology(bomb, missing="ignore")


def test_damaged_files_give_input_errors_only(tmp_path):
    """Bytes changed, cut, doubled: an ontology or an InputError, nothing else."""
    rng = np.random.default_rng(0)
    start = SMALL_OBO.encode()
    outcomes = set()
    for _ in range(600):
        data = bytearray(start)
        for _ in range(rng.integers(1, 6)):
            a, b = sorted(rng.integers(len(data), size=2))
            kind = rng.integers(4)
            if kind == 0:
                data[a] = rng.integers(256)
            elif kind == 1:
                del data[a : min(b, a + 40)]
            elif kind == 2:
                data[a:a] = data[a:b]
            else:
                data[a:a] = bytes(rng.choice(list(b'[]:!{}\\\n\t "')) for _ in range(3))
        try:
            ontology = read_ontology(bytes(data))
            ontology.cycles(None)
            outcomes.add("read")
        except InputError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}
