"""Every input of a command in any format that holds it, from a file or standard input."""

import pandas as pd
import pytest

from trueval.data.catalogue import CATALOGUE

OBO = "format-version: 1.2\n\n[Term]\nid: GO:1\nname: r\n\n[Term]\nid: GO:2\nis_a: GO:1\n"
GAF = "!gaf-version: 2.1\n" + "".join(
    f"DB\tP{i}\t\t\tGO:{1 + i % 2}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20140101\tDB\t\t\n"
    for i in range(8)
)


def test_groups_fixed_and_clusters_in_parquet(home, call_json):
    for name in ("families", "pairs"):
        pd.read_csv(f"trueval-demo/{name}.csv").to_parquet(f"{name}.parquet", index=False)
    split = ("split", "trueval-demo/labels.csv", "-k", 3, "--groups")
    expected = call_json(*split, "trueval-demo/families.csv")["folds"]
    assert call_json(*split, "families.parquet")["folds"] == expected
    pairs = ("pairs", "trueval-demo/pairs.csv", "-k", 3, "--clusters")
    expected = call_json(*pairs, "trueval-demo/families.csv")
    other = call_json("pairs", "pairs.parquet", "-k", 3, "--clusters", "families.parquet")
    for key in ("pairs", "objects", "validated", "share_dropped"):
        assert other[key] == expected[key]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz", "tsv.gz"])
def test_folds_of_pairs_in_all_formats(home, call, call_json, suffix):
    file = f"folds.{suffix}"
    code, _, err = call("pairs", "trueval-demo/pairs.csv", "-k", 3, "-o", file)
    assert code == 0, err
    audits = call_json("audit", "trueval-demo/pairs.csv", "--folds", file)["audits"]
    assert len(audits) == 3
    assert all(a["counts"]["AA"] == a["counts"]["AB"] == 0 for a in audits.values())


def test_gaf_and_ontology_from_standard_input(tmp_path, monkeypatch, call_json, call):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "go.obo").write_text(OBO)
    (tmp_path / "a.gaf").write_text(GAF)
    expected = call_json("split", "a.gaf", "-k", 2, "--ontology", "go.obo")["folds"]
    ways = {("-", "go.obo"): GAF, ("a.gaf", "-"): OBO}
    for (labels, ontology), data in ways.items():
        code, out, err = call("split", labels, "-k", 2, "--ontology", ontology, "--json", data=data)
        assert code == 0, err
        assert f'"folds": {expected}' in out


def test_list_and_info_agree(monkeypatch, tmp_path, call_json):
    monkeypatch.setenv("TRUEVAL_CACHE", str(tmp_path))
    monkeypatch.delenv("TRUEVAL_DATA", raising=False)
    for entry in call_json("data", "list")["datasets"][:8]:
        info = call_json("data", "info", entry["name"])
        assert info["where"] == entry["where"]
        known = CATALOGUE[entry["name"]]
        n_files = len(known.files) + len(known.published)
        assert len(info["files"]) == n_files
        can_fetch = any(file["url"] for file in info["files"])
        assert can_fetch or info["where"] == "by hand"
