"""The group of commands: each is imported when it is called, and errors end here."""

import difflib
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from trueval._version import __version__
from trueval.cli.parameters import message_of, spell
from trueval.cli.streams import (
    abandon_output,
    is_of_output,
    open_streams,
    print_json,
    say,
)
from trueval.cli.types import Fields
from trueval.core.errors import InputError, MissingExtra, ParameterError

__all__ = ["COMMANDS", "cli"]

#: Where each command lives, in the order of the help.
COMMANDS = {
    "demo": "trueval.cli.demo:demo",
    "split": "trueval.cli.split:split",
    "quality": "trueval.cli.quality:quality",
    "pairs": "trueval.cli.pairs:pairs",
    "audit": "trueval.cli.audit:audit",
    "score": "trueval.cli.score:score",
    "rank": "trueval.cli.rank:rank",
    "decide": "trueval.cli.decide:decide",
    "cafa": "trueval.cli.cafa:cafa",
    "report": "trueval.cli.report:report",
    "study": "trueval.cli.study:study",
    "data": "trueval.cli.datasets:data",
    "completion": "trueval.cli.completion:completion",
}

DATA_IS_BAD, CALL_IS_WRONG = 1, 2


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        return getattr(import_module(module), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            meant = f" Did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        """Remember the arguments as they were typed, for the provenance."""
        typed = list(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta["trueval.argv"] = typed
        return ctx

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and in standalone mode turn whatever happens into an exit code."""
        arguments = list(sys.argv[1:] if args is None else args)

        def run() -> object:
            return super(LazyGroup, self).main(
                arguments, prog_name or "trueval", complete_var, standalone_mode=False, **extra
            )

        if not standalone_mode:
            return run()
        open_streams()
        debug, as_json = "--debug" in arguments, "--json" in arguments
        sys.exit(exit_code_of(run, debug=debug, as_json=as_json))


@click.group("trueval", cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="trueval %(version)s")
def cli() -> None:
    """Honest evaluation of multi-label and pair-input models.

    Start with 'trueval demo': it needs no data and ends in a report. Every command has an
    example in its --help, reads '-' as standard input and prints one JSON object with --json.
    """


def exit_code_of(run: Callable[[], object], *, debug: bool, as_json: bool = False) -> int:
    """Run and return the exit code, having said in one line what went wrong.

    ``debug`` lets exceptions through, with their traceback; ``as_json`` prints them as data.
    """
    from trueval.cli.interrupt import interrupted, interruptible
    from trueval.cli.run import ReaderLeftError

    try:
        with interruptible(as_json=as_json):
            value = run()
            sys.stdout.flush()
        return value if isinstance(value, int) else getattr(value, "exit_code", 0)
    except click.UsageError as error:
        written = io.StringIO()
        error.show(written)
        say(written.getvalue().removesuffix("\n"))
        if as_json:
            say_as_json(error, error.format_message(), CALL_IS_WRONG)
        return CALL_IS_WRONG
    except (BrokenPipeError, ReaderLeftError):  # the reader has enough
        abandon_output()
        return 0
    except (KeyboardInterrupt, click.Abort):
        return interrupted(as_json=as_json)
    except Exception as error:
        if debug:
            raise
        message, code = describe(error)
        if is_of_output(error):
            message, as_json = f"standard output: {message}", False
            abandon_output()
        say(f"Error: {message}")
        if as_json:
            say_as_json(error, message, code)
        return code


def describe(error: Exception) -> tuple[str, int]:
    """One line and the exit code for an exception.

    >>> from trueval.core.errors import Place
    >>> describe(InputError("no label.", place=Place("labels.csv", 3)))
    ('labels.csv, line 3: no label.', 1)
    >>> describe(ParameterError("effort", "a number of at least 0", -1))
    ('--effort must be a number of at least 0. Got -1.', 2)
    """
    text = message_of(error)
    if isinstance(error, ParameterError):
        return text, CALL_IS_WRONG
    if isinstance(error, InputError | MissingExtra):
        return text, DATA_IS_BAD
    if getattr(error, "exit_code", None) == DATA_IS_BAD:
        return text, DATA_IS_BAD
    if isinstance(error, OSError):
        named = [str(f) for f in (error.filename, error.filename2) if f] or _lost_folder()
        reason = error.strerror or text or type(error).__name__
        return f"{': '.join([*named[:1], reason])}.", DATA_IS_BAD
    if isinstance(error, MemoryError):
        return "there is not enough memory for this. Take less data, or a machine with more.", 1
    kind = type(error).__name__
    return f"{kind}: {text} This is a defect of trueval; --debug shows where.", DATA_IS_BAD


def _lost_folder() -> list[str]:
    """The current folder, if it was deleted."""
    try:
        os.getcwd()
    except OSError:
        return ["the current folder was deleted"]
    return []


def say_as_json(error: Exception, message: str, code: int) -> None:
    """Print an error as one JSON object, with its place and fix where it has them."""
    source = error.__cause__ if isinstance(error.__cause__, InputError) else error
    fields: Fields = {"type": type(error).__name__}
    if isinstance(source, InputError):
        fields = source.to_dict(spell)
    elif isinstance(source, ParameterError | MissingExtra):
        fields = source.to_dict()
    whole = {"error": {**fields, "message": message, "exit_code": code}}
    try:
        print_json(whole, default=str)
    except OSError:  # it is on stderr too
        abandon_output()
