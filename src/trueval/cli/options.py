"""``@command``: what all commands share, declared once."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from trueval.cli.files import FILE, STANDARD, Input, Output
from trueval.cli.parameters import with_options
from trueval.cli.run import Outcome, ReaderLeftError, Run
from trueval.cli.terms import term_options
from trueval.cli.types import Function
from trueval.pairs._settings import C_NAMES, SETTINGS

__all__ = [
    "SCORE_OPTIONS",
    "SETTING",
    "ChoiceOf",
    "Command",
    "bipartite_option",
    "command",
    "exactly_one",
    "header_option",
    "label_options",
    "output_option",
    "score_options",
]

#: How scores and labels match: flags and their help.
SCORE_OPTIONS = {
    "allow_missing": "Rows of LABELS without any score are fine.",
    "allow_unlabelled": "Rows and classes that only SCORES have are negative.",
    "same_order": "SCORES without names have the order of LABELS.",
}

_SHARED = ("save", "report", "seed", "jobs", "encoding", "as_json", "quiet", "debug")


class ChoiceOf(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of some names; other names of the same things are accepted, and not listed."""

    def __init__(self, names: Iterable[str], others: Mapping[str, str] | None = None) -> None:
        super().__init__(list(names))
        self.others = dict(others or {})

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The listed name."""
        name: str = super().convert(self.others.get(str(value), value), param, ctx)
        return name


SETTING = ChoiceOf(reversed(SETTINGS), C_NAMES)


class Command(click.Command):
    """A command whose help ends in examples, printed as they are to be typed."""

    examples: Sequence[str] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one a line, never wrapped."""
        if self.examples:
            title = "Examples, in a folder where 'trueval demo' has run"
            with formatter.section(title if len(self.examples) > 1 else title.replace("s,", ",")):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def command(
    name: str, *, examples: Sequence[str], short: str | None = None, stage: bool = False
) -> Callable[[Function], Command]:
    """Make a function ``(run, **options) -> Outcome`` a command with the shared options."""

    def decorate(function: Function) -> Command:
        @functools.wraps(function)
        @click.pass_context
        def callback(ctx: click.Context, /, **values: Any) -> Outcome:
            shared = {
                key: values.pop(key) for key in ("seed", "jobs", "as_json", "quiet", "encoding")
            }
            shared |= {key: values.pop(key) for key in ("save", "report") if stage}
            values.pop("debug")
            run = Run(ctx.meta.get("trueval.argv", []), values, said=ctx.obj, **shared)
            _add_files(ctx, run)
            with run.collecting_warnings():
                outcome = function(run, **values)
                try:
                    run.finish(outcome)
                except BrokenPipeError:
                    raise ReaderLeftError from None  # click would exit with 1
            return outcome

        built: Command = click.command(
            name,
            cls=Command,
            short_help=short,
            context_settings={"help_option_names": ["-h", "--help"]},
        )(_shared(stage)(callback))
        built.examples = tuple(examples)
        built.params.sort(key=lambda parameter: parameter.name in _SHARED)  # these come last
        return built

    return decorate


def _add_files(ctx: click.Context, run: Run) -> None:
    """Tell the run which files the call names; one to write must replace none of the others."""
    named = [
        (parameter, ctx.params[str(parameter.name)])
        for parameter in ctx.command.params
        if ctx.params.get(str(parameter.name)) is not None
    ]
    n_standard = 0
    for parameter, value in named:
        if isinstance(parameter.type, Input):
            for path in parameter.type.files(value):
                run.files.reads(path)
                n_standard += path == STANDARD and not parameter.type.shared
    if n_standard > 1:
        raise click.UsageError("Only one input can be '-', standard input.")
    for parameter, path in named:
        if isinstance(parameter.type, Output):
            run.check_output(path, parameter.opts[0])
            run.files.writes(path)
            if parameter.type.beside and path != STANDARD:
                run.files.writes_beside(path)


