"""Every kind of output: how it is written, and whether a file of it is whole.

``write(path, turn)`` puts the number of the turn into every part of the file; ``whole(path)``
reads it by the public reader and tells whether all parts agree.
"""

import functools
import http.server
import os
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import scipy.sparse as sp

from trueval.cafa import read_predictions, write_predictions
from trueval.core.errors import InputWarning
from trueval.core.labels import Labels
from trueval.data import (
    read_folds,
    read_labels,
    read_scores,
    write_folds,
    write_labels,
    write_scores,
)
from trueval.data.catalogue import FileInfo, _files
from trueval.pairs._checkpoint import _COLUMNS, repeats_in
from trueval.report import Stage, read_stage, write_report, write_stage
from trueval.study._partial import cells_in

N = 6_000


@dataclass(frozen=True)
class Output:
    """A file name, its writer and its check."""

    name: str
    write: Callable[[Path, int], object]
    whole: Callable[[Path], bool]


def _write_folds(path, turn):
    write_folds(path, np.full(N, turn % 7, np.int32), parameters={"turn": turn}, seed=turn)


def _whole_folds(path):
    with warnings.catch_warnings():
        # Stopped between the table and its provenance: the reader says so, and uses the table.
        warnings.filterwarnings("ignore", ".*written for another version", InputWarning)
        read = read_folds(path)
    part = read.provenance["seed"] % 7 if "seed" in read.provenance else read.folds[0]
    return len(read) == N and bool((read.folds == part).all())


def _write_labels(path, turn):
    write_labels(path, Labels(sp.csr_array(np.ones((N, 2), np.int8)), [f"c{turn}", "every"]))


def _whole_labels(path):
    read = read_labels(path)
    return read.shape == (N, 2) and read.nnz == 2 * N and "every" in read.classes.tolist()


def _write_scores(path, turn):
    write_scores(path, np.full((N // 4, 3), turn + 0.5))


def _whole_scores(path):
    read = read_scores(path).matrix
    return read.shape == (N // 4, 3) and bool((read == read[0, 0]).all()) and read[0, 0] % 1 == 0.5


def _stage(turn):
    title, rows = f"Turn {turn}", [[f"Turn {turn}"]] * 2_000
    return Stage("study", {"title": title, "columns": ["turn"], "rows": rows, "notes": []})


def _whole_stage(path):
    data = read_stage(path).data
    return {row[0] for row in data["rows"]} == {data["title"]}


def _whole_page(path):
    page = path.read_text(encoding="utf-8")
    return page.startswith("<!") and page.rstrip().endswith("</html>") and page.count("Turn ") > 1


def _write_repeats(path, turn):
    checkpoint = repeats_in(None, "digest")
    checkpoint.path = path
    for repeat in range(50):
        checkpoint.results[repeat] = dict.fromkeys(_COLUMNS, np.full(200, turn))
    checkpoint._unwritten = True
    checkpoint.write()


def _whole_repeats(path):
    values = [v for r in repeats_in(path, "digest").results.values() for v in r.values()]
    return len(values) == 50 * len(_COLUMNS) and len(np.unique(values)) == 1


def _write_cells(path, turn):
    cells = cells_in(None)
    cells.path = path
    cells.results = {str(k): {"result": {"turn": turn}, "seconds": 0.0} for k in range(3_000)}
    cells._unwritten = True
    cells.write()


def _whole_cells(path):
    cells = cells_in(path).results
    return len(cells) == 3_000 and len({cell["result"]["turn"] for cell in cells.values()}) == 1


def _write_predictions(path, turn):
    score = (turn % 9 + 1) / 10
    write_predictions(path, {f"P{i}": {"GO:0003677": score} for i in range(N // 4)})


def _whole_predictions(path):
    scores = read_predictions(path).scores
    return len(scores) == N // 4 and len(np.unique(scores)) == 1


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.path[1:].encode()[-1:] * 1_000_000
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@functools.cache
def _address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def _download(path, turn):
    terms = _files.Terms(fetch=True, accept_unknown=True, sha256={}, progress=None)
    with (
        mock.patch.dict(os.environ, TRUEVAL_CACHE=str(path.parent)),
        mock.patch.object(_files, "_SCHEME", "http://127.0.0.1:"),
    ):
        _files.fetch(FileInfo(path.name, 1_000_000, None, f"{_address()}/{turn}"), terms)


def _whole_download(path):
    content = path.read_bytes()
    return len(content) == 1_000_000 and content == content[:1] * len(content)


def _alike(write, whole, *names):
    return [Output(name, write, whole) for name in names]


OUTPUTS = [
    *_alike(_write_folds, _whole_folds, "f.csv", "f.npz", "f.tsv.gz", "f.parquet"),
    *_alike(_write_labels, _whole_labels, "y.csv", "y.npz", "y.parquet", "y.csv.zst"),
    *_alike(_write_scores, _whole_scores, "s.tsv.gz", "s.npz", "s.parquet", "s.csv.xz"),
    Output("stage.json", lambda path, turn: write_stage(path, _stage(turn)), _whole_stage),
    Output("page.html", lambda path, turn: write_report(path, [_stage(turn)]), _whole_page),
    Output("repeats.npz", _write_repeats, _whole_repeats),
    Output("cells.json", _write_cells, _whole_cells),
    Output("predictions.txt.gz", _write_predictions, _whole_predictions),
    Output("download.bin", _download, _whole_download),
]


def left(folder: Path) -> list[str]:
    """Temporary files and folders in a folder."""
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".trueval-tmp"))
