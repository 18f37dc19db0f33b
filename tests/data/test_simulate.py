import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from trueval import ParameterError, as_labels
from trueval.data import simulate
from trueval.data.simulate._large import class_chances
from trueval.data.simulate._sequences import kmer_counts


def digest(p):
    return (p.sequences, p.family.tolist(), p.labels.matrix.indices.tolist(), p.features.data.sum())


def test_random_ontology_against_networkx():
    for seed in range(10):
        ontology = simulate.random_ontology(80, 3, random_state=seed)
        graph = nx.DiGraph([(child, parent) for child, parent, _ in ontology.edges])
        assert nx.is_directed_acyclic_graph(graph)
        assert len(ontology) == 80
        assert set(ontology.namespaces) == {"namespace 0", "namespace 1", "namespace 2"}
        roots = set(ontology.terms.tolist()) - {child for child, _, _ in ontology.edges}
        assert roots == set(ontology.terms[:3].tolist())
        # Within its namespace every term comes from its root.
        depth = ontology.depth(relations=None)
        assert (depth[3:] > 0).all()
    assert len(simulate.random_ontology(1, 1, random_state=0)) == 1
    assert simulate.random_ontology(30, random_state=1).edges != (
        simulate.random_ontology(30, random_state=2).edges
    )


def test_proteome_is_seeded():
    first = simulate.proteome(60, 6, 40, random_state=3)
    assert digest(first) == digest(simulate.proteome(60, 6, 40, random_state=3))
    assert digest(first) != digest(simulate.proteome(60, 6, 40, random_state=4))
    assert "60 proteins of 6 families" in repr(first)


def test_proteome_holds_together():
    p = simulate.proteome(300, 25, 120, random_state=0)
    assert len(set(p.ids)) == 300
    assert set(p.family.tolist()) == set(range(25))
    assert set("".join(p.sequences)) <= set("ACDEFGHIKLMNPQRSTVWY")
    assert (p.parent < np.arange(300)).all()
    started = p.parent < 0
    assert started.sum() == 25
    assert (p.family[p.parent[~started]] == p.family[~started]).all()
    np.testing.assert_allclose(p.features.sum(axis=1), 1)
    # Labels are the closure of the direct ones, by networkx.
    space = dict(zip(p.ontology.terms.tolist(), p.ontology.namespaces.tolist(), strict=True))
    graph = nx.DiGraph()
    graph.add_nodes_from(space)
    graph.add_edges_from((c, q) for c, q, _ in p.ontology.edges if space[c] == space[q])
    direct, closed = p.direct.toarray(), p.labels.toarray()
    for row in range(0, 300, 7):
        has = set(p.ontology.terms[direct[row] == 1].tolist())
        assert has
        expected = has.union(*(nx.descendants(graph, term) for term in has))
        assert set(p.ontology.terms[closed[row] == 1].tolist()) == expected
    assert as_labels(p.labels) is p.labels


def test_function_follows_descent():
    p = simulate.proteome(300, 25, 120, random_state=1)
    edges = {(c, q) for c, q, _ in p.ontology.edges}
    direct, terms = p.direct.toarray(), p.ontology.terms
    for protein in np.flatnonzero(p.parent >= 0):
        mine = set(terms[direct[protein] == 1].tolist())
        theirs = set(terms[direct[p.parent[protein]] == 1].tolist())
        for gained in mine - theirs:
            assert any((gained, old) in edges for old in theirs)
        assert len(mine) <= len(theirs)


def test_relatives_are_alike_in_sequence_and_function():
    p = simulate.proteome(300, 25, 120, random_state=2)
    same = p.family[:, None] == p.family[None, :]
    np.fill_diagonal(same, False)
    other = p.family[:, None] != p.family[None, :]
    for matrix in (p.features.toarray(), p.direct.toarray().astype(float)):
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        cosine = unit @ unit.T
        assert cosine[same].mean() > cosine[other].mean() + 0.15


def test_nothing_changes_without_mutation():
    p = simulate.proteome(50, 5, 30, mutation=0, change=0, random_state=0)
    for family in range(5):
        inside = np.flatnonzero(p.family == family)
        assert len({p.sequences[i] for i in inside}) == 1
        assert len({p.direct.toarray()[i].tobytes() for i in inside}) == 1
    assert len(set(p.sequences)) == 5


def test_share_of_residues_substituted():
    """One long ancestor and one descendant; indels are one in ten of substitutions."""
    p = simulate.proteome(2, 1, 10, length=(20_000, 20_000), mutation=0.1, random_state=0)
    old, new = p.sequences
    assert abs(len(old) - len(new)) < 6 * np.sqrt(2 * 0.01 * 20_000)
    before = min(next(i for i in range(1, 2000) if old[i : i + 9] != new[i : i + 9]), 2000)
    assert before < 200  # a change within the first 200 residues
    counts = kmer_counts([old, new], k=5).toarray() * (len(old) - 4)
    kept = np.minimum(counts[0], counts[1]).sum() / (len(old) - 4)
    # Five residues in a row stay with chance about 0.9^5 * 0.99^5 * 0.99^4 = 0.54.
    assert 0.50 < kept < 0.58


def test_smallest_proteomes():
    for n_terms in (1, 2, 3, 4):
        p = simulate.proteome(3, 2, n_terms, length=(1, 2), mutation=1.0, random_state=0)
        assert p.direct.shape == (3, n_terms)
        assert all(p.sequences)


def test_kmer_counts_by_hand():
    counts = kmer_counts(["AAC", "", "AXC", "CA"], k=2)
    assert counts.shape == (4, 400)
    assert counts.toarray()[0, [0, 1]].tolist() == [0.5, 0.5]  # AA and AC
    assert counts.toarray()[3, 20] == 1.0  # CA
    assert counts[[1, 2]].nnz == 0
    assert kmer_counts(["ACDE"], k=1).nnz == 4


