"""Every asv benchmark runs once on small data, so that none rots unseen."""

import importlib
import inspect
import math
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "asv"
if not FOLDER.is_dir():
    pytest.skip("the benchmarks are not in this copy", allow_module_level=True)


def load(name):
    sys.path.insert(0, str(FOLDER.parents[1]))
    try:
        return importlib.import_module(f"benchmarks.asv.{name}")
    finally:
        sys.path.pop(0)


MODULES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
CASES = [
    (cls, method)
    for module in MODULES
    for _, cls in inspect.getmembers(load(module), inspect.isclass)
    if cls.__module__.endswith(module)
    for method, _ in inspect.getmembers(cls, inspect.isfunction)
    if method.startswith(("time_", "peakmem_", "track_"))
]


@pytest.mark.parametrize(
    ("cls", "method"), CASES, ids=[f"{cls.__name__}.{method}" for cls, method in CASES]
)
def test_runs_on_small_data(cls, method):
    assert len(cls.SMALL) == len(cls.params) == len(cls.param_names)
    case = cls()
    case.setup(*cls.SMALL)
    try:
        result = getattr(case, method)(*cls.SMALL)
    finally:
        if hasattr(case, "teardown"):
            case.teardown(*cls.SMALL)
    if method.startswith("track_"):
        assert math.isfinite(result)
        assert getattr(cls, method).unit
    else:
        assert result is None


def test_all_main_paths_are_followed():
    followed = {cls.__name__ for cls, _ in CASES}
    assert followed >= {
        "StratifiedFolds",
        "SplitQuality",
        "Rankers",
        "Smoother",
        "PooledCurve",
        "Audit",
        "LeaveTwoOut",
        "ReadLabels",
    }
