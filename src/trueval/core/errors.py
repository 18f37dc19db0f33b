"""What trueval raises and warns about, as data: the problem, its place, the fix.

A message for people is put together from these fields, in one place. The command
line reads the same fields: it spells a parameter to pass as its option, and hands
errors out as JSON.
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

__all__ = [
    "Fix",
    "InputError",
    "InputWarning",
    "MissingExtra",
    "ParameterError",
    "Place",
    "RareClassWarning",
    "exact",
    "need_extra",
    "quote",
    "quote_names",
    "shorten",
    "warn_user",
]

# Frames of these packages are not the user's: a warning should point at none of them.
_NOT_THE_USER = ("trueval", "sklearn", "joblib")


def shorten(text: str, limit: int = 60) -> str:
    """Text for a message, cut where it is long."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quote(value: object, limit: int = 80) -> str:
    """A value for a message: its ``repr`` on one line, cut where it is long.

    >>> quote("five"), quote(list(range(100)), 20)
    ("'five'", '[0, 1, 2, 3, 4, 5, …')
    """
    if isinstance(value, str):
        return repr(shorten(value, limit))
    try:
        text = repr(value)
    except ValueError:  # Python does not write integers of more than 4,300 digits
        text = f"<{type(value).__name__}>"
    return shorten(" ".join(text.split()), limit)


def quote_names(names: Sequence[object], most: int = 5) -> str:
    """The first names for a message, and how many follow.

    >>> quote_names(["a", 2]), quote_names("abcdefgh", 2)
    ("'a', 2", "'a', 'b' and 6 others")
    """
    others = len(names) - most
    more = f" and {others:,} others" if others > 0 else ""
    return ", ".join(quote(name, 40) for name in names[:most]) + more


def exact(value: float) -> str:
    """A number for a message, short where that is the number itself.

    >>> exact(2.0), exact(0.1), exact(1.0000001)
    ('2', '0.1', '1.0000001')
    """
    short = f"{value:g}"
    return short if float(short) == value or value != value else repr(float(value))


@dataclass(frozen=True)
class Place:
    """Where in the data something is wrong; rows count from 0, lines from 1.

    Attributes
    ----------
    file : str or None
    line, row : int or None
    column : str, int or None
        Name or number of a column.
    """

    file: str | None = None
    line: int | None = None
    row: int | None = None
    column: str | int | None = None

    def __str__(self) -> str:
        parts = [] if self.file is None else [self.file]
        parts += [
            f"{name} {value if isinstance(value, int) else quote(value, 60)}"
            for name, value in (("line", self.line), ("row", self.row), ("column", self.column))
            if value is not None
        ]
        return ", ".join(parts)


def as_argument(parameter: str, value: Any) -> str:
    """How Python spells a parameter to pass: ``header=True``, or ``header=`` for any value."""
    return f"{parameter}=" if value is None else f"{parameter}={value!r}"


@dataclass(frozen=True)
class Fix:
    """What to do about it.

    Attributes
    ----------
    text : str
        A sentence, with ``{}`` where a parameter to pass is named.
    parameter : str or None
        The parameter of the library that mends it.
    value : object
        What to pass; None leaves it to the user.
    more : tuple of (str, object)
        Parameters and values of further ``{}``.
    """

    text: str
    parameter: str | None = None
    value: Any = None
    more: tuple[tuple[str, Any], ...] = ()

    def sentence(self, spell: Callable[[str, Any], str] = as_argument) -> str:
        """The text, with parameters as ``spell`` writes them."""
        if self.parameter is None:
            return self.text
        done, rest = "", self.text
        for name, value in ((self.parameter, self.value), *self.more):
            before, _, rest = rest.partition("{}")
            done += before + spell(name, value)
        return done + rest


