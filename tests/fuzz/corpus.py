"""``python -m tests.fuzz.corpus FOLDER``: keep what fuzzers learned as seeds, in ``corpus.zip``.

FOLDER has a folder for each reader (``--corpus`` of ``python -m tests.fuzz``, ``build/fuzz`` of the
campaign). Of its inputs, libFuzzer's merge chooses the smallest that reach all that was reached. An
input that broke a reader (``fuzz-READER-crash-…``) is added for good by
``python -m tests.fuzz.corpus --find READER FILE``.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.fuzz.targets import CORPUS, TARGETS

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


def merged(name, folder):
    """The smallest inputs of a folder that reach all that the others do."""
    from tests.fuzz.__main__ import fuzz

    with tempfile.TemporaryDirectory() as out:
        pid = os.fork()
        if pid == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            try:
                fuzz(name, ["-merge=1", f"-max_len={LONGEST}", "-rss_limit_mb=2048", out, folder])
            finally:
                os._exit(3)
        assert os.waitpid(pid, 0)[1] == 0, f"merging {name} failed"
        inputs = sorted((path.read_bytes() for path in Path(out).iterdir()), key=len)
    return [data for data in inputs if len(data) <= LONGEST][:MOST]


def main():
    """Merge folders into the archive, or add a find to it."""
    from tests.fuzz.__main__ import prepare

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
        prepare(names)
        content |= dict(stages())
        for name in names:
            old = [key for key in content if key.startswith(f"{name}/learned-")]
            content = {key: content[key] for key in content if key not in old}
            for number, data in enumerate(merged(name, str(options.folder / name))):
                content[f"{name}/learned-{number:03}"] = data
            print(name, sum(key.startswith(f"{name}/") for key in content), flush=True)
    write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
