"""``python -m tests.fuzz READER --seconds N``: feed a reader whatever may break it."""

import argparse
import gc
import subprocess
import sys
import tempfile
import types
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src" / "trueval"
UNGUIDED = "no interesting inputs were found"


def fuzz(name, arguments):
    """Run libFuzzer in this process, with the readers instrumented.

    By function, once the seeds have been read: instrumenting imports does not reach the modules of
    an editable installation, and the fuzzer then learns nothing.
    """
    try:
        import atheris
    except ImportError:
        sys.exit("Fuzzing needs atheris: pip install atheris")
    from tests.fuzz import targets

    with tempfile.TemporaryDirectory() as folder:
        for seed in targets.seeds(name, Path(folder)):
            targets.run(name, seed)
    for item in gc.get_objects():
        if isinstance(item, types.FunctionType) and _is_reader(item):
            atheris.instrument_func(item)
    atheris.Setup([sys.argv[0], *arguments], lambda data: targets.run(name, data))
    atheris.Fuzz()


def _is_reader(function):
    path = Path(function.__code__.co_filename)
    return path.stem == "arff" or any(
        path.is_relative_to(SOURCES / folder) for folder in ("data", "cafa", "report")
    )


def main():
    """Fuzz one reader, or each in turn, and print how many inputs it survived."""
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("reader", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=10, help="for each reader")
    parser.add_argument("--jobs", type=int, default=2, help="readers at a time")
    options = parser.parse_args()
    names = TARGETS if options.reader == "all" else [options.reader]
    # Each reader has a process of its own; these threads only wait.
    with ThreadPoolExecutor(options.jobs) as pool:
        survived = [*pool.map(partial(survives, seconds=options.seconds), names)]
    return 0 if all(survived) else 1


def survives(name, seconds):
    """Fuzz one reader and print how it went."""
    with tempfile.TemporaryDirectory() as corpus:
        count, output = run_reader(name, seconds, Path(corpus))
    print(f"{name}: {count:,} inputs, {'FAILED' if output else 'ok'}\n{output}".strip(), flush=True)
    return not output


def run_reader(name, seconds, corpus, runs=-1):
    """Fuzz one reader in a process of its own: how many inputs, and its output if it failed.

    What the fuzzer learns is kept in the folder ``corpus``; a find is kept as ``fuzz-…``. It ends
    after so many seconds or runs, whatever is first.
    """
    from tests.fuzz.targets import seeds

    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds(name, Path(folder))):
            (corpus / f"seed{number}").write_bytes(seed)
    command = [sys.executable, "-m", "tests.fuzz", "--inside", name, str(corpus)]
    command += [f"-max_total_time={seconds}", f"-runs={runs}", "-rss_limit_mb=1024", "-timeout=5"]
    command += ["-max_len=2048", f"-artifact_prefix=fuzz-{name}-", "-print_final_stats=1"]
    done = subprocess.run(command, capture_output=True, text=True)
    stats = [line for line in done.stderr.splitlines() if line.startswith("stat::number_of")]
    bad = done.returncode or UNGUIDED in done.stderr
    failed = f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}" if bad else ""
    return int(stats[0].split()[-1]) if stats else 0, failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        fuzz(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main())
