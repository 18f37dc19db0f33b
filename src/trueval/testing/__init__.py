"""``check_splitter``: every invariant a multi-label splitter should hold, as checks.

scikit-learn has ``check_estimator``; nobody had the like for splitters. Each check
is a function of the splitter that raises ``AssertionError`` when the invariant is
broken. Run them all with :func:`check_splitter`, or one by one in a parametrised
test with :func:`splitter_checks`.

>>> from trueval import MultilabelStratifiedKFold
>>> from trueval.testing import check_splitter
>>> len(check_splitter(MultilabelStratifiedKFold(3, random_state=0))) > 25
True
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trueval.testing import _form, _input, _quality, _randomness, _sklearn

__all__ = ["check_splitter", "splitter_checks"]

_Check = Callable[[Any], None]

#: Every function of these modules that is called check_…, in this order.
_CHECKS: dict[str, _Check] = {
    name: check
    for module in (_form, _randomness, _input, _quality, _sklearn)
    for name, check in vars(module).items()
    if name.startswith("check_")
}


def check_splitter(
    splitter: Any, *, expected_failures: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Run every check over a splitter.

    Parameters
    ----------
    splitter : object with ``split(X, y, groups)`` and ``get_n_splits``
        Make it with an integer ``random_state``. It is copied, not changed. A
        splitter that asks for groups by scikit-learn's metadata request gets
        them.
    expected_failures : mapping of str to str, optional
        Names of checks that are known to fail, with the reason. One that passes
        after all is an error, so that the list stays true.

    Returns
    -------
    dict of str to str
        ``"passed"`` or ``"failed as expected: …"`` for each check.

    Raises
    ------
    AssertionError
        Naming the first check that failed.

    Examples
    --------
    >>> from trueval import MultilabelStratifiedKFold
    >>> from trueval.testing import check_splitter
    >>> cv = MultilabelStratifiedKFold(4, method="random", random_state=0)
    >>> reasons = {
    ...     "check_better_than_random": "it is random",
    ...     "check_classes_in_every_test_set": "it is random",
    ... }
    >>> check_splitter(cv, expected_failures=reasons)["check_better_than_random"]
    'failed as expected: it is random'
    """
    if isinstance(splitter, type) or not hasattr(splitter, "split"):
        raise TypeError(
            f"check_splitter takes a splitter, an object with split. Got {splitter!r} instead."
        )
    expected = dict(expected_failures or {})
    if unknown := set(expected) - set(_CHECKS):
        raise ValueError(f"expected_failures names checks that do not exist: {sorted(unknown)}")
    results = {}
    for name, check in splitter_checks():
        try:
            check(splitter)
        except Exception as error:  # whatever a foreign splitter raises is a failed check
            if name not in expected:
                raise AssertionError(f"{name} failed for {splitter!r}: {error}") from error
            results[name] = f"failed as expected: {expected[name]}"
        else:
            if name in expected:
                raise AssertionError(f"{name} was expected to fail for {splitter!r} but passed")
            results[name] = "passed"
    return results


def splitter_checks() -> Iterator[tuple[str, _Check]]:
    """Yield the name and function of every check, for parametrised tests.

    Yields
    ------
    name : str
    check : callable
        ``check(splitter)`` raises AssertionError where the invariant is broken.

    Examples
    --------
    >>> from trueval.testing import splitter_checks
    >>> "check_groups_stay_together" in dict(splitter_checks())
    True
    """
    yield from _CHECKS.items()
