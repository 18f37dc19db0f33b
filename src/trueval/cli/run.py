"""One run of a command: what it read, what it was told, what it gives back."""

import re
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from trueval.cli.files import STANDARD, Files, check_output, through_a_file
from trueval.cli.meter import Meter, say
from trueval.cli.parameters import message_of
from trueval.cli.streams import print_json
from trueval.cli.types import Fields, FoldNumbers, Options

if TYPE_CHECKING:
    from trueval.core.reading import AnyReading
    from trueval.data import Ontology
    from trueval.data._source import Source
    from trueval.report import Stage
    from trueval.show import Summary

__all__ = ["Outcome", "ReaderLeftError", "Run"]

_NUMBER = re.compile(r"\d[\d,.]*")
#: Arguments that change what is printed, not what is computed.
_SILENT = ("--quiet", "-q", "--debug", "--json")


class ReaderLeftError(Exception):
    """Whoever read standard output has closed it, as ``head`` does."""


@dataclass
class Outcome:
    """The result of a command."""

    data: Fields  # for ``--json``, which adds the verdict
    lines: Sequence[object] = ()  # for people: sentences, and tables of :mod:`trueval.cli.show`
    # Makes a stage of the report from its provenance; only called when asked for
    stage: "Callable[[Fields], Stage] | None" = None
    exit_code: int = 0
    # What the result says; printed above the rest, and saved in the stage
    summary: "Summary | None" = None


