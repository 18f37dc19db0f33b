"""``python -m tests.fuzz READER … --seconds N``: feed readers whatever may break them.

The package is imported and instrumented once; each reader is fuzzed in a child of this process.
"""

import argparse
import gc
import hashlib
import json
import os
import sys
import tempfile
import types
import warnings
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src" / "trueval"
LONGEST = 2048  # bytes of an input, unless a seed is longer
UNGUIDED = "no interesting inputs were found"


def prepare(names):
    """Read the seeds of all readers, and instrument the functions that are then loaded.

    Instrumenting imports does not reach the modules of an editable installation, and the fuzzer
    then learns nothing.
    """
    try:
        import atheris
    except ImportError:
        sys.exit("Fuzzing needs atheris: pip install atheris")
    from tests.fuzz import targets
    from trueval.show import _vega

    warnings.simplefilter("ignore")  # each is another text, and Python remembers all of them
    _vega.scripts = lambda: ""  # a megabyte on every page, which no input changes
    seeds = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            seeds[name] = [*targets.seeds(name, Path(folder)), *targets.corpus(name)]
        for seed in seeds[name]:
            targets.run(name, seed)
    for item in gc.get_objects():
        if isinstance(item, types.FunctionType) and is_reader(item.__code__.co_filename):
            atheris.instrument_func(item)
    return seeds


@cache
def is_reader(file):
    """Whether a file of code is of what reads: liac-arff too, which is in Python."""
    path = Path(file)
    return path.stem == "arff" or any(
        path.is_relative_to(SOURCES / folder) for folder in ("data", "cafa", "report")
    )


def run_and_keep(name, data):
    """Feed one input; one that breaks the reader is kept in a file, which atheris does not do."""
    from tests.fuzz import targets

    try:
        targets.run(name, data)
    except BaseException:
        Path(f"fuzz-{name}-crash-{hashlib.sha1(data).hexdigest()}").write_bytes(data)
        raise


def fuzz(name, arguments):
    """Run libFuzzer in this process, which ends with it."""
    import atheris

    from tests.fuzz.structured import mutator

    # Looked up at each call: Fuzz() puts another function there.
    own = mutator(name, lambda data, max_size: atheris.Mutate(data, max_size))
    options = {} if own is None else {"custom_mutator": own}
    atheris.Setup([sys.argv[0], *arguments], lambda data: run_and_keep(name, data), **options)
    atheris.Fuzz()


def start(name, seeds, folder, options):
    """Fuzz one reader in a child; its number, and the file of what it says."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed{number}").write_bytes(seed)
    arguments = [
        str(folder), f"-max_total_time={options.seconds}", f"-runs={options.runs}",
        f"-max_len={max(LONGEST, 3 * max(map(len, seeds)) // 2)}", "-rss_limit_mb=2048",
        "-timeout=30", f"-artifact_prefix=fuzz-{name}-", "-print_final_stats=1",
    ]  # fmt: skip
    output = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115, closed with its result
    pid = os.fork()
    if pid == 0:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        try:
            fuzz(name, arguments)
        finally:
            os._exit(3)  # libFuzzer itself ends the process, unless something is wrong
    return pid, output


def result(status, output):
    """How many inputs a child was fed, and what it said if it failed."""
    output.seek(0)
    text = output.read()
    output.close()
    counts = [line for line in text.splitlines() if line.startswith("stat::number_of")]
    count = int(counts[0].split()[-1]) if counts else 0
    bad = status != 0 or UNGUIDED in text or not count
    return count, text[-6000:] if bad else ""


def each(names, options):
    """Fuzz some readers at a time; yields name, inputs, output of a failure, and CPU seconds."""
    seeds, left, running = prepare(names), [*names], {}
    with tempfile.TemporaryDirectory() as scratch:
        while left or running:
            while left and len(running) < options.jobs:
                name = left.pop(0)
                folder = Path(options.corpus or scratch) / name
                pid, output = start(name, seeds[name], folder, options)
                running[pid] = name, output
            pid, status, used = os.wait3(0)
            name, output = running.pop(pid)
            yield name, *result(status, output), used.ru_utime + used.ru_stime


def main():
    """Fuzz some readers or all, and print how many inputs each survived."""
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="+", choices=[*TARGETS, "all"], metavar="READER")
    parser.add_argument("--seconds", type=int, default=10, help="for each reader")
    parser.add_argument("--runs", type=int, default=-1, help="inputs of each reader, at most")
    parser.add_argument("--jobs", type=int, default=2, help="readers at a time")
    parser.add_argument("--corpus", help="folder for what is learned; forgotten by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object a reader")
    options = parser.parse_args()
    names = sorted(TARGETS) if "all" in options.readers else options.readers
    failed = False
    for name, count, output, seconds in each(names, options):
        failed |= bool(output)
        if options.json:
            found = {"name": name, "inputs": count, "failure": output, "seconds": round(seconds, 1)}
            print(json.dumps(found), flush=True)
        else:
            rate = f"{count / max(seconds, 0.01):,.0f} a CPU second"
            print(f"{name}: {count:,} inputs, {rate}, {'FAILED' if output else 'ok'}", flush=True)
            print(end=output, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