def test_scores_have_the_accuracy_asked_for():
    y = simulate.label_matrix(20_000, 4, cardinality=1.5, random_state=0)
    dense = y.toarray()
    for skill in (0.0, 1.0, 2.0):
        own = simulate.classifier_scores(y, skill=(skill, skill), random_state=1)
        plain = simulate.classifier_scores(y, skill=(skill, skill), comparable=True, random_state=1)
        assert ((own > 0) & (own < 1)).all()
        for c in range(4):
            # Two normal distributions `skill` apart: AUC = Phi(skill / sqrt 2).
            auc = roc_auc_score(dense[:, c], own[:, c])
            assert abs(auc - norm.cdf(skill / np.sqrt(2))) < 0.02
            assert auc == pytest.approx(roc_auc_score(dense[:, c], plain[:, c]), abs=1e-9)
        if skill:
            assert roc_auc_score(dense.ravel(), own.ravel()) < (
                roc_auc_score(dense.ravel(), plain.ravel()) - 0.02
            )


def test_class_chances():
    for tail in (0.0, 0.7, 1.0, 2.0):
        chance = class_chances(10_000, 500, 60_000, tail=tail)
        assert chance.sum() * 10_000 == pytest.approx(60_000, rel=1e-9)
        assert (np.diff(chance) <= 0).all()
        assert chance.min() >= 5 / 10_000 - 1e-15
        assert chance.max() <= 0.9
    middle = class_chances(1_000_000, 100, 500_000, tail=1.0, smallest=0)
    np.testing.assert_allclose(middle * np.arange(1, 101), middle[0])  # 1 / rank


def test_heavy_tailed_sizes_are_those_asked_for():
    n, q, positives = 200_000, 300, 1_000_000
    y = simulate.heavy_tailed(n, q, positives, random_state=0)
    assert y.shape == (n, q)
    assert y.dtype == np.int32
    assert y.has_canonical_format
    assert (y.data == 1).all()
    assert abs(y.nnz - positives) < 6 * np.sqrt(positives)
    chance = class_chances(n, q, positives)
    sizes = np.bincount(y.indices, minlength=q)
    z = (sizes - n * chance) / np.sqrt(n * chance * (1 - chance))
    assert np.abs(z).max() < 5
    assert 0.8 < z.std() < 1.2
    # Rows are alike: sums of the first and the second half differ by luck only.
    halves = y[: n // 2].nnz - y[n // 2 :].nnz
    assert abs(halves) < 6 * np.sqrt(positives)


def test_blocks_are_the_matrix():
    settings = {"n_rows": 150_000, "n_classes": 40, "positives": 300_000, "random_state": 5}
    whole = simulate.heavy_tailed(**settings)
    blocks = list(simulate.heavy_tailed_blocks(**settings))
    assert [block.shape[0] for block in blocks] == [65536, 65536, 18928]
    assert (sp.vstack(blocks) != whole).nnz == 0
    assert (simulate.heavy_tailed(**settings) != whole).nnz == 0
    assert (simulate.heavy_tailed(**{**settings, "random_state": 6}) != whole).nnz > 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate.heavy_tailed(10, 10, 1),
        lambda: simulate.heavy_tailed(10, 10, 1000),
        lambda: simulate.heavy_tailed(0, 10, 10),
        lambda: simulate.proteome(5, 6),
        lambda: simulate.proteome(5, 0),
        lambda: simulate.proteome(5, 2, length=(9, 3)),
        lambda: simulate.proteome(5, 2, mutation=2),
        lambda: simulate.random_ontology(2, 3),
        lambda: simulate.classifier_scores([[1, 0]], skill=(2, 1)),
        lambda: simulate.classifier_scores(sp.csr_array((10**6, 10**6))),
        lambda: kmer_counts(["A"], k=9),
    ],
)
def test_bad_parameters(call):
    with pytest.raises(ValueError, match=r"must be|would take"):
        call()


@pytest.mark.parametrize(
    "wrong", [{"n_rows": 0}, {"n_classes": -1}, {"cardinality": -1.0}, {"cardinality": np.nan}]
)
def test_impossible_labels_are_refused(wrong):
    with pytest.raises(ValueError, match=r"of at least 1|from 0 to"):
        simulate.label_matrix(**wrong)


def test_negative_numbers_of_positives_are_refused():
    with pytest.raises(ValueError, match="'positives' parameter"):
        simulate.heavy_tailed(10, 5, -1000)


def test_letters_of_other_alphabets_count_for_the_length_only():
    np.testing.assert_array_equal(
        simulate.sequence_features(["ADλ"]), simulate.sequence_features(["ADX"])
    )


def test_a_tail_is_the_same_as_a_whole_number():
    """In whole numbers 500**25 is beyond 64 bits, and 500**-1 an error."""
    for tail in (2, 25, 50):
        tails = (tail, float(tail))
        whole, real = (simulate.label_matrix(50, 500, tail=t, random_state=0) for t in tails)
        assert (whole != real).nnz == 0


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (simulate.label_matrix, {"tail": 1e308}),
        (simulate.label_matrix, {"tail": -1}),
        (simulate.label_matrix, {"cardinality": 1e308}),
        (simulate.proteome, {"length": b"12"}),
        (simulate.proteome, {"length": (1, np.inf)}),
        (simulate.proteome, {"length": (1, 10**309)}),
    ],
)
def test_shapes_that_cannot_be_drawn(make, options):
    with pytest.raises(ParameterError, match=f"'{next(iter(options))}' parameter of"):
        make(**options, random_state=0)
