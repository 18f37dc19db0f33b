"""Constraints on parameters as data, and the one check that reads them.

A class carries ``_parameter_constraints``, a function gets them by :func:`constrained`;
both map a parameter to one constraint or to a tuple of alternatives. What is wrong is
always said in one form: *The 'x' parameter of f must be …. Got … instead.*
"""

import functools
import inspect
import math
import os
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from trueval.core.arrays import is_text
from trueval.core.errors import ParameterError

__all__ = [
    "BOOL",
    "CALLABLE",
    "NONE",
    "N_JOBS",
    "PATH",
    "RANDOM_STATE",
    "STRING",
    "Choice",
    "Instance",
    "Interval",
    "Many",
    "Methods",
    "Where",
    "check_params",
    "check_self",
    "constrained",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _fits(value: Any, kind: type) -> bool:
    """Whether a number is finite as NumPy and the kernels hold it: int64 or float64."""
    if kind is int:
        return -(2**63) <= int(value) < 2**63
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


@dataclass(frozen=True)
class Interval:
    """A whole number (``int``) or any number (``float``) between two bounds.

    >>> str(Interval(int, 2)), str(Interval(float, 0, 1, "right")), str(Interval(int, 1, 5))
    ('an int of at least 2', 'a number above 0 and at most 1', 'an int from 1 to 5')
    """

    kind: type
    low: float | None = None
    high: float | None = None
    closed: str = "both"

    def accepts(self, value: Any) -> bool:
        """Whether the value is in the interval; True and False are no numbers."""
        if not self._is_number(value) or not _fits(value, self.kind):
            return False
        x = int(value) if isinstance(value, Integral) else float(value)
        left, right = self.closed in ("both", "left"), self.closed in ("both", "right")
        above = self.low is None or (x >= self.low if left else x > self.low)
        below = self.high is None or (x <= self.high if right else x < self.high)
        return above and below

    def is_exceeded_by(self, value: Any) -> bool:
        """Whether a whole number is too large for 64 bits, and nothing else is wrong with it."""
        if not self._is_number(value) or not isinstance(value, Integral):
            return False
        end = self.high if int(value) > 0 else self.low
        return end is None and not _fits(value, self.kind)

    def _is_number(self, value: Any) -> bool:
        number = Integral if self.kind is int else Real
        return isinstance(value, number) and not isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        noun = "an int" if self.kind is int else "a number"
        if self.low is None and self.high is None:
            return noun
        if self.low is not None and self.high is not None and self.closed == "both":
            return f"{noun} from {self.low:.15g} to {self.high:.15g}"
        parts = []
        if self.low is not None:
            of = "of at least" if self.high is None else "from"
            parts.append(f"{of if self.closed in ('both', 'left') else 'above'} {self.low:.15g}")
        if self.high is not None:
            parts.append(
                f"{'at most' if self.closed in ('both', 'right') else 'below'} {self.high:.15g}"
            )
        return f"{noun} {' and '.join(parts)}"


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    options: Collection[Any]

    def accepts(self, value: Any) -> bool:
        """Whether the value is one of the options."""
        return any(isinstance(value, type(option)) and value == option for option in self.options)

    def __str__(self) -> str:
        return _any_of([repr(option) for option in self.options])


@dataclass(frozen=True)
class Instance:
    """An instance of a type."""

    types: type | tuple[type, ...]
    text: str

    def accepts(self, value: Any) -> bool:
        """Whether the value has the type."""
        return isinstance(value, self.types)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Methods:
    """An object with these methods."""

    names: tuple[str, ...]
    text: str

    def accepts(self, value: Any) -> bool:
        """Whether the object, not its class, has the methods."""
        if isinstance(value, type | str | bytes):  # text has a method split
            return False
        return all(hasattr(value, name) for name in self.names)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Where:
    """Anything that a function accepts."""

    test: Callable[[Any], bool]
    text: str

    def accepts(self, value: Any) -> bool:
        """Whether the test holds; one that cannot be made does not."""
        try:
            return bool(self.test(value))
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError):
            return False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Many:
    """A list, tuple or array of values that one constraint accepts; text is none.

    >>> numbers = Many(Interval(float, 0), "a list of numbers from 0")
    >>> numbers.accepts([0.5, 2]), numbers.accepts("12"), numbers.accepts(b"12")
    (True, False, False)
    """

    each: "Constraint"
    text: str
    least: int = 1
    ordered: bool = True  # whether a set is refused

    def accepts(self, value: Any) -> bool:
        """Whether there are enough values, and each is accepted."""
        if not isinstance(value, Collection) and not hasattr(value, "__array__"):
            return False
        if is_text(value) or isinstance(value, Mapping):
            return False
        if isinstance(value, AbstractSet) and self.ordered:
            return False
        try:
            values = list(value)
        except TypeError:  # an array without dimensions
            return False
        return len(values) >= self.least and all(map(self.each.accepts, values))

    def __str__(self) -> str:
        return self.text


