"""The split methods, one record each: read by the library, the command line, tests and docs.

Listing them imports neither NumPy nor the methods themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from trueval.core.lazy import load

__all__ = ["METHODS", "Method", "methods_that_take"]


@dataclass(frozen=True)
class Method:
    """A split method: ``method(labels, parts, *, random_state, …)`` gives part numbers."""

    name: str  # what ``method=`` takes
    path: str  # module and function, as ``"module:function"``
    summary: str  # what the method does, in one line
    # time, memory: Cost for n rows, q classes, k parts and P positives
    time: str
    memory: str
    takes: tuple[str, ...] = ()  # options of the function besides ``random_state``
    # Whether parts have the sizes that were asked for (without groups or fixed rows)
    exact_sizes: bool = False
    balances_classes: bool = True  # whether classes are balanced better than by chance
    # Whether splitters that draw several splits do so from one ``RandomState``, as the package that
    # the method reproduces does
    legacy_stream: bool = False

    @property
    def function(self) -> Any:
        """The function, imported on first use."""
        return load(self.path)

    def __call__(self, labels: Any, parts: Any, **options: Any) -> Any:
        """Part number of each row."""
        return self.function(labels, parts, **options)


_ALL = (
    Method(
        "anneal",
        "trueval.stratify.anneal:anneal_folds",
        "the default: simulated annealing of rLD, DCP, LD or LPD; exact sizes, groups, fixed rows",
        "O(sweeps · P · k / lanes)",
        "O(P + q·k)",
        takes=(
            "groups",
            "fixed",
            "initial",
            "similarity",
            "cut_weight",
            "measure",
            "effort",
            "seconds",
            "cover",
            "n_starts",
            "n_jobs",
            "progress",
        ),
        exact_sizes=True,
    ),
    Method(
        "optisplit",
        "trueval.stratify.optisplit:optisplit_folds",
        "OptiSplit, Algorithm 1 of Tiittanen and others 2022",
        "O(epochs · q · (positives of a class + k))",
        "O(P + q·k)",
        takes=("measure", "max_epochs", "row_choice", "initial", "progress"),
    ),
    Method(
        "iterative",
        "trueval.stratify.iterative:iterative_folds",
        "iterative stratification (IS), Sechidis and others 2011",
        "O(P + small classes · log)",
        "O(P + q·k)",
        takes=("shuffle",),
        legacy_stream=True,
    ),
    Method(
        "iterative2",
        "trueval.stratify.iterative:iterative2_folds",
        "iterative stratification of label pairs or sets (SOIS), Szymański and Kajdanowicz 2017",
        "O(label pairs)",
        "O(label pairs)",
        takes=("shuffle", "order", "max_pairs"),
        legacy_stream=True,
    ),
    Method(
        "sampling",
        "trueval.stratify.sampling:sampling_folds",
        "stratified sampling (SS), Merrillees and Du 2021",
        "O(k · epochs · P)",
        "O(P)",
        takes=("swap_probability", "threshold_proportion", "decay", "epochs", "progress"),
    ),
    Method(
        "evosplit",
        "trueval.stratify.evosplit:evosplit_folds",
        "a genetic algorithm (EvoSplit), Florez-Revuelta 2021; exact sizes",
        "O(generations · population · P)",
        "O(P + population · n)",
        takes=("measure", "population", "generations", "patience", "progress"),
        exact_sizes=True,
    ),
    Method(
        "pmbsrs",
        "trueval.stratify.pmbsrs:pmbsrs_folds",
        "strata of rows with similar label frequencies, Charte and others 2016",
        "O(P + n log n)",
        "O(P)",
        exact_sizes=True,
        balances_classes=False,
    ),
    Method(
        "random",
        "trueval.stratify.random:random_folds",
        "ignores the labels; the baseline",
        "O(n)",
        "O(n)",
        takes=("groups",),
        exact_sizes=True,
        balances_classes=False,
    ),
)

#: Every method by name; a record is called as its function is.
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})


def methods_that_take(option: str) -> tuple[str, ...]:
    """Names of the methods with this option.

    >>> methods_that_take("groups")
    ('anneal', 'random')
    """
    return tuple(name for name, method in METHODS.items() if option in method.takes)
