"""CAFA-evaluator 1.3.0 as the oracle: every number at every threshold."""

import logging
import warnings
from pathlib import Path

import cafaeval
import numpy as np
import pytest
from cafaeval.evaluation import cafa_eval
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa.columns import COLUMNS
from tests.cafa.problems import problems
from trueval.cafa import evaluate
from trueval.core.errors import InputWarning

logging.getLogger().setLevel(logging.ERROR)

#: Tables of best values of cafaeval: column, and our measure and threshold.
BEST = {
    "f": ("f", "fmax", "threshold"),
    "f_w": ("f_w", "wfmax", "wthreshold"),
    "f_micro": ("f_micro", "fmax_micro", "threshold_micro"),
    "f_micro_w": ("f_micro_w", "wfmax_micro", "wthreshold_micro"),
}


def compare(found, frame, best, *, weighted):
    """Every curve and every best value, to 1e-9."""
    frame = frame.reset_index()
    assert len(frame)
    for aspect in frame["ns"].unique():
        own, rows = found[aspect], frame[frame["ns"] == aspect]
        covered = own.curves[""].n > 0
        np.testing.assert_array_equal(own.curves[""].thresholds[covered], rows["tau"])
        for key, curve in own.curves.items():
            for theirs, ours in COLUMNS.items():
                values = rows[theirs + ("_w" if key else "")].to_numpy()
                np.testing.assert_allclose(getattr(curve, ours)[covered], values, atol=1e-9)
        smin = "smin_unweighted" if weighted else "smin"
        wanted = BEST | {"s": ("s", smin, f"{smin}_threshold")}
        for table, (column, measure, threshold) in wanted.items():
            if table in best:
                row = best[table].reset_index().set_index("ns").loc[aspect]
                assert own.values[measure] == pytest.approx(row[column], abs=1e-9)
                assert own.values[threshold] == row["tau"]
        at_fmax = best["f"].reset_index().set_index("ns").loc[aspect]
        assert own.coverage == pytest.approx(at_fmax["cov"])
        assert own.coverage_max == pytest.approx(at_fmax["cov_max"])
        if weighted:
            assert own.smin == pytest.approx(rows["s_w"].min())


@given(
    problem=problems(),
    prop=st.sampled_from(["max", "fill"]),
    norm=st.sampled_from(["cafa", "pred", "gt"]),
    no_orphans=st.booleans(),
    max_terms=st.sampled_from([None, 1, 2, 4]),
    step=st.sampled_from([0.01, 0.05, 0.001]),
)
def test_equals_cafaeval(tmp_path_factory, problem, prop, norm, no_orphans, max_terms, step):
    folder = tmp_path_factory.mktemp("cafa")
    ontology, path, truth, ia = problem.write(folder)
    frame, best = cafa_eval(
        str(ontology),
        str(path.parent),
        str(truth),
        ia=None if ia is None else str(ia),
        no_orphans=no_orphans,
        norm=norm,
        prop=prop,
        max_terms=max_terms,
        th_step=step,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = evaluate(
            path,
            truth,
            ontology,
            ia=ia,
            propagation=prop,
            normalization=norm,
            orphans=not no_orphans,
            max_terms=max_terms,
            grid=step,
            n_resamples=0,
        )
    if frame is None or len(frame) == 0:
        assert all(own.fmax == 0 and own.coverage_max == 0 for own in found.values())
        return
    compare(found, frame, best, weighted=ia is not None)
    for own in found.values():
        for measure in ("fmax", "fmax_micro", "wfmax", "wfmax_micro"):
            if measure in own.values:
                assert own.exact[measure] >= own.values[measure] - 1e-9


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_equals_cafaeval_on_its_example(number, tmp_path):
    data = Path(cafaeval.__file__).parent / "data" / "example"
    (tmp_path / "predictions").mkdir()
    path = tmp_path / "predictions" / f"pred_{number}.tsv"
    path.write_bytes((data / "predictions" / path.name).read_bytes())
    files = data / "IDPO_disorder_function.obo", data / "ground_truth.tsv"
    frame, best = cafa_eval(str(files[0]), str(path.parent), str(files[1]))
    found = evaluate(path, files[1], files[0], n_resamples=0)
    compare(found, frame, best, weighted=False)