class Run:
    """One run of a command: ``argv`` as typed, its options, and those that commands share.

    ``said`` has the lines on how files are read that commands before this one have printed.
    """

    def __init__(
        self,
        argv: list[str],
        parameters: Options,
        *,
        seed: int,
        jobs: int | None,
        as_json: bool,
        quiet: bool,
        save: str | None = None,
        report: str | None = None,
        encoding: str | None = None,
        said: set[str] | None = None,
    ) -> None:
        self.parameters = parameters
        self.seed, self.jobs = seed, jobs
        self.as_json, self.quiet = as_json, quiet
        self.save, self.report = save, report
        self.files = Files()
        self.encoding = encoding
        self.inputs: list[Fields] = []
        self.outputs: list[str] = []
        self.warnings: list[str] = []
        self._causes: dict[str, int] = {}
        self.readings: dict[str, AnyReading] = {}
        self.ontology: Ontology | None = None
        self.folds: FoldNumbers | None = None
        self._said = set() if said is None else said
        self._argv = argv
        self._to_standard_output = False
        self._sources: dict[str, Source] = {}
        self._started = datetime.now(UTC)
        self._clock = time.perf_counter()

    # --- inputs ----------------------------------------------------------------

    def source(self, path: str) -> "Source":
        """Open an input file, or standard input for ``-``.

        It is opened once, however often a command asks for it: a pipe can be read once only.
        """
        from trueval.data._source import Source

        source = self._sources.get(path)
        if source is None:
            self.files.reads(path)
            standard = path == STANDARD
            source = Source(sys.stdin.buffer, name="<stdin>") if standard else Source(path)
            source.encoding = self.encoding
            self._sources[path] = source
        return source

    def again(self, path: str) -> "Source":
        """An input that has been opened, to read it once more."""
        return self._sources[path]

    def note_input(self, path: str, shape: Sequence[int] | None = None) -> None:
        """Remember what was read, with its fingerprint, for the provenance."""
        source = self.source(path)
        self.inputs.append(
            {
                "path": path,
                "sha256": source.sha256(),
                "bytes": source.size,
                "shape": None if shape is None else [int(n) for n in shape],
            }
        )

    def note_reading(self, path: str, reading: "AnyReading") -> None:
        """Remember how a file was understood, to say it first."""
        self.readings[path] = reading

    # --- work --------------------------------------------------------------------

    def meter(self, text: str) -> Meter:
        """Progress of a piece of work, shown if it takes more than two seconds."""
        return Meter(text, enabled=not self.quiet)

    @contextmanager
    def reading(self, path: str, source: "Source") -> Iterator[None]:
        """Progress of reading a file, by bytes."""
        with self.meter(f"Reading {path}") as meter:
            source.progress = meter
            try:
                yield
            finally:
                source.progress = None

    @contextmanager
    def collecting_warnings(self) -> Iterator[None]:
        """Show each warning of the library as one line, once."""

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            text = message if isinstance(message, str) else message_of(message)
            ours = category.__module__.startswith("trueval") or category is UserWarning
            if not ours or text in self.warnings:
                return
            self.warnings.append(text)
            cause = _NUMBER.sub("#", text)  # the same in other numbers is one cause
            self._causes[cause] = self._causes.get(cause, 0) + 1
            if self._causes[cause] == 1 and not self.quiet:
                say(f"Warning: {text}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show
            yield

    def _tell_of_more_warnings(self) -> None:
        more = sum(self._causes.values()) - len(self._causes)
        if more and not self.quiet:
            several = "warnings" if more > 1 else "warning"
            say(f"{more:,} more {several} of the same kind, in other numbers (--json lists all).")

    # --- outputs -----------------------------------------------------------------

    def check_output(self, path: str, option: str) -> None:
        """Refuse, before the work, an output of an option that cannot be written."""
        if path == STANDARD:
            if self.as_json:
                raise click.UsageError(f"'{option} -' and '--json' both want standard output.")
            self._to_standard_output = True
        else:
            check_output(path)

    def write(
        self, path: str | None, write: Callable[[Path], object], suffix: str = ".csv"
    ) -> None:
        """Write an output, whole or not at all; to standard output for ``-``."""
        if path is None:
            return
        if path == STANDARD:
            try:
                through_a_file(write, suffix)
            except BrokenPipeError:
                raise ReaderLeftError from None
        else:
            write(Path(path))
        self.outputs.append(path)

    def provenance(self) -> Fields:
        """Everything needed to make the result again."""
        from trueval.core.provenance import record, versions
        from trueval.show import plain

        return record(
            command=self.command,
            inputs=self.inputs,
            parameters=plain(self.parameters),
            seed=self.seed,
            versions=versions(),
            started=self._started.isoformat(timespec="seconds"),
            seconds=round(time.perf_counter() - self._clock, 3),
        )

    @property
    def command(self) -> str:
        """The command to type again."""
        return shlex.join(["trueval", *(a for a in self._argv if a not in _SILENT)])

    def finish(self, outcome: Outcome) -> None:
        """Write what was asked for, then print."""
        self._tell_of_more_warnings()
        facts = self.provenance()
        if (self.save or self.report) and outcome.stage is not None:
            from trueval.report import write_report, write_stage

            with self.meter("Writing the report"):
                stage = outcome.stage(facts)
                self.write(self.save, lambda path: write_stage(path, stage))
                self.write(self.report, lambda path: write_report(path, [stage]))
        if self.as_json:
            from dataclasses import asdict

            from trueval.show import plain

            verdict = {}
            if outcome.summary is not None and outcome.summary.verdict is not None:
                verdict = {"verdict": asdict(outcome.summary.verdict)}
            whole = outcome.data | {
                **verdict,
                "read": {name: asdict(reading) for name, reading in self.readings.items()},
                "warnings": self.warnings,
                "outputs": self.outputs,
                "provenance": facts,
            }
            print_json(plain(whole))
        elif not self.quiet:
            self._print(outcome)

    def _print(self, outcome: Outcome) -> None:
        from trueval.cli.show import console, of_summary
        from trueval.show import reading_line

        terminal = console(err=self._to_standard_output)
        for name, reading in self.readings.items():
            line = reading_line(name, reading)
            if line not in self._said:
                terminal.print(line, markup=False)
            self._said.add(line)
        summary = [] if outcome.summary is None else of_summary(outcome.summary)
        for item in (*summary, *outcome.lines):
            terminal.print(item, markup=False)
        written = [path for path in self.outputs if path != STANDARD]
        if written:
            terminal.print(f"Wrote {', '.join(written)}", markup=False)
