"""The page as a file: one, small, the same each time, with text from data escaped."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

from tests.report import problems
from trueval import InputError, ParameterError
from trueval.data import simulate
from trueval.report import (
    ReportSizeWarning,
    Stage,
    rank_stage,
    split_stage,
    study_stage,
    write_report,
)
from trueval.report._write import _PAGE
from trueval.report.sections.rank._live import varints
from trueval.show._vega import policy, scripts
from trueval.table import Table

HOSTILE = ["<script>alert(1)</script>", "</script><script>alert(2)</script>", '"><img src=x>', "&"]


def island(text):
    """What a browser reads from the page's JSON."""
    found = re.search(r'<script type="application/json" id="trueval-data">(.*?)</script>', text)
    return json.loads(found.group(1))


def test_same_stages_same_bytes(tmp_path):
    stages = [problems.split(), problems.pairs(), problems.rank()]
    first = write_report(tmp_path / "a.html", stages).read_bytes()
    assert write_report(tmp_path / "b.html", stages).read_bytes() == first
    assert write_report(tmp_path / "b.html", stages).name == "b.html"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_page_names_no_address_that_a_browser_would_fetch(tmp_path):
    text = write_report(tmp_path / "a.html", [problems.split(), problems.rank()]).read_text()
    head = text.split("<script", 1)[0]
    assert "http" not in head.replace("http-equiv", "")
    assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=", text.split("</style>")[1][:50_000])
    assert "sourceMappingURL" not in text
    assert "connect-src" not in text  # default-src 'none' forbids it
    assert "default-src 'none'" in head


def test_the_policy_runs_the_scripts_of_the_page_and_nothing_else(tmp_path):
    text = write_report(tmp_path / "a.html", [problems.split(), problems.rank()]).read_text()
    allowed = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert "unsafe" not in allowed
    inline = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert inline[0] == scripts()
    assert len(styles) == 1
    assert allowed == policy(inline, styles)
    assert not re.search(r"<[^>]+\son\w+=|<[^>]+\sstyle=", text.split("<script")[0])


def test_verdicts_say_what_the_numbers_say(tmp_path):
    stage = problems.split()
    text = write_report(tmp_path / "a.html", [stage], title="A <title>").read_text()
    assert "<h1>A &lt;title&gt;</h1>" in text
    assert stage.data["methods"][0]["rld_ratio"] == pytest.approx(1.0)
    told = stage.data["summary"]["verdict"]
    assert told["text"].startswith("Class counts reach the lower bound: no split is better")
    for words in (told["text"], told["reason"], *stage.data["summary"]["notes"]):
        assert words in text
    assert 'class="verdict level-good"' in text
    pairs = problems.pairs()
    text = write_report(tmp_path / "a.html", [stage, pairs]).read_text()
    assert "expect an AUC of 0.700, about the same as the relaxed scheme." in text
    for fact in pairs.data["audits"]:
        assert fact["verdict"]["text"] in text
    overview = text.partition('class="overview"')[2].partition("</ul>")[0]
    assert overview.count("<li") == 2
    assert told["text"] in overview


def test_promise_compares_schemes_of_one_model(tmp_path):
    from trueval.report import pairs_stage

    def line(model, scheme, averaged):
        return {"model": model, "scheme": scheme, "setting": "BB", "averaged": averaged}

    schemes = [
        line("names", "relaxed", 0.82),
        line("mine", "relaxed", 0.77),
        line("names", "strict", 0.5),
        line("mine", "strict", 0.58),
    ]
    text = write_report(tmp_path / "a.html", [pairs_stage(schemes=schemes)]).read_text()
    assert "expect an AUC of 0.580 (mine), not the 0.770 of the relaxed scheme." in text
    schemes[1]["averaged"] = 0.59
    text = write_report(tmp_path / "a.html", [pairs_stage(schemes=schemes)]).read_text()
    assert "expect an AUC of 0.580 (mine), about the same as the relaxed scheme." in text


def test_options_not_given_are_not_shown(tmp_path):
    stage = problems.split()
    given = {"parameters": {"groups": None, "compare": ["random", "iterative"]}}
    stage = type(stage)(stage.kind, stage.data, given)
    text = write_report(tmp_path / "a.html", [stage]).read_text()
    assert ">groups<" not in text
    assert "random, iterative" in text


def test_leaks_are_the_verdict(tmp_path):
    from trueval.pairs import audit_pairs
    from trueval.report import pairs_stage

    audit = audit_pairs([("a", "b"), ("b", "a"), ("c", "d")], [0], [1, 2])
    path = write_report(tmp_path / "a.html", [pairs_stage(audits={"mine": audit})])
    assert "Leak: 1 of 2 test pairs occurs in training too." in path.read_text()


