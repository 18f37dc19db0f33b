"""A simulated proteome: ontology, protein families, sequences, annotations, scores.

Families descend from random ancestors by mutation, members from members, so that
sequences of a family are alike, more so within a branch. Function follows descent:
a family has terms, a branch may lose one or gain a more specific one. What a real
study has to find out is known here. For many proteins with flat terms and no descent
within a family, made at once, see ``simulate_families.py``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import BOOL, Interval, Many, Where, constrained
from trueval.core.random import as_generator
from trueval.data._sequence_features import AMINO_ACIDS
from trueval.data.ontology import Ontology
from trueval.data.simulate._sequences import heavy_tail, kmer_counts

__all__ = ["Proteome", "classifier_scores", "proteome", "random_ontology"]

MAX_CELLS = 200_000_000


_SHARE = Interval(float, 0, 1)


_TWO = Many(Interval(float), "two numbers")


def _is_range(low: float) -> Where:
    return Where(
        lambda two: _TWO.accepts(two) and len(two) == 2 and low <= two[0] <= two[1],
        f"two numbers, {low} <= least <= greatest",
    )


@constrained(
    n_terms=Interval(int, 1),
    n_namespaces=Interval(int, 1),
    part_of=_SHARE,
    second_parent=_SHARE,
)
def random_ontology(
    n_terms: int = 300,
    n_namespaces: int = 3,
    *,
    part_of: float = 0.15,
    second_parent: float = 0.25,
    random_state: Any = None,
) -> Ontology:
    """Make a random ontology: one root for each namespace, no cycles.

    Parameters
    ----------
    n_terms : int, default=300
        Roots included.
    n_namespaces : int, default=3
    part_of : float, default=0.15
        Chance of an edge to be part_of; the others are is_a.
    second_parent : float, default=0.25
        Chance of a term to have a second parent, of any namespace.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    Ontology
        Terms ``SIM:0000000`` and so on; parents come before children.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> ontology = simulate.random_ontology(50, random_state=0)
    >>> len(ontology), ontology.cycles(None)
    (50, [])
    """
    if n_namespaces > n_terms:
        expected = f"at least n_namespaces={n_namespaces}"
        raise ParameterError("n_terms", expected, n_terms, "random_ontology")
    generator = as_generator(random_state)
    terms = [f"SIM:{i:07d}" for i in range(n_terms)]
    space = [
        i if i < n_namespaces else int(generator.integers(n_namespaces)) for i in range(n_terms)
    ]
    members: list[list[int]] = [[i] for i in range(n_namespaces)]
    edges = []
    for i in range(n_namespaces, n_terms):
        peers = members[space[i]]
        # Early terms are chosen more often: a broad top and branches of unequal depth.
        parents = {peers[int(len(peers) * generator.random() ** 1.5)]}
        if generator.random() < second_parent:
            parents.add(int(generator.integers(i)))
        for parent in sorted(parents):
            relation = "part_of" if generator.random() < part_of else "is_a"
            edges.append((terms[i], terms[parent], relation))
        peers.append(i)
    return Ontology(
        terms,
        edges,
        names=[f"simulated term {i}" for i in range(n_terms)],
        namespaces=[f"namespace {s}" for s in space],
    )


@dataclass(frozen=True, eq=False)
class Proteome:
    """A simulated proteome, as :func:`proteome` makes it.

    Attributes
    ----------
    ids : ndarray of str
    sequences : list of str
    family : ndarray of int
        Family of each protein: the groups a fair split keeps together.
    parent : ndarray of int
        Protein each one descends from; -1 for the first of a family.
    ontology : Ontology
    direct, labels : Labels
        Annotations as given, and with all ancestors; same columns.
    features : scipy.sparse.csr_array of float
        Shares of pairs of adjacent amino acids.
    """

    ids: NDArray[Any]
    sequences: list[str]
    family: NDArray[np.int64]
    parent: NDArray[np.int64]
    ontology: Ontology
    direct: Labels
    labels: Labels
    features: sp.csr_array

    def __repr__(self) -> str:
        return (
            f"Proteome({len(self.ids):,} proteins of {self.family.max() + 1:,} families, "
            f"{self.labels.n_classes:,} terms, {self.labels.nnz:,} annotations)"
        )


@constrained(
    n_proteins=Interval(int, 1),
    n_families=Interval(int, 1),
    n_terms=Interval(int, 1),
    length=_is_range(1),
    mutation=_SHARE,
    change=_SHARE,
)
def proteome(
    n_proteins: int = 500,
    n_families: int = 40,
    n_terms: int = 300,
    *,
    length: tuple[int, int] = (80, 300),
    mutation: float = 0.1,
    change: float = 0.15,
    random_state: Any = None,
) -> Proteome:
    """Simulate protein families with sequences and GO-like annotations.

    Parameters
    ----------
    n_proteins, n_families, n_terms : int
        Family sizes are heavy-tailed; each family has at least one protein.
    length : (int, int), default=(80, 300)
        Shortest and longest ancestor.
    mutation : float, default=0.1
        Share of residues substituted from a protein to its descendant; insertions
        and deletions happen at a tenth of that.
    change : float, default=0.15
        Chance that a descendant loses a term, and that it gains a more specific one.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    Proteome
        Sequences with the annotations that their families share.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> p = simulate.proteome(200, 20, 100, random_state=0)
    >>> len(p.sequences), p.features.shape, int(p.family.max())
    (200, (200, 400), 19)
    """
    if n_families > n_proteins:
        expected = f"from 1 to n_proteins={n_proteins}"
        raise ParameterError("n_families", expected, n_families, "proteome")
    generator = as_generator(random_state)
    ontology = random_ontology(n_terms, min(3, n_terms), random_state=generator)
    family = _families(n_proteins, n_families, generator)
    children = _children(ontology)
    n_roots = min(3, n_terms)
    parent = np.full(n_proteins, -1, dtype=np.int64)
    chains: list[NDArray[np.int64]] = []
    terms: list[set[int]] = []
    members: list[list[int]] = [[] for _ in range(n_families)]
    for protein, number in enumerate(family.tolist()):
        if not members[number]:
            size = int(generator.integers(length[0], length[1] + 1))
            chains.append(generator.integers(len(AMINO_ACIDS), size=size))
            terms.append(_family_terms(n_terms, n_roots, generator))
        else:
            parent[protein] = members[number][int(generator.integers(len(members[number])))]
            chains.append(_mutate(chains[parent[protein]], mutation, generator))
            terms.append(_drift(terms[parent[protein]], children, change, generator))
        members[number].append(protein)
    sequences = ["".join(AMINO_ACIDS[a] for a in chain.tolist()) for chain in chains]
    ids = np.array([f"P{i:06d}" for i in range(n_proteins)])
    rows = np.repeat(np.arange(n_proteins), [len(t) for t in terms])
    columns = np.array([t for chosen in terms for t in sorted(chosen)], dtype=np.int64)
    ones = np.ones(len(rows), dtype=np.int32)
    matrix = sp.csr_array((ones, (rows, columns)), shape=(n_proteins, n_terms))
    direct = Labels(matrix, ontology.terms, ids)
    labels = ontology.propagate(direct)
    return Proteome(
        ids, sequences, family, parent, ontology, direct, labels, kmer_counts(sequences)
    )


def _families(n: int, n_families: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Family of each protein: every family once, then by a heavy tail, mixed."""
    rest = generator.choice(n_families, size=n - n_families, p=heavy_tail(n_families))
    return generator.permutation(np.concatenate([np.arange(n_families), rest])).astype(np.int64)


