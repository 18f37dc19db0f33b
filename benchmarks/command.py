"""What all benchmark commands share: options, progress, saving after each table."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import Limits
from benchmarks.record import Record, Table, text

__all__ = ["Run", "parser", "say"]


def parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """Options of every benchmark."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    made.add_argument("--quick", action="store_true", help="small data, few repeats, no slow peers")
    made.add_argument("--out", type=Path, help="folder for NAME.json, written after each table")
    made.add_argument("--tag", default="", help="write NAME-TAG.json: a part of a run by itself")
    made.add_argument("--no-peers", action="store_true", help="our methods only")
    made.add_argument(
        "--peer-timeout", type=float, default=600, help="CPU seconds for a case (default 600)"
    )
    made.add_argument(
        "--peer-memory", type=float, default=16, help="GiB for a case, 0 = any (default 16)"
    )
    made.add_argument(
        "--peer-env",
        type=Path,
        metavar="DIR",
        help="install peers that cannot share an environment below DIR, and run them there",
    )
    return made


@dataclass
class Run:
    """One run of a benchmark: its options, and the record that grows."""

    options: argparse.Namespace
    record: Record

    @classmethod
    def start(
        cls,
        name: str,
        title: str,
        options: argparse.Namespace,
        arguments: Sequence[str] | None,
        packages: Sequence[str] = (),
    ) -> "Run":
        """A run with an empty record."""
        given = _without_places(sys.argv[1:] if arguments is None else arguments)
        record = Record(
            f"{name}-{options.tag}" if options.tag else name,
            title,
            " ".join(["python -m", f"benchmarks.{name}", *given]),
            quick=options.quick,
            packages=packages,
            limits={"cpu_seconds": options.peer_timeout, "memory_gib": options.peer_memory},
        )
        return cls(options, record)

    @property
    def limits(self) -> Limits:
        """Limits of every case."""
        return Limits(self.options.peer_timeout, self.options.peer_memory)

    def show(self, table: Table) -> None:
        """Print a finished table and save what there is."""
        self.record.tables.append(table)
        print("\n" + text(table), flush=True)
        self.record.save(self.options.out)

    def note(self, line: str) -> None:
        """Keep a sentence about the whole run."""
        self.record.notes.append(line)
        print(line, flush=True)
        self.record.save(self.options.out)

    def show_all(self, tables: Mapping[str, Callable[["Run"], Iterable[Table]]]) -> int:
        """Make and show the tables of the command line, all by default; the exit code."""
        for name, work in tables.items():
            if not self.options.tables or name in self.options.tables:
                say(name)
                for table in work(self):
                    self.show(table)
        return self.done()

    def done(self) -> int:
        """Say in the record that nothing is missing; the exit code."""
        self.record.complete = True
        self.record.save(self.options.out)
        return 0


def _without_places(arguments: Sequence[str]) -> list[str]:
    """The command as others would give it: folders are their own affair."""
    shown, skip = [], False
    for argument in arguments:
        if skip:
            shown.append("DIR")
            skip = False
            continue
        name = argument.split("=", 1)[0]
        if name in ("--out", "--peer-env", "--scores", "--cache"):
            skip = "=" not in argument
            shown.append(name if skip else f"{name}=DIR")
            continue
        shown.append(argument)
    return shown


def say(line: str) -> None:
    """Progress, on the standard error."""
    print(line, file=sys.stderr, flush=True)