def _shared(stage: bool) -> Callable[[Function], Function]:
    options = []
    if stage:
        options += [
            click.option(
                "--save",
                type=Output(),
                metavar="FILE.json",
                help="Save the result for 'trueval report'.",
            ),
            click.option(
                "--report",
                type=Output(),
                metavar="FILE.html",
                help="Write a report of this result.",
            ),
        ]
    options += [
        click.option(
            "--seed",
            type=click.IntRange(0, 2**32 - 1),
            default=0,
            show_default=True,
            help="Seed of all that is random: same seed, same result.",
        ),
        click.option(
            "--jobs",
            type=int,
            callback=_check_jobs,
            help="Threads to use, -1 for all; never changes the result.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            callback=_check_encoding,
            help="Encoding of text inputs, such as latin-1 [utf-8].",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead."),
        click.option("-q", "--quiet", is_flag=True, help="Print nothing but what is asked for."),
        click.option("--debug", is_flag=True, help="Show the traceback of an error."),
    ]
    return lambda function: with_options(function, *options)


def _check_jobs(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value is not None and (value == 0 or value < -1):
        raise click.BadParameter("must be a positive number of threads, or -1 for all.")
    return value


def _check_encoding(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from trueval.data._lines import ENCODING

    if not ENCODING.accepts(value):
        raise click.BadParameter(f"must be {ENCODING}. Got {value!r}.")
    return value


def header_option(function: Function) -> Function:
    """The option that says whether a table has a header, where its words do not."""
    return click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a table names the columns, if not found by itself.",
    )(function)


def bipartite_option(function: Function) -> Function:
    """The option that says that pairs are not mirrored; ``--two-kinds`` is its old name."""
    return click.option(
        "--bipartite",
        "--two-kinds",
        "bipartite",
        is_flag=True,
        help="The columns hold different kinds of objects: (drug, target).",
    )(function)


def label_options(function: Function) -> Function:
    """Options that say how a file of labels is to be read."""
    options: list[Callable[[Function], Function]] = [
        click.option("--format", "form", help="Format of the labels, if not found by itself."),
        click.option(
            "--layout",
            type=click.Choice(["wide", "long", "list"]),
            help="Layout of a table of labels, if not found by itself.",
        ),
        click.option("--id-column", metavar="NAME", help="Column of a table with the row ids."),
        click.option("--label-column", metavar="NAME", help="Column with the labels."),
        click.option("--separator", help="What separates labels in one column."),
        header_option,
        click.option(
            "--ontology",
            type=FILE,
            metavar="OBO",
            help="Carry labels up to all ancestors first (OBO, or a table of edges).",
        ),
    ]
    return with_options(function, *options, term_options)


def score_options(function: Function) -> Function:
    """Options that say how scores are read, and how they match the labels."""
    function = click.option(
        "--duplicates",
        type=click.Choice(["error", "max", "mean"]),
        help="Of several scores of a row and class: refuse, the largest, or the mean"
        "  [default: error; max in CAFA files]",
    )(function)
    for option, text in reversed(SCORE_OPTIONS.items()):
        name = f"--{option.replace('_', '-')}"
        function = click.option(name, is_flag=True, help=text)(function)
    return function


def output_option(text: str, *, beside: bool = False) -> Callable[[Function], Function]:
    """The option ``-o``; ``beside`` says that a side file is written too."""
    return click.option(
        "-o",
        "--output",
        type=Output(beside=beside),
        metavar="FILE",
        help=f"{text} '-' is standard output.",
    )


def exactly_one(needed: bool = True, /, **values: object) -> str | None:
    """Name of the one option that was given.

    >>> from trueval.cli.options import exactly_one
    >>> exactly_one(precision=0.9, recall=None)
    'precision'
    """
    named = [name for name, value in values.items() if value is not None]
    options = ", ".join(f"--{name.replace('_', '-')}" for name in values)
    if len(named) > 1:
        both = " and ".join(f"--{name.replace('_', '-')}" for name in named)
        raise click.UsageError(f"Give one of {options}; got {both}.")
    if not named and needed:
        raise click.UsageError(f"Give one of {options}.")
    return named[0] if named else None
