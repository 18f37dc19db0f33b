"""Parameters of the library as options: the one table, and messages that use it."""

import shlex
from collections.abc import Callable

import click

from trueval.cli.types import Function
from trueval.core.errors import InputError, InputWarning, ParameterError, as_argument, quote

__all__ = ["OPTIONS", "choice_option", "message_of", "spell", "with_options"]

#: The option that sets a parameter.
OPTIONS = {
    "accept_unknown": "--accept-unknown",
    "allow_missing": "--allow-missing",
    "allow_unlabelled": "--allow-unlabelled",
    "allow_unmet": "--allow-unmet",
    "aspect": "--aspect",
    "average": "--average",
    "beta": "--beta",
    "classes": "--label-column",
    "column": "--similarity-column",
    "columns": "--ids",
    "confidence": "--confidence",
    "cost_ratio": "--cost-ratio",
    "cover": "--cover",
    "cut_weight": "--cut-weight",
    "drop_roots": "--drop-roots",
    "duplicates": "--duplicates",
    "effort": "--effort",
    "encoding": "--encoding",
    "evidence": "--evidence",
    "for_new": "--for-new",
    "format": "--format",
    "grid": "--grid",
    "group_column": "--group-column",
    "groups": "--groups",
    "guarantee": "--guarantee",
    "header": "--header",
    "ia": "--ia",
    "id_column": "--id-column",
    "ignore": "--ignore",
    "initial": "--initial",
    "label_column": "--label-column",
    "layout": "--layout",
    "map": "--map",
    "max_epochs": "--max-epochs",
    "memory": "--memory",
    "max_terms": "--max-terms",
    "measure": "--measure",
    "method": "--method",
    "min_depth": "--min-depth",
    "min_positives": "--min-positives",
    "n_calls": "--calls",
    "n_jobs": "--jobs",
    "n_neighbors": "--neighbours",
    "n_resamples": "--resamples",
    "n_splits": "-k",
    "new": "--new",
    "ontology": "--ontology",
    "overlapping": "--overlapping",
    "oversized": "--oversized",
    "parts": "--parts",
    "path": "-o",
    "precision": "--precision",
    "random_state": "--seed",
    "ranker": "--ranker",
    "recall": "--recall",
    "repeats": "--repeats",
    "row": "--id-column",
    "same_order": "--same-order",
    "sample_weight": "--weights",
    "scheme": "--scheme",
    "score_column": "--score-column",
    "seconds": "--seconds",
    "separator": "--separator",
    "setting": "--setting",
    "similarity": "--similarity",
    "since": "--since",
    "split": "--split-column",
    "split_column": "--split-column",
    "taxon": "--taxon",
    "threshold": "--threshold",
    "time_column": "--time-column",
    "tolerance": "--tolerance",
    "top_k": "--top-k",
    "unit": "--similarity-unit",
    "until": "--until",
    "value_column": "--value-column",
}

#: The option that sets a parameter to False.
_FALSE = {
    "drop_roots": "--keep-roots",
    "fetch": "--no-fetch",
    "header": "--no-header",
    "symmetric": "--bipartite",
}


def choice_option(name: str, *values: str, help: str) -> Callable[[Function], Function]:  # noqa: A002
    """An option that takes one of these values; the first is the default."""
    return click.option(
        name, type=click.Choice(values), default=values[0], show_default=True, help=help
    )


def with_options(function: Function, *options: Callable[[Function], Function]) -> Function:
    """Add options to a command, listed in its help in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def spell(parameter: str, value: object) -> str:
    """A parameter to pass, as an option; as Python where there is none.

    >>> spell("layout", "wide"), spell("header", True), spell("header", False)
    ('--layout wide', '--header', '--no-header')
    >>> spell("separator", " ")
    "--separator ' '"
    >>> spell("max_bytes", 1000)
    'max_bytes=1000 (in Python)'
    """
    option = _FALSE.get(parameter) if value is False else OPTIONS.get(parameter)
    if option is None:
        return f"{as_argument(parameter, value)} (in Python)"
    if value is None or isinstance(value, bool):
        return option
    return f"{option} {shlex.quote(value) if isinstance(value, str) else value}"


def message_of(error: BaseException) -> str:
    """The message of an error or warning, on one line, with options for parameters.

    >>> message_of(ParameterError("n_calls", "an int of at least 1", 0, "pick_threshold"))
    '--calls must be an int of at least 1. Got 0.'
    """
    if isinstance(error, InputError | InputWarning):
        text = error.message(spell)
    elif isinstance(error, ParameterError) and error.name in OPTIONS:
        expected = error.wording
        if error.beside is not None:
            expected = expected.replace("{}", spell(*error.beside))
        text = f"{OPTIONS[error.name]} must be {expected}. Got {quote(error.got)}."
    else:
        text = str(error)
    return " ".join(text.split())