def _family_terms(n_terms: int, n_roots: int, generator: np.random.Generator) -> set[int]:
    """Terms of the first of a family: some that are no roots, if there are such."""
    count = 1 + int(generator.poisson(1.5))
    first = n_roots if n_terms > n_roots else 0
    return {int(term) for term in generator.integers(first, n_terms, size=count)}


def _children(ontology: Ontology) -> list[list[int]]:
    place = {term: i for i, term in enumerate(ontology.terms.tolist())}
    children: list[list[int]] = [[] for _ in place]
    for child, above, _ in ontology.edges:
        children[place[above]].append(place[child])
    return children


def _mutate(
    chain: NDArray[np.int64], rate: float, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Substitutions at the rate, insertions and deletions at a tenth of it."""
    new = chain.copy()
    hit = generator.random(len(new)) < rate
    # A step of 1 to 19 round the alphabet is always another residue.
    new[hit] = (new[hit] + generator.integers(1, 20, size=int(hit.sum()))) % 20
    lost = generator.random(len(new)) < rate / 10
    if not lost.all():
        new = new[~lost]
    places = np.flatnonzero(generator.random(len(new)) < rate / 10)
    return np.insert(new, places, generator.integers(20, size=len(places)))


def _drift(
    parent: set[int], children: list[list[int]], change: float, generator: np.random.Generator
) -> set[int]:
    """Terms of a descendant: perhaps one fewer, perhaps one made more specific."""
    terms = sorted(parent)
    if len(terms) > 1 and generator.random() < change:
        terms.pop(int(generator.integers(len(terms))))
    if generator.random() < change:
        at = int(generator.integers(len(terms)))
        below = children[terms[at]]
        if below:
            terms[at] = below[int(generator.integers(len(below)))]
    return set(terms)


@constrained(skill=_is_range(0), comparable=BOOL)
def classifier_scores(
    y: Any,
    *,
    skill: tuple[float, float] = (0.5, 3.0),
    comparable: bool = False,
    random_state: Any = None,
) -> NDArray[np.float64]:
    """Scores of imperfect binary classifiers, one for each class.

    Members of a class score higher than others by its skill, in standard
    deviations; skills differ between classes. Unless ``comparable``, every class has
    a location and scale of its own, as separately trained classifiers have, so that
    scores of two classes do not mean the same.

    Parameters
    ----------
    y : labels, as :func:`trueval.as_labels` takes them
    skill : (float, float), default=(0.5, 3.0)
        Least and greatest distance between members and others.
    comparable : bool, default=False
    random_state : None, int, Generator or RandomState

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        From 0 to 1.

    Examples
    --------
    >>> from trueval.data import simulate
    >>> scores = simulate.classifier_scores([[1, 0], [0, 1], [1, 1]], random_state=0)
    >>> scores.shape, bool((scores > 0).all() and (scores < 1).all())
    ((3, 2), True)
    """
    labels = as_labels(y)
    n, q = labels.shape
    if n * q > MAX_CELLS:
        raise InputError(
            f"{n:,} × {q:,} scores would take {8 * n * q:,} bytes; at most {8 * MAX_CELLS:,} are "
            "made.",
            fix="Take fewer rows or classes.",
        )
    generator = as_generator(random_state)
    strength = generator.uniform(skill[0], skill[1], size=q)
    margin = generator.standard_normal((n, q))
    rows = np.repeat(np.arange(n), np.diff(labels.matrix.indptr))
    margin[rows, labels.matrix.indices] += strength[labels.matrix.indices]
    if not comparable:
        margin *= generator.uniform(0.3, 2.0, size=q)
        margin += generator.normal(-1.0, 1.0, size=q)
    return 1.0 / (1.0 + np.exp(-margin))
