"""Run the campaign: ``python -m tests.campaign [--hours H] [--only PART …] [--quick]``."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.campaign.parts import ELSEWHERE, PARTS, Part
from tests.campaign.record import RESULTS, Record

NO_END = 1e9


def told() -> dict[str, object]:
    """What the page says of every part, those that have not run included."""
    words = ("name", "title", "unit", "goal", "whole", "exercises", "apart")
    return {
        "told": [{word: getattr(part, word) for word in words} for part in PARTS],
        "elsewhere": ELSEWHERE,
    }


def finished(part: Part, record: Record) -> bool:
    """Whether a part has reached its goal on this code."""
    known = record.of(part.name, part.code)
    return known["batches" if part.whole else "cases"] >= part.goal


def run(part: Part, record: Record, seconds: float, batches: int | None = None) -> int:
    """Batches of a part until its goal, or until the time is over; how many failures."""
    lacks = part.missing()
    if lacks:
        print(f"{part.name}: not run, it {lacks}", flush=True)
        return 0
    end, failures, count = time.monotonic() + seconds, 0, 0
    while not finished(part, record) and count != batches:
        start = time.monotonic()
        if start >= end and count:
            break
        with tempfile.TemporaryDirectory() as folder:
            turn = record.of(part.name, part.code)["batches"]
            outcome = part.batch(turn, Path(folder), end - start)
        record.add(part.name, part.code, outcome, time.monotonic() - start)
        record.write(**told())
        failures += len(outcome.failures)
        count += 1
        for failure in outcome.failures:
            print(f"{part.name}: FAILED {failure}", flush=True)
    known = record.of(part.name, part.code)
    print(
        f"{part.name}: {known['cases']:,} {part.unit}, {len(known['failures'])} failures"
        f"{'' if finished(part, record) else ', not complete'}",
        flush=True,
    )
    return failures


def main() -> int:
    """Run the parts that are not complete."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--hours", type=float, help="stop after so long; a later run goes on")
    parser.add_argument("--only", nargs="+", choices=[part.name for part in PARTS], metavar="PART")
    parser.add_argument("--quick", action="store_true", help="one batch of the quick parts")
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: %(default)s")
    options = parser.parse_args()
    chosen = [part for part in PARTS if options.only is None or part.name in options.only]
    if options.quick:
        chosen = [part for part in chosen if part.quick]
    record = Record(options.results)
    end = time.monotonic() + (NO_END if options.hours is None else 3600 * options.hours)
    failures = 0
    for number, part in enumerate(chosen):
        if not finished(part, record):
            # Every part has its share of the time that is left.
            share = (end - time.monotonic()) / (len(chosen) - number)
            failures += run(part, record, max(share, 0), 1 if options.quick else None)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