class _Notice(Exception):  # noqa: N818, of errors and warnings alike
    """A problem, its place and the fix; ``str()`` reads them one after the other."""

    def __init__(
        self,
        problem: str,
        *,
        place: Place | None = None,
        fix: Fix | str | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place
        self.fix = Fix(fix) if isinstance(fix, str) else fix
        self.parameter = parameter

    def message(self, spell: Callable[[str, Any], str] = as_argument) -> str:
        """The whole message, with parameters of the fix as ``spell`` writes them."""
        where = "" if self.place is None else f"{self.place}: "
        fix = "" if self.fix is None else f" {self.fix.sentence(spell)}"
        return f"{where}{self.problem}{fix}"

    def __str__(self) -> str:
        return self.message()

    def in_file(self, file: str) -> "_Notice":
        """The same, said of a file; as it is where it names one already."""
        if self.place is not None and self.place.file is not None:
            return self
        place = replace(self.place or Place(), file=file)
        return type(self)(self.problem, place=place, fix=self.fix, parameter=self.parameter)

    def to_dict(self, spell: Callable[[str, Any], str] = as_argument) -> dict[str, Any]:
        """The fields, as JSON can hold them."""
        place, fix = self.place, self.fix
        return {
            "type": type(self).__name__,
            "message": self.message(spell),
            "problem": self.problem,
            "place": None if place is None else dict(vars(place)),
            "fix": None
            if fix is None
            else {
                "text": fix.sentence(spell),
                "parameter": fix.parameter,
                "value": _plain(fix.value),
                "more": [{"parameter": name, "value": _plain(value)} for name, value in fix.more],
            },
            "parameter": self.parameter,
        }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


class InputError(_Notice, ValueError):
    """The data cannot be used: what is wrong, where, and the fix.

    Parameters
    ----------
    problem : str
        One or more sentences, with the value that is wrong.
    place : Place, optional
        File, line, row, column.
    fix : Fix or str, optional
        What to do, with the parameter to pass if there is one.
    parameter : str, optional
        The parameter whose value the data contradict, such as a column that is not there.

    Examples
    --------
    >>> from trueval.core.errors import Fix, InputError, Place
    >>> error = InputError(
    ...     "byte 0xe9 is not utf-8.",
    ...     place=Place("labels.csv", line=3),
    ...     fix=Fix("Pass {}, or save the file as UTF-8.", "encoding", "latin-1"),
    ... )
    >>> print(error)
    labels.csv, line 3: byte 0xe9 is not utf-8. Pass encoding='latin-1', or save the file as UTF-8.
    >>> error.place.line, error.fix.parameter, error.fix.value
    (3, 'encoding', 'latin-1')
    """


class InputWarning(_Notice, UserWarning):
    """The data can be used but are doubtful; the message says how they are taken."""


class RareClassWarning(UserWarning):
    """Some classes have fewer positives than there are parts, so parts must lack them."""


class ParameterError(ValueError, TypeError):
    """A parameter has a value it cannot have; a ``TypeError`` too, as scikit-learn's is.

    Parameters
    ----------
    name : str
        The parameter.
    expected : str
        What it must be, to follow "must be".
    got : object
        What it was.
    owner : str, optional
        The function or class it belongs to.
    beside : tuple of (str, object), optional
        Another parameter and its value, which stand where ``expected`` has ``{}``.

    Examples
    --------
    >>> from trueval.core.errors import ParameterError
    >>> print(ParameterError("effort", "a number of at least 0", -1, "stratified_folds"))
    The 'effort' parameter of stratified_folds must be a number of at least 0. Got -1 instead.
    """

    def __init__(
        self,
        name: str,
        expected: str,
        got: Any,
        owner: str = "",
        beside: tuple[str, Any] | None = None,
    ) -> None:
        super().__init__(name, expected, got, owner, beside)
        self.name, self.got, self.owner = name, got, owner
        self.wording, self.beside = expected, beside

    @property
    def expected(self) -> str:
        """What it must be."""
        if self.beside is None:
            return self.wording
        return self.wording.replace("{}", as_argument(*self.beside))

    def __str__(self) -> str:
        of = f" of {self.owner}" if self.owner else ""
        got = quote(self.got)
        return f"The '{self.name}' parameter{of} must be {self.expected}. Got {got} instead."

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON can hold them."""
        return {
            "type": type(self).__name__,
            "message": str(self),
            "parameter": self.name,
            "expected": self.expected,
            "got": quote(self.got),
            "owner": self.owner or None,
        }


class MissingExtra(ImportError):  # noqa: N818, an ImportError by another name
    """An optional dependency is not installed.

    Attributes
    ----------
    extra : str
        The extra of trueval that brings it.
    """

    def __init__(self, what: str, module: str, extra: str) -> None:
        super().__init__(f'{what} needs {module}: pip install "trueval[{extra}]"', name=module)
        self.what, self.extra = what, extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.name, self.extra)

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON can hold them."""
        fields = {"message": str(self), "module": self.name, "extra": self.extra}
        return {"type": type(self).__name__, **fields}


def need_extra(module: str, extra: str, what: str) -> Any:
    """Import an optional module, or say which extra brings it; ``what`` begins the message.

    >>> need_extra("no_such_module", "parquet", "Parquet")
    Traceback (most recent call last):
    trueval.MissingExtra: Parquet needs no_such_module: pip install "trueval[parquet]"
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(what, module.partition(".")[0], extra) from None


def warn_user(
    problem: str,
    category: type[Warning],
    *,
    place: Place | None = None,
    fix: Fix | str | None = None,
) -> None:
    """Warn at the line of the user's that led here, however deep in the library we are."""
    if issubclass(category, InputWarning):
        message: Warning = category(problem, place=place, fix=fix)
    else:
        message = category(problem)
    # A fixed stacklevel is wrong as soon as a splitter is called through
    # cross_validate; skip_file_prefixes of warnings.warn needs Python 3.12.
    level = 2
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame = frame.f_back
        level += 1
    warnings.warn(message, stacklevel=level)


# Where users find them, so that tracebacks and doctests read trueval.InputError.
for _public in (InputError, InputWarning, RareClassWarning, ParameterError, MissingExtra):
    _public.__module__ = "trueval"
