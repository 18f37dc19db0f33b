"""Options that say what further columns of a table of labels mean."""

import click

from trueval.cli.parameters import with_options
from trueval.cli.types import Function

__all__ = ["column_options"]


def column_options(function: Function) -> Function:
    """Options for columns that are neither ids nor labels."""
    return with_options(
        function,
        click.option(
            "--value-column",
            metavar="NAME",
            help="Column of 0 and 1 that says whether the row has the label, if not found by"
            " itself.",
        ),
        click.option(
            "--ignore", metavar="NAMES", help="Columns of LABELS to leave out, as fold,comment."
        ),
    )