def test_text_from_data_is_escaped(tmp_path):
    y = sp.csr_array(np.tile(np.eye(4, dtype=int), (10, 1)))
    import pandas as pd

    frame = pd.DataFrame(y.toarray(), columns=HOSTILE)
    values = np.random.default_rng(0).random((40, 4))
    ids = [HOSTILE[i % 4] + str(i) for i in range(40)]
    provenance = {"command": HOSTILE[1], "inputs": [{"path": HOSTILE[0]}], "note": HOSTILE[2]}
    stages = [
        split_stage(frame, np.arange(40) % 2, method=HOSTILE[0], provenance=provenance),
        rank_stage({HOSTILE[1]: values}, frame, ids=ids, provenance=provenance),
    ]
    text = write_report(tmp_path / "a.html", stages, title=HOSTILE[1]).read_text()
    assert "alert(1)</script>" not in text
    assert "alert(2)</script>" not in text
    assert "<img" not in text.split("</style>")[1].split("<script", 1)[0]
    assert island(text)["stages"]["s1"]["classes"] == HOSTILE


def test_ten_thousand_classes_stay_below_two_megabytes(tmp_path):
    y = simulate.label_matrix(20_000, 10_000, random_state=0)
    generator = np.random.default_rng(0)
    noise = sp.coo_array(
        (np.ones(300_000), generator.integers([[20_000], [10_000]], size=(2, 300_000))),
        shape=y.shape,
    )
    places = (y.astype(float) + noise.tocsr()).tocsr()
    raw = places.copy()
    raw.data = generator.random(len(raw.data)) + 0.5 * (places.data > 1)
    values = raw.copy()
    values.data = np.clip(raw.data / 2, 0, 1)
    folds, *more = (generator.permutation(20_000) % 5 for _ in range(4))
    others = {str(i): other for i, other in enumerate(more)}
    stages = [
        split_stage(y, folds, others=others),
        problems.pairs(),
        rank_stage({"values": values, "raw": raw}, y),
    ]
    size = write_report(tmp_path / "large.html", stages).stat().st_size
    assert size < 2_000_000
    grid = stages[2].data["grid"]
    assert len(grid["thresholds"]) >= 20
    for place in (0, len(grid["thresholds"]) // 2, -1):
        assert grid["calls"][place] == (values.data >= grid["thresholds"][place]).sum()


def test_a_page_too_large_is_said(tmp_path):
    notes = ["x" * 1_200_000]
    stage = Stage("study", {"title": "t", "columns": [], "rows": [], "notes": notes})
    with pytest.warns(ReportSizeWarning, match=r"the report has 2\.\d MB"):
        write_report(tmp_path / "a.html", [stage])


def test_study_table_is_shown(tmp_path):
    class Result:
        name, title, figure, provenance = "t1", "Table <1>", None, {"seed": 3}
        table = Table({"method": ["IS"], "paper": [0.25], "measured": [0.251]})
        notes = ("as printed",)

    text = write_report(tmp_path / "a.html", [study_stage(Result())]).read_text()
    assert "Table &lt;1&gt;" in text
    assert "<td>0.251</td>" in text


def test_write_refusals(tmp_path):
    with pytest.raises(ParameterError, match="'stages' parameter of write_report"):
        write_report(tmp_path / "a.html", [])
    with pytest.raises(ParameterError, match="at least one Stage"):
        write_report(tmp_path / "a.html", [{"kind": "split"}])
    with pytest.raises(InputError, match=r"data of split\['method'\] must be given"):
        Stage("split", {"n_rows": 3})
    assert not list(tmp_path.iterdir())


def test_varints_against_a_naive_reading():
    numbers = np.array([0, 1, 127, 128, 16_383, 16_384, 2**31, 2**40])
    data, read = varints(numbers), []
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            read.append(value)
            value = shift = 0
    assert read == numbers.tolist()
    assert varints(np.empty(0, int)) == b""


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1])
def test_text_has_contrast(theme):
    """WCAG 2 level AA: text on its ground has a contrast of at least 4.5."""
    style = (_PAGE / "style.css").read_text()
    block = re.findall(r":root[^{]*\{([^}]*)\}", style)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    on = [(text, ground) for text in ("text", "soft", "accent", "bad", "good", "fair")
          for ground in ("ground", "raised")]  # fmt: skip
    on += [("on-accent", "accent"), ("text", "accent-soft")]
    for text, ground in on:
        light, dark = sorted((_luminance(colours[text]), _luminance(colours[ground])))[::-1]
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
