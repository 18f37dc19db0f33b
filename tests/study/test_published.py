"""The papers' numbers are typed right: checked against what the papers say of them."""

import math

import pytest

from trueval.study import _published_000 as published_000
from trueval.study import _published_001 as published_001
from trueval.study import _published_002 as published_002
from trueval.study._published import read_published


def mean(values):
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known)


def test_typed_tables_are_read_or_refused():
    assert read_published("a 1 -\nb 2 3", 1, ["x", "y"])[("b",)] == {"x": 2.0, "y": 3.0}
    with pytest.raises(ValueError, match="wrong or repeated line: 'a 1'"):
        read_published("a 1", 1, ["x", "y"])
    with pytest.raises(ValueError, match="repeated"):
        read_published("a 1\na 2", 1, ["x"])


def test_optisplit_seconds_are_its_hours():
    both = [r for r in published_000.TABLE_3.values() if r["hours"] > 0 and r["seconds"] > 0]
    assert len(both) == 12
    for row in both:
        assert row["seconds"] / 3600 == pytest.approx(row["hours"], abs=0.006)


def test_optisplit_rows_are_lowest_where_the_paper_says_so():
    """Each variant is best among the variants at what it optimises."""
    table = published_000.TABLE_3
    for data in ("bibtex", "delicious", "CC", "MF", "BP"):
        variants = {m: table[data, f"optisplit-{m}"] for m in ("rld", "dcp", "ld")}
        assert variants["rld"]["rLD"] < variants["dcp"]["rLD"]
        assert variants["dcp"]["DCP"] < variants["rld"]["DCP"]
    for data in ("bibtex", "delicious", "MF", "BP"):
        assert table[data, "optisplit-ld"]["LD"] < table[data, "optisplit-rld"]["LD"]
    assert {key[1] for key in table} == set(published_000.METHODS)
    assert {key[0] for key in table} | {"synthetic"} == {key[0] for key in published_000.TABLE_2}


def test_optisplit_class_sizes_are_in_order():
    for row in published_000.TABLE_2.values():
        sizes = [row[c] for c in ("min", "25 %", "50 %", "75 %", "max")]
        assert sizes == sorted(sizes)
        assert row["max"] <= row["rows"]


def test_pair_deviations_are_as_the_text_describes_them():
    """Signs, the order of schemes and of variances, and what pooling does."""
    for (data, scheme), row in published_001.TABLE_1.items():
        known = [v for v in row.values() if not math.isnan(v)]
        assert all(v > 0 for v in known) if scheme == "relaxed" else all(v < 0 for v in known)
        variance = published_001.TABLE_2[data, scheme]
        assert variance["LTO"] == min(variance.values())
        if scheme == "relaxed":
            assert row["P-10x"] > row["A-10x"]
            strict = published_001.TABLE_2[data, "strict"]
            assert all(strict[way] > variance[way] for way in variance)
    assert list(published_001.GENERALIZATION.values()) == [0.5857, 0.6524, 0.7423, 0.6351]
    assert len(published_001.TABLE_1) == len(published_001.TABLE_2) == 8


def test_simulation_tables_have_all_settings():
    sizes, shares = ("100", "200", "500"), ("0.05", "0.1", "0.15", "0.2")
    settings = [(m, p) for m in sizes for p in shares]
    assert list(published_002.TABLE_2) == list(published_002.TABLE_3) == settings
    assert len(published_002.TABLE_5) == 36
    assert len(published_002.TABLE_4) == 32
    assert set(published_002.TABLE_4) < set(published_002.TABLE_5)
    for _, first, second in published_002.TABLE_5:
        total = float(first) + float(second)
        assert min(abs(total - t) for t in (0.05, 0.1, 0.15, 0.2)) < 1e-9
        assert min(abs(float(second) / total - r) for r in (0.1, 0.3, 0.5)) < 1e-9


def test_simulation_areas_are_in_the_papers_order():
    for table in (published_002.TABLE_2, published_002.TABLE_4):
        for row in table.values():
            areas = {name: row[name] for name in published_002.AREAS}
            assert max(areas, key=areas.get) == "LPR"
            assert min(areas, key=areas.get) == "raw"
    first = {n: mean(r[n] for r in published_002.TABLE_2.values()) for n in published_002.AREAS}
    assert first["LPR"] > first["p-value"] > max(first["ltdr"], first["FDR"])
    assert first["ltdr"] == pytest.approx(first["FDR"], abs=0.01)
    second = {n: mean(r[n] for r in published_002.TABLE_4.values()) for n in published_002.AREAS}
    assert second["LPR"] > second["ltdr"] > second["FDR"] > second["raw"]
    assert second["ltdr"] == pytest.approx(second["p-value"], abs=0.01)


def test_simulation_f_is_as_the_text_describes_it():
    """OT is slightly better in Simulation I, LPR in Simulation II."""
    assert all(row["OT"] >= row["LPR"] for row in published_002.TABLE_3.values())
    rows = published_002.TABLE_5.values()
    assert mean(r["LPR"] for r in rows) > mean(r["OT"] for r in rows)


def test_benchmark_f_is_that_of_its_precision_and_recall():
    table = published_002.TABLE_8
    assert len(table) == 27
    for data, beta, measure in table:
        if measure != "F":
            continue
        square = float(beta) ** 2
        for method in published_002.BENCHMARKS:
            p, r = (table[data, beta, m][method] for m in ("precision", "recall"))
            f = (1 + square) * p * r / (square * p + r)
            # The paper averages F over folds: not the F of averages, but close to it.
            assert table[data, beta, "F"][method] == pytest.approx(f, abs=0.015)
