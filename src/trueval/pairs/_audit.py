"""``audit_pairs``: what a split of pairs really tests, whoever made it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary, as_numbers, as_rows
from trueval.core.clusters import cluster_codes
from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import constrained
from trueval.core.presentable import AX, Presentable, draw
from trueval.pairs._auc import auc
from trueval.pairs._baselines import degree_scores, identity_scores, object_aucs
from trueval.pairs._folding import SETTING
from trueval.pairs._settings import setting_name

__all__ = ["PairAudit", "PairLeakError", "audit_pairs", "roles_of"]

_ROLES = np.array(["BB", "AB", "AA"])


class PairLeakError(ValueError):
    """A split shows the model what it is tested on; the message says how."""


@dataclass(frozen=True, eq=False, repr=False)
class PairAudit(Presentable):
    """What a split of pairs tests.

    Attributes
    ----------
    counts : dict of str to int
        Test rows by how many of their members occur in training: all of them
        (``"AA"``), some (``"AB"``) or none (``"BB"``); Park and Marcotte's C1, C2
        and C3.
    roles : ndarray of str
        The same for each test row, in the order of ``test``.
    new_by_column : list of int
        Test rows whose member in this column does not occur in training: cold
        rows, cold columns.
    n_train, n_test : int
        Rows.
    n_objects_train, n_objects_test : int
        Objects on either side.
    shared_objects : list
        Ids of the objects on both sides.
    cluster_counts : dict of str to int, or None
        As ``counts``, a member counting as seen when its cluster is.
    n_shared_clusters : int or None
        Clusters on both sides.
    n_shared_rows : int
        Rows that are in train and in test.
    n_duplicates, n_mirrored : int
        Test rows whose pair also occurs in training in the same order, or only
        with the members exchanged.
    n_self : int
        Rows of either side with one object twice.
    only_positive, only_negative : list or None
        Objects that occur, on both sides together, in positives or in negatives
        only; None without y.
    n_conflicts : int or None
        Distinct pairs whose rows (replicates, mirror images) have both labels.
    n_leaked_conflicts : int or None
        Those of them that have a row on either side.
    identity_auc : float or None
        AUC of scoring each test row by its members' positive rates in training,
        without any features; None without y or with one class in test.
    identity_auc_by_role : dict of str to float
        The same among AA, AB and BB rows, where both classes are there.
    degree_auc : float or None
        AUC of scoring each test row by the product of its members' degrees, how many test
        rows each has, without features, labels or training. Far from one half, positives and
        negatives of the test set were chosen differently, and a model can score well by
        telling hubs.
    score_auc, object_auc : float or None
        AUC of the given scores over all test rows, and its mean over objects among the test
        rows of each (:func:`object_auc`), which degrees cannot raise.
    rewired_auc, rewired_object_auc : float or None
        The same of the scores of a model trained on rewired positives
        (:func:`rewire_pairs`).
    """

    counts: dict[str, int]
    roles: NDArray[np.str_]
    new_by_column: list[int]
    n_train: int
    n_test: int
    n_objects_train: int
    n_objects_test: int
    shared_objects: list[Any]
    cluster_counts: dict[str, int] | None
    n_shared_clusters: int | None
    n_shared_rows: int
    n_duplicates: int
    n_mirrored: int
    n_self: int
    only_positive: list[Any] | None
    only_negative: list[Any] | None
    n_conflicts: int | None
    n_leaked_conflicts: int | None
    identity_auc: float | None
    identity_auc_by_role: dict[str, float]
    degree_auc: float | None
    score_auc: float | None = None
    object_auc: float | None = None
    rewired_auc: float | None = None
    rewired_object_auc: float | None = None

    @property
    def n_shared_objects(self) -> int:
        """Objects on both sides."""
        return len(self.shared_objects)

    @property
    def n_leaked(self) -> int:
        """Test rows whose very pair occurs in training."""
        return self.n_duplicates + self.n_mirrored

    @property
    def setting(self) -> str:
        """The one setting that all test rows are of, or "mixed"."""
        occurring = [name for name, count in self.counts.items() if count]
        return occurring[0] if len(occurring) == 1 else "mixed"

    @constrained(setting=SETTING)
    def require(self, setting: str) -> "PairAudit":
        """Raise unless the split tests what it should.

        Parameters
        ----------
        setting : {"BB", "AB", "AA"}
            BB: no test row shares an object (or cluster) with training. AB: at
            most some members are shared. AA: no test pair occurs in training. C3,
            C2 and C1 mean the same.

        Returns
        -------
        PairAudit
            Itself.
        """
        setting = setting_name(setting)
        too_known = {"AA": (), "AB": ("AA",), "BB": ("AA", "AB")}[setting]
        bad = sum(self.counts[name] for name in too_known)
        by_cluster = 0
        if self.cluster_counts is not None:
            by_cluster = sum(self.cluster_counts[name] for name in too_known)
        problems = []
        if self.n_leaked:
            problems.append(f"{self.n_leaked:,} test pairs occur in training")
        if bad:
            problems.append(f"{bad:,} test pairs know more objects than {setting} allows")
        if by_cluster > bad:
            problems.append(f"{by_cluster:,} test pairs know more clusters than {setting} allows")
        if problems:
            raise PairLeakError(
                "; ".join(problems) + ". Split by objects (ObjectKFold) and train on the strict "
                "scheme, or report the settings apart."
            )
        return self

    @shared_sections(ax=AX)
    def plot(self, ax: Any = None) -> Any:
        """Draw the test rows by how many of their objects occur in training.

        {ax}

        Returns
        -------
        trueval.displays.PairAuditDisplay
        """
        return draw("PairAuditDisplay.from_audits", self, ax=ax)


@constrained(symmetric=SYMMETRIC)
def audit_pairs(
    pairs: Any,
    train: Any,
    test: Any,
    *,
    clusters: Any = None,
    y: Any = None,
    scores: Any = None,
    rewired: Any = None,
    symmetric: bool | Sequence[Any] = True,
) -> PairAudit:
    """Say what a split of pairs tests.

    Parameters
    ----------
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
        Object ids of each row, numbered once where they are ``Pairs`` or a ``PairIndex``. For a
        split that comes as two files, put one below
        the other.
    train, test : array-like of int, or boolean masks
        Rows of ``pairs`` on either side, each once; some may be on neither.
    clusters : mapping or array, optional
        Cluster of each object, ``{id: cluster}``; every object needs one.
    y : array-like of shape (n_rows,), optional
        Labels 0/1, -1/1 or bool; needed for the identity-only baseline, the
        objects of one class only and the conflicts.
    scores : array-like of shape (n_test,), optional
        What a model gave to the test rows, in the order of ``test``; needs y.
    rewired : array-like of shape (n_test,), optional
        The same of the model trained on the positives of training after
        :func:`rewire_pairs`. What it predicts comes from degrees.
    symmetric : bool or sequence, default=True
        Whether both columns hold objects of one kind; see :class:`ObjectKFold`.

    Returns
    -------
    PairAudit
        What train and test share; print it, or show it in a notebook.

    Examples
    --------
    >>> from trueval.pairs import audit_pairs
    >>> pairs = [("a", "b"), ("b", "c"), ("b", "a"), ("a", "d"), ("e", "f")]
    >>> audit = audit_pairs(pairs, train=[0, 1], test=[2, 3, 4])
    >>> audit.counts
    {'AA': 1, 'AB': 1, 'BB': 1}
    >>> audit.n_mirrored, audit.shared_objects
    (1, ['a', 'b'])
    """
    index = as_pairs(pairs, symmetric=symmetric)
    train = as_rows(train, index.n_rows, "train")
    test = as_rows(test, index.n_rows, "test")
    if not len(train) or not len(test):
        empty = "train" if not len(train) else "test"
        raise InputError(f"{empty} has no rows; an audit needs pairs on both sides.")

    seen, tested = (_marked(index.codes[side], index.n_objects) for side in (train, test))
    known = seen[index.codes[test]]
    roles = roles_of(known)

    cluster_counts = n_shared_clusters = None
    if clusters is not None:
        cluster = cluster_codes(clusters, index)
        seen_cluster = np.zeros(int(cluster.max()) + 1, dtype=bool)
        seen_cluster[cluster[seen]] = True
        cluster_counts = _count(roles_of(seen_cluster[cluster[index.codes[test]]]))
        n_shared_clusters = int(seen_cluster[np.unique(cluster[tested])].sum())

    in_train = _marked(index.pair_number[train], index.n_pairs)
    ordered = index.ordered_number
    same_order = np.zeros(int(ordered.max()) + 1, dtype=bool)
    same_order[ordered[train]] = True
    duplicate = same_order[ordered[test]]
    mirrored = in_train[index.pair_number[test]] & ~duplicate

    on_side = [_marked(side, index.n_rows) for side in (train, test)]
    sorted_codes = np.sort(index.codes[on_side[0] | on_side[1]], axis=1)
    labelled = {}
    if _given(y, index.n_rows):
        labelled = _label_facts(index, train, test, roles, as_binary(y))
    return PairAudit(
        counts=_count(roles),
        roles=roles,
        new_by_column=(~known).sum(axis=0).tolist(),
        n_train=len(train),
        n_test=len(test),
        n_objects_train=int(seen.sum()),
        n_objects_test=int(tested.sum()),
        shared_objects=[index.names[o] for o in np.flatnonzero(seen & tested)],
        cluster_counts=cluster_counts,
        n_shared_clusters=n_shared_clusters,
        n_shared_rows=int((on_side[0] & on_side[1]).sum()),
        n_duplicates=int(duplicate.sum()),
        n_mirrored=int(mirrored.sum()),
        n_self=int((sorted_codes[:, 1:] == sorted_codes[:, :-1]).any(axis=1).sum()),
        only_positive=labelled.get("only_positive"),
        only_negative=labelled.get("only_negative"),
        n_conflicts=labelled.get("n_conflicts"),
        n_leaked_conflicts=labelled.get("n_leaked_conflicts"),
        identity_auc=labelled.get("identity_auc"),
        identity_auc_by_role=labelled.get("by_role", {}),
        degree_auc=labelled.get("degree_auc"),
        **_score_facts(index, test, y, score=scores, rewired=rewired),
    )


# --- helpers ---------------------------------------------------------------------


def roles_of(known: NDArray[np.bool_]) -> NDArray[np.str_]:
    """AA, AB or BB of rows, by which of their members training has seen."""
    n = known.sum(axis=1)
    return _ROLES[np.where(n == known.shape[1], 2, np.minimum(n, 1))]


def _marked(numbers: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Mask of the numbers that occur."""
    mask = np.zeros(n, dtype=bool)
    mask[numbers.reshape(-1)] = True
    return mask


