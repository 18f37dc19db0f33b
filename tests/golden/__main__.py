"""Pinned folds: ``python -m tests.golden --check`` compares, ``--write`` pins the folds of today.

For Pythons without pytest. A changed hash belongs in the changelog.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

from tests.golden.cases import cases, digest

HASHES = Path(__file__).with_name("hashes.json")


def main() -> int | str:
    """Compare or write; what differs, or 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare with the pinned hashes")
    action.add_argument("--write", action="store_true", help="replace the pinned hashes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    hashes = {name: digest(make()) for name, make in cases().items()}
    if options.write:
        HASHES.write_text(json.dumps(hashes, indent=1) + "\n")
        print(f"{len(hashes)} hashes written")
        return 0
    pinned = json.loads(HASHES.read_text())
    other = sorted(name for name in pinned.keys() | hashes if pinned.get(name) != hashes.get(name))
    return f"other folds than pinned: {', '.join(other)}" if other else 0


if __name__ == "__main__":
    sys.exit(main())
