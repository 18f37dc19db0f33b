"""All benchmarks, or some: ``python -m benchmarks [NAME …] [options of every benchmark]``.

Each runs as ``python -m benchmarks.NAME`` with the same options; one that fails does not stop the
others.
"""

import importlib
import sys
from collections.abc import Sequence

NAMES = ("split", "search", "growth", "pairs", "leakage", "rank", "read", "cafa", "start")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them one after the other; the number of those that failed."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    names = []
    while given and not given[0].startswith("-"):
        names.append(given.pop(0))
    unknown = [name for name in names if name not in NAMES]
    if unknown or "-h" in given or "--help" in given:
        print(f"python -m benchmarks [{' | '.join(NAMES)}] [--quick] [--out DIR] [--no-peers]")
        print("       [--peer-env DIR] [--peer-timeout S] [--peer-memory G] [--tag TAG]")
        if unknown:
            print(f"no such benchmark: {', '.join(unknown)}", file=sys.stderr)
        return 2 if unknown else 0
    failed = 0
    for name in names or NAMES:
        print(f"\n=== {name} ===", flush=True)
        try:
            failed += bool(importlib.import_module(f"benchmarks.{name}").main(given))
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