Constraint = Interval | Choice | Instance | Many | Methods | Where
Constraints = Mapping[str, Constraint | tuple[Constraint, ...]]

NONE = Choice((None,))
BOOL = Instance((bool, np.bool_), "True or False")
STRING = Instance(str, "a string")
CALLABLE = Where(callable, "callable")
PATH = Instance((str, bytes, os.PathLike), "a path")
N_JOBS = (
    NONE,
    Where(
        lambda n: Interval(int, -(2**16), 2**16).accepts(n) and n != 0,
        "a number of threads up to 65,536",
    ),
)
RANDOM_STATE = Where(
    lambda state: (
        state is None
        or state is np.random
        or (isinstance(state, Integral) and not isinstance(state, bool) and int(state) >= 0)
        or isinstance(state, np.random.Generator | np.random.RandomState | np.random.SeedSequence)
    ),
    "None, an int from 0 to 2**32 - 1, a numpy.random.Generator or a numpy.random.RandomState",
)

#: Parameters that mean the same in every function that has them.
_USUAL: Constraints = {
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
    "progress": (NONE, CALLABLE),
}


def check_params(owner: str, values: Mapping[str, Any], constraints: Constraints) -> None:
    """Refuse the first value that none of its constraints accepts.

    >>> check_params("f", {"k": 0}, {"k": (Choice(("auto",)), Interval(int, 1))})
    Traceback (most recent call last):
    trueval.ParameterError: The 'k' parameter of f must be 'auto' or an int of at least
    1. Got 0 instead.
    """
    for name, value in values.items():
        allowed = constraints.get(name)
        if allowed is None:
            continue
        alternatives = allowed if isinstance(allowed, tuple) else (allowed,)
        if not any(constraint.accepts(value) for constraint in alternatives):
            expected = _any_of(list(map(str, alternatives)))
            if any(isinstance(c, Interval) and c.is_exceeded_by(value) for c in alternatives):
                expected += ", and fit in 64 bits"
            raise ParameterError(name, expected, value, owner)


def check_self(estimator: Any) -> None:
    """Check the parameters of an estimator or splitter by its ``_parameter_constraints``."""
    constraints: Constraints = estimator._parameter_constraints
    values = {name: getattr(estimator, name) for name in constraints}
    check_params(type(estimator).__name__, values, constraints)


def constrained(
    **constraints: Constraint | tuple[Constraint, ...],
) -> Callable[[_Function], _Function]:
    """Check the arguments of a function before it runs; defaults are taken as right.

    ``random_state``, ``n_jobs`` and ``progress`` are checked wherever a function has them.

    >>> @constrained(k=Interval(int, 1))
    ... def draw(k, random_state=None): ...
    >>> draw(2, random_state="x")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    trueval.ParameterError: The 'random_state' parameter of draw must be None, an int …
    """

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        usual = {name: _USUAL[name] for name in signature.parameters if name in _USUAL}
        every = usual | constraints
        owner = function.__name__

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            try:
                arguments = signature.bind(*args, **kwargs).arguments
            except TypeError:
                arguments = {}  # Python itself says best what is wrong with the call
            check_params(owner, arguments, every)
            return function(*args, **kwargs)

        checked.parameter_constraints = every  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


def _any_of(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"
