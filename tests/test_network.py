"""No network on import or use: Python tells of every connection and of every name looked up."""

import subprocess
import sys

USE = """
import sys

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        print(event, args)
        raise SystemExit(3)

sys.addaudithook(watch)
import numpy as np
import trueval, trueval.cafa, trueval.data, trueval.data.catalogue, trueval.displays, trueval.pairs
import trueval.rank, trueval.report, trueval.stratify, trueval.study, trueval.testing
from trueval.cli import main

y = (np.random.default_rng(0).random((60, 4)) < 0.4).astype(int)
trueval.data.write_labels("y.csv", y, layout="wide")
for command in (
    ["split", "y.csv", "--output", "folds.csv", "--save", "split.json"],
    ["quality", "y.csv", "folds.csv"],
    ["report", "split.json", "--output", "page.html"],
    ["data", "list"],
):
    sys.argv = ["trueval", *command]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (command, end.code)
print("done")
"""


def test_nothing_is_asked_for(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", USE], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.endswith("done\n"), done.stdout[-500:] + done.stderr[-2000:]
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_the_watch_sees_a_connection(tmp_path):
    script = (
        USE.split("import numpy")[0] + "import urllib.request as u; u.urlopen('http://[::1]:9')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (3, "urllib.Request")
