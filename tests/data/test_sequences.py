"""FASTA and UniProt's flat file, features of sequences, pairs that share a term."""

import gzip
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, as_labels
from trueval.data import (
    read_fasta,
    read_labels,
    read_uniprot,
    sequence_features,
    shared_term_pairs,
)

CLASSES = ("AVLIPFWM", "GSTCYNQ", "DE", "KRH")
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def entry(accession, sequence, *terms, length=None):
    """An entry as UniProt writes it, with lines that are not read."""
    tens = [sequence[at : at + 10] for at in range(0, len(sequence), 10)]
    lines = [
        f"ID   {accession}_HUMAN   Reviewed;   {len(sequence)} AA.",
        f"AC   {accession}; A0A000;",
        "DE   RecName: Full=A protein;",
        "DR   EMBL; AY548484; AAT09660.1; -; Genomic_DNA.",
        *(f"DR   GO; {term}; {aspect}:some, name; {code}:X." for term, aspect, code in terms),
        f"SQ   SEQUENCE   {length or len(sequence)} AA;  29735 MW;  B4840739BF7D4121 CRC64;",
        *(f"     {' '.join(tens[at : at + 6])}" for at in range(0, len(tens), 6)),
        "//",
    ]
    return "\n".join(lines) + "\n"


ATP, BIND, GROW, CELL = (f"GO:000000{i}" for i in range(1, 5))
LONG = "MKVLA" * 31
THREE = (
    entry("P1", LONG, (ATP, "F", "IEA"), (GROW, "P", "IDA"))
    + entry("P2", "MA", (BIND, "F", "IDA"), (CELL, "C", "IEA"))
    + entry("P3", "MW")
)


def test_entries_are_read_whole(tmp_path):
    path = tmp_path / "uniprot_sprot.dat.gz"
    path.write_bytes(gzip.compress(THREE.encode()))
    proteins = read_uniprot(path)
    assert proteins.index.tolist() == ["P1", "P2"]
    assert proteins.sequences == [LONG, "MA"]
    assert proteins.labels.classes.tolist() == [ATP, BIND, GROW, CELL]
    assert proteins.labels.toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert proteins.domains.tolist() == ["MF", "MF", "BP", "CC"]
    assert repr(proteins) == "Sequences(2 proteins, 4 terms)"
    # The registry knows the format, by its first line.
    labels = read_labels(path)
    assert labels.index.tolist() == ["P1", "P2"]
    assert (labels.toarray() == proteins.labels.toarray()).all()


def test_a_domain_has_the_proteins_annotated_in_it():
    of = {d: read_uniprot(THREE.encode(), domain=d) for d in ("MF", "BP", "CC")}
    assert {d: p.index.tolist() for d, p in of.items()} == {
        "MF": ["P1", "P2"], "BP": ["P1"], "CC": ["P2"]
    }  # fmt: skip
    experimental = read_uniprot(THREE.encode(), evidence="experimental")
    assert experimental.labels.classes.tolist() == [BIND, GROW]
    everything = read_uniprot(THREE.encode(), domain="BP", unannotated=True)
    assert everything.labels.toarray().tolist() == [[1], [0], [0]]
    with pytest.raises(InputError, match="no entry has a GO term that was asked for"):
        read_uniprot(entry("P3", "MW").encode())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (THREE[:-3], "line 21: the entry 'P3' has no end"),
        (THREE.replace("//\n", "", 1), "line 1: the entry 'P1' has no end"),
        ("AC   P1;\n" + THREE, "line 1: 'AC   P1;' is outside an entry"),
        (entry("P1", "MKV", length=4), "line 1: the entry 'P1' has 3 residues, not 4"),
        (THREE.replace("AC   P2; A0A000;\n", ""), "the entry has no accession"),
        (THREE.replace(f"DR   GO; {ATP}; F", f"DR   GO; {ATP}; X"), "line 5: .* is no GO term"),
        (THREE.replace("MKVLAMKVLA", "MKV-AMKVLA"), "line 8: .* other signs than letters"),
        (THREE.replace("   155 AA;", "   many;"), "line 7: .* has no length"),
        (entry("P1", "MA", (ATP, "F", "IEA")) * 2, "the id 'P1' is also in line 1"),
    ],
)
def test_broken_entries_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_uniprot(text.encode())


