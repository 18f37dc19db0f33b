"""What CONTRIBUTING says about adding things is true: each recipe is carried out on a copy."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trueval
from trueval import _kernels

ROOT = Path(__file__).parents[1]

METHOD_FILE = '''
import numpy as np

from trueval.core.random import as_generator
from trueval.stratify._inputs import reads_inputs


@reads_inputs
def thirds_folds(labels, parts, *, random_state=None, groups=None):
    """Random sizes, whatever was asked for."""
    folds = as_generator(random_state).integers(parts.n_parts, size=labels.n_rows, dtype=np.int32)
    return folds if groups is None else folds[groups]
'''

METHOD_RECORD = """
    Method(
        "thirds", "trueval.stratify.thirds:thirds_folds", "rows at random, sizes too", "O(n)",
        "O(n)", takes=("groups",), balances_classes=False,
    ),
"""

METHOD_CHECKS = """
from click.testing import CliRunner
import numpy as np
import trueval
from trueval.cli.app import cli

y = np.tile([[1, 0], [0, 1]], (30, 1))
assert set(trueval.stratified_folds(y, 3, method="thirds", random_state=0)) == {0, 1, 2}
for splitter in (
    trueval.MultilabelStratifiedKFold,
    trueval.RepeatedMultilabelStratifiedKFold,
    trueval.MultilabelStratifiedShuffleSplit,
):
    cv = splitter(3, method="thirds", random_state=0)
    assert len(list(cv.split(y=y))) == cv.get_n_splits()
cv = trueval.MultilabelStratifiedGroupKFold(3, method="thirds", random_state=0)
assert len(list(cv.split(y=y, groups=np.arange(60) // 2))) == 3
rows = "\\n".join(f"r{i},{'ab'[i % 2]}" for i in range(60))
open("labels.csv", "w").write(f"id,label\\n{rows}\\n")
line = ["split", "labels.csv", "--method", "thirds", "--compare", "random"]
run = CliRunner().invoke(cli, line)
assert run.exit_code == 0, run.output
assert "thirds" in run.output
run = CliRunner().invoke(cli, ["split", "labels.csv", "--method", "thirds", "--effort", "2"])
assert "--effort needs --method anneal; thirds cannot." in run.output

import make_registries
from tests import api, test_testing
from tests.stratify import test_methods

assert "``thirds``" in make_registries.methods() and "``thirds``" in make_registries.costs()
assert "trueval.stratify.thirds.thirds_folds" in api.documented()
assert "thirds" in test_methods.ALL and "thirds" not in test_methods.BALANCED
assert {s for s, method, _ in test_testing.CASES if method == "thirds"} == {*test_testing.SPLITTERS}
"""

RANKER_FILE = '''
from trueval.rank._base import Ranker, flat_curve


class FlatRanker(Ranker):
    """One value for each class: its share of positives."""

    def __init__(self, *, n_jobs=None):
        self.n_jobs = n_jobs

    def _fit_class(self, sample):
        return flat_curve(sample)
'''

RANKER_RECORD = """
    RankerRecord("flat", "trueval.rank._flat:FlatRanker", "share of positives", "the share"),
"""

RANKER_CHECKS = """
from click.testing import CliRunner
import numpy as np
import trueval.rank
from trueval.cli.app import cli

assert "FlatRanker" in trueval.rank.__all__
y = np.tile([[1, 0], [0, 1], [0, 0]], (20, 1))
scores = y + np.random.default_rng(0).normal(size=y.shape)
values = trueval.rank.FlatRanker().fit(scores, y).transform(scores)
np.testing.assert_allclose(values, 1 / 3)
assert isinstance(trueval.rank.make_ranker("flat"), trueval.rank.FlatRanker)
np.savetxt("scores.csv", scores, delimiter=",", header="a,b", comments="")
np.savetxt("labels.csv", y, fmt="%d", delimiter=",", header="a,b", comments="")
for command, *target in (["rank"], ["decide", "--precision", "0.3"]):
    line = [command, "scores.csv", "labels.csv", "--same-order", "--ranker", "flat", *target]
    run = CliRunner().invoke(cli, line)
    assert run.exit_code == 0, run.output
    assert "flat" in run.output

import make_registries
from tests import api
from tests.rank import test_rankers

assert "``flat``" in make_registries.rankers()
assert "trueval.rank.FlatRanker" in api.documented()
assert any(type(ranker).__name__ == "FlatRanker" for ranker in test_rankers.RANKERS)
"""

RECIPES = {
    "split method": (
        {"stratify/thirds.py": METHOD_FILE},
        {"stratify/_methods.py": ("_ALL = (\n", METHOD_RECORD)},
        METHOD_CHECKS,
        4,
    ),
    "ranker": (
        {"rank/_flat.py": RANKER_FILE},
        {"rank/_registry.py": ("_ALL = (\n", RANKER_RECORD)},
        RANKER_CHECKS,
        3,
    ),
}


@pytest.mark.parametrize("name", RECIPES)
def test_recipe(name, tmp_path):
    new, changed, checks, most = RECIPES[name]
    package = tmp_path / "site" / "trueval"
    shutil.copytree(Path(trueval.__file__).parent, package)
    if not list(package.glob("_kernels*.so")):  # an editable installation has them elsewhere
        shutil.copy(_kernels.__file__, package)
    for path, text in new.items():
        (package / path).write_text(text, encoding="utf-8")
    for path, (after, text) in changed.items():
        source = (package / path).read_text(encoding="utf-8")
        assert source.count(after) == 1
        (package / path).write_text(source.replace(after, after + text), encoding="utf-8")
    assert len(new) + len(changed) + 1 <= most  # and one file of tests
    paths = [str(package.parent), str(ROOT / "docs"), str(ROOT)]
    first = (
        f"import sys\nsys.path[:0] = {paths!r}\n"
        "sys.meta_path = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n"
        f"import trueval\nassert trueval.__file__.startswith({str(package)!r}), trueval.__file__\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", first + checks], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