def _both_classes(labels: NDArray[np.bool_]) -> bool:
    return bool(labels.any() and not labels.all())


def _count(roles: NDArray[np.str_]) -> dict[str, int]:
    return {name: int((roles == name).sum()) for name in ("AA", "AB", "BB")}


def _given(y: Any, n_rows: int) -> bool:
    if y is None:
        return False
    if len(y) != n_rows:
        raise InputError(f"y has {len(y)} labels but pairs has {n_rows} rows.")
    return True


def _score_facts(
    index: PairIndex, test: NDArray[np.intp], y: Any, **scores: Any
) -> dict[str, float | None]:
    """AUC of scores over all test rows, and the mean of those of objects."""
    facts: dict[str, float | None] = {}
    for name, values in scores.items():
        if values is None:
            continue
        if y is None:
            raise InputError("scores are given without y.", fix="Give the labels too.")
        numbers, labels = as_numbers(values, "scores"), as_binary(y)[test]
        if numbers.shape != test.shape:
            raise InputError(
                f"scores have shape {numbers.shape} but there are {len(test):,} test rows."
            )
        by_object = object_aucs(index, test, labels, numbers)[-1]
        both = _both_classes(labels)
        facts[f"{name}_auc"] = auc(labels, numbers) if both else None
        of_objects = float(by_object.mean()) if len(by_object) else None
        facts["object_auc" if name == "score" else f"{name}_object_auc"] = of_objects
    return facts


