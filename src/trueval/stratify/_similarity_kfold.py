"""``MultilabelStratifiedSimilarityKFold``: folds without similar rows on both sides."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputError
from trueval.core.params import Constraints
from trueval.stratify._folds import stratified_folds
from trueval.stratify._similar import LEAK_OPTIONS
from trueval.stratify._splitters import (
    DATA,
    METHOD_OPTIONS,
    SPLIT,
    MultilabelSplitter,
    each_as_test,
)

__all__ = ["MultilabelStratifiedSimilarityKFold"]


@shared_sections(options=METHOD_OPTIONS)
@dataclass(eq=False, repr=False)
class MultilabelStratifiedSimilarityKFold(MultilabelSplitter):
    """K-fold cross-validation that keeps similar rows together and classes balanced.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    threshold : float or None
        Least similarity of rows that stay together; None for all edges of the graph.
    oversized : {"drop", "cut"}, default="drop"
        What happens to a component of similar rows that fits into no fold; see
        :func:`~trueval.stratify.stratified_folds`. Rows that are dropped are neither trained on
        nor tested.
    tolerance : float, default=0.05
        How much larger than wanted a fold may be before a component does not fit.
    method : {"anneal", "random"}, default="anneal"
    {options}

    Examples
    --------
    >>> from trueval import MultilabelStratifiedSimilarityKFold
    >>> from trueval.data import Similarity, simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> graph = Similarity.from_edges(range(0, 499, 3), range(1, 500, 3), n_rows=500)
    >>> cv = MultilabelStratifiedSimilarityKFold(5, threshold=0.3, random_state=0)
    >>> for train, test in cv.split(y=y, similarity=graph):
    ...     assert graph.matrix[train][:, test].nnz == 0
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SPLIT,
        **{name: LEAK_OPTIONS[name] for name in ("threshold", "oversized", "tolerance")},
    }
    # scikit-learn's metadata routing: this splitter asks for the similarity.
    __metadata_request__split = {"similarity": True}  # noqa: RUF012

    n_splits: int = 5
    threshold: float | None = field(kw_only=True)
    oversized: str = field(default="drop", kw_only=True)
    tolerance: float = field(default=0.05, kw_only=True)

    @shared_sections(data=DATA)
    def split(
        self, X: Any = None, y: Any = None, groups: Any = None, *, similarity: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Generate train and test indices.

        Parameters
        ----------
        {data}
        groups : array-like of shape (n_rows,), optional
            Rows of one group stay together as well.
        similarity : Similarity, sparse matrix or list of edges
            Similar rows, as in :func:`~trueval.stratify.stratified_folds`.

        Yields
        ------
        train, test : ndarray of int
        """
        labels = self._labels(X, y)
        if similarity is None:
            raise InputError(
                "MultilabelStratifiedSimilarityKFold.split needs the similarity of rows.",
                fix=Fix("Pass {} to what calls it.", "similarity"),
            )
        options = dict(self.method_params or {})
        if groups is not None:
            options["groups"] = groups
        folds = stratified_folds(
            labels,
            int(self.n_splits),
            method=self.method,
            similarity=similarity,
            threshold=self.threshold,
            oversized=self.oversized,
            tolerance=self.tolerance,
            random_state=self.random_state,
            **options,
        )
        yield from each_as_test(folds, int(self.n_splits))
