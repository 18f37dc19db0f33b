"""What trueval raises and warns about, shared by all rooms."""

import sys
import warnings

__all__ = ["InputError", "InputWarning", "RareClassWarning", "shown", "warn_user"]

# Frames of these packages are not the user's: a warning should point at none of them.
_NOT_THE_USER = ("trueval", "sklearn", "joblib")


class InputError(ValueError):
    """The data cannot be used as given; the message says what, where, and the fix."""


class InputWarning(UserWarning):
    """The data can be used but are doubtful; the message says how they are taken."""


class RareClassWarning(UserWarning):
    """Some classes have fewer members than there are parts, so parts must lack them."""


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's that led here, however deep in the library we are.

    Parameters
    ----------
    message : str
    category : type of Warning

    Examples
    --------
    >>> import warnings
    >>> from trueval.errors import warn_user
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     warn_user("doubtful", UserWarning)
    >>> str(seen[0].message)
    'doubtful'
    """
    # A fixed stacklevel is wrong as soon as a splitter is called through
    # cross_validate; skip_file_prefixes of warnings.warn needs Python 3.12.
    level = 2
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def shown(value: object, most: int = 80) -> str:
    """A value for a message: on one line, and cut if it is long.

    Parameters
    ----------
    value : object
    most : int, default=80
        Characters.

    Returns
    -------
    str

    Examples
    --------
    >>> from trueval.errors import shown
    >>> shown("five"), shown(list(range(100)), 20)
    ("'five'", '[0, 1, 2, 3, 4, 5, …')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 1] + "…"