def _label_facts(
    index: PairIndex,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    roles: NDArray[np.str_],
    y: NDArray[np.bool_],
) -> dict[str, Any]:
    either = np.flatnonzero(_marked(train, index.n_rows) | _marked(test, index.n_rows))
    has = np.zeros((2, index.n_objects), dtype=bool)
    pair_has = np.zeros((2, index.n_pairs), dtype=bool)
    side = np.zeros((2, index.n_pairs), dtype=bool)
    for label in (0, 1):
        rows = either[y[either] == bool(label)]
        has[label][index.codes[rows].reshape(-1)] = True
        pair_has[label][index.pair_number[rows]] = True
    side[0][index.pair_number[train]] = True
    side[1][index.pair_number[test]] = True
    conflict = pair_has[0] & pair_has[1]
    scores = identity_scores(index, y, train, test)
    both = _both_classes(y[test])
    by_role = {}
    for name in ("AA", "AB", "BB"):
        mine = roles == name
        if _both_classes(y[test][mine]):
            by_role[name] = auc(y[test][mine], scores[mine])
    return {
        "only_positive": [index.names[o] for o in np.flatnonzero(has[1] & ~has[0])],
        "only_negative": [index.names[o] for o in np.flatnonzero(has[0] & ~has[1])],
        "n_conflicts": int(conflict.sum()),
        "n_leaked_conflicts": int((conflict & side[0] & side[1]).sum()),
        "identity_auc": auc(y[test], scores) if both else None,
        "degree_auc": auc(y[test], degree_scores(index, test)) if both else None,
        "by_role": by_role,
    }