def test_fasta():
    text = b">sp|P1|A_HUMAN kinase\nMKV\nla*\n\n;comment\n>sp|P2|B_HUMAN\r\nMA\r\n"
    proteins = read_fasta(text)
    assert proteins.index.tolist() == ["sp|P1|A_HUMAN", "sp|P2|B_HUMAN"]
    assert proteins.sequences == ["MKVLA", "MA"]
    assert proteins.labels is None
    assert read_fasta(text, ids="accession").index.tolist() == ["P1", "P2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"MKV\n", "line 1: the first line is 'MKV', no header"),
        (b">P1\n>P2\nMA\n", "line 1: the sequence is empty"),
        (b">P1\nMA\n>P2\n", "line 3: the sequence is empty"),
        (b">P1\nM-A\n", "line 2: the sequence 'M-A' has other signs"),
        (b">P1\nMA\n>P1\nMA\n", "line 3: the id 'P1' is also in line 1"),
        (b">\nMA\n", "line 1: the header names no sequence"),
        (b"\n", "there is no sequence"),
    ],
)
def test_broken_fasta_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_fasta(text)


def test_a_header_without_accession_is_refused():
    with pytest.raises(InputError, match=r"line 1: the header 'P1' has no accession.*ids='word'"):
        read_fasta(b">P1\nMA\n", ids="accession")


@given(st.lists(st.text(LETTERS + "XBZ", min_size=2, max_size=30), min_size=1, max_size=4))
def test_features_letter_by_letter(sequences):
    counts = np.zeros((len(sequences), 36))
    for row, sequence in enumerate(sequences):
        for letter in sequence:
            if letter in LETTERS:
                counts[row, LETTERS.index(letter)] += 1
        for two in pairwise(sequence):
            kinds = [next((c for c, s in enumerate(CLASSES) if x in s), None) for x in two]
            if None not in kinds:
                counts[row, 20 + 4 * kinds[0] + kinds[1]] += 1
    assert (sequence_features(sequences, counts=True) == counts).all()
    length = np.array([[len(s)] for s in sequences])
    shares = np.hstack([counts[:, :20] / length, counts[:, 20:] / (length - 1)])
    assert np.allclose(sequence_features(sequences), shares)


def test_one_text_is_no_list_of_sequences():
    with pytest.raises(InputError, match="sequences is one text"):
        sequence_features("MKV")


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=2, max_size=8).filter(lambda s: any(s)))
def test_pairs_by_sets(sets):
    made = shared_term_pairs(as_labels(sets))
    assert made.pairs.tolist() == [list(p) for p in combinations(range(len(sets)), 2)]
    assert made.y.tolist() == [int(bool(sets[a] & sets[b])) for a, b in made.pairs.tolist()]


def test_random_pairs_of_some_rows_are_distinct():
    labels = as_labels(np.eye(30, 3, dtype=int) + np.eye(30, 3, -3, dtype=int))
    rows = np.arange(3, 30)
    made = shared_term_pairs(labels, rows=rows, n_pairs=100, random_state=0)
    assert len({frozenset(p) for p in made.pairs.tolist()}) == len(made) == 100
    assert made.pairs.min() >= 3
    named = read_uniprot(THREE.encode()).labels
    assert shared_term_pairs(named).pairs.tolist() == [["P1", "P2"]]
    for rows, message in (([0, 0], "twice"), ([0, 30], "rows 0 … 29"), ([1], "at least two")):
        with pytest.raises(InputError, match=message):
            shared_term_pairs(labels, rows=rows)
    with pytest.raises(InputError, match="too many for 30 objects"):
        shared_term_pairs(labels, n_pairs=400)
