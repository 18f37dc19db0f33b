"""``python -m tests.fuzz.corpus FOLDER``: keep what fuzzers learned as seeds, in ``corpus.zip``.

FOLDER has a folder for each reader (``--corpus`` of ``python -m tests.fuzz``, ``build/fuzz`` of the
campaign). Of its inputs, small ones first, those are kept that make steps from line to line which
no seed and no smaller one makes. An input that broke a reader (``fuzz-READER-crash-…``) is added
for good by ``python -m tests.fuzz.corpus --find READER FILE``.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

from tests.fuzz.__main__ import is_reader
from tests.fuzz.targets import CORPUS, TARGETS, run, seeds

LONGEST, MOST = 4096, 120  # bytes of an input, and inputs of a reader


def stages():
    """Small saved results of every kind, as only the whole package can make them."""
    import numpy as np

    from tests.report import problems
    from trueval.rank import IsotonicRanker
    from trueval.report import rank_stage

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (12, 2))
    scores = np.round(rng.normal(size=y.shape) + y, 1)
    values = IsotonicRanker().fit(scores, y).transform(scores)
    made = {
        "split": problems.split(),
        "pairs": problems.pairs(),
        "rank": rank_stage({"isotonic": np.round(values, 2), "raw": scores}, y),
    }
    for name, stage in made.items():
        whole = {"trueval": "stage", "schema": 1, **vars(stage)}
        yield f"result-stage/first-{name}", json.dumps(whole, separators=(",", ":")).encode()


def stored():
    """What is in the archive, by name."""
    with zipfile.ZipFile(CORPUS) as file:
        return {name: file.read(name) for name in file.namelist()}


def write(content):
    """Write the archive; the same content gives the same bytes."""
    with zipfile.ZipFile(CORPUS, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name in sorted(content):
            file.writestr(zipfile.ZipInfo(name), content[name], zipfile.ZIP_DEFLATED)


def steps(name, data):
    """Steps from line to line of the readers that an input makes."""
    made = set()

    def watch(frame, event, arg):
        code, last = frame.f_code, 0
        if not is_reader(code.co_filename):
            return None

        def step(frame, event, arg):
            nonlocal last
            made.add((code, last, frame.f_lineno))
            last = frame.f_lineno
            return step

        return step

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        run(name, data)
    finally:
        sys.settrace(before)
    return made


def smallest(name, begin, inputs):
    """The inputs, small ones first, that make steps which seeds and smaller ones do not."""
    made = set().union(*(steps(name, data) for data in begin))
    kept = []
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        if len(data) <= LONGEST and len(kept) < MOST and (new := steps(name, data) - made):
            made |= new
            kept.append(data)
    return kept


def main():
    """Merge folders into the archive, or add a find to it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.corpus", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="with a folder for each reader")
    parser.add_argument("--find", nargs=2, metavar=("READER", "FILE"))
    options = parser.parse_args()
    content = stored()
    if options.find:
        name, file = options.find
        data = Path(file).read_bytes()
        content[f"{name}/find-{hashlib.sha256(data).hexdigest()[:12]}"] = data
    else:
        names = [name for name in sorted(TARGETS) if (options.folder / name).exists()]
        warnings.simplefilter("ignore")
        content |= dict(stages())
        for name in names:
            old = [key for key in content if key.startswith(f"{name}/learned-")]
            content = {key: content[key] for key in content if key not in old}
            begin = [content[key] for key in content if key.startswith(f"{name}/")]
            with tempfile.TemporaryDirectory() as scratch:
                begin += seeds(name, Path(scratch))
            learned = (path.read_bytes() for path in (options.folder / name).iterdir())
            for number, data in enumerate(smallest(name, begin, learned)):
                content[f"{name}/learned-{number:03}"] = data
            print(name, sum(key.startswith(f"{name}/") for key in content), flush=True)
    write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
