"""The command line: arguments in, one job of the library, tables or JSON out.

::

    trueval split labels.csv -k 5 -o folds.csv
       │
    app.py          the group: finds a command, turns errors into messages and exit codes
    options.py      @command: options that all commands share, and their help examples
    run.py          one run: inputs with fingerprints, warnings, progress, output, provenance
    files.py        inputs and outputs, "-" included; near names for files that are not there
    streams.py      the standard streams, closed, full or of another encoding
    show.py         tables for people
    meter.py        progress on stderr, after two seconds
    interrupt.py    Ctrl-C, also while a kernel runs
    split.py, …     one file a command; nothing heavy is imported before it runs

No algorithm lives here. Exit codes: 0 fine, 1 the data are bad, 2 the call is wrong,
3 a target is not reached, 130 interrupted.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the console script ``trueval``."""
    try:
        from trueval.cli.app import cli

        cli.main(prog_name="trueval")
    except KeyboardInterrupt:  # while modules are loaded, before app.py can take care of it
        from trueval.cli.interrupt_words import INTERRUPTED, JSON, MESSAGE

        if sys.stderr is not None:
            sys.stderr.write(f"{MESSAGE}\n")
        if "--json" in sys.argv and sys.stdout is not None:
            import json

            sys.stdout.write(f"{json.dumps(JSON)}\n")
        sys.exit(INTERRUPTED)
