"""``trueval audit --rows``: files of every form, gates, JUnit, SARIF, errors without tracebacks."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import scipy.sparse as sp

CHECKS = ("ids", "groups", "time", "similarity", "duplicates", "near_duplicates", "nearness",
          "target", "order", "shift")  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def features(n=120, leak=True):
    """Rows with a word, the last ten of which are the first ten again."""
    generator = np.random.default_rng(0)
    rows = [
        [f"p{number}", *(f"{x:.6f}" for x in generator.normal(size=4)), "ab"[number % 2]]
        for number in range(n)
    ]
    if leak:
        for number in range(10):
            rows[n - 10 + number][1:] = rows[number][1:]
    return rows


HEADER = ["id", "w", "x", "y", "z", "word"]


def write(name, header, rows, delimiter=","):
    lines = [delimiter.join(map(str, row)) for row in ([header] if header else []) + list(rows)]
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def with_split(rows, n_test=40):
    words = ["train"] * (len(rows) - n_test) + ["test"] * n_test
    return [[*row, word] for row, word in zip(rows, words, strict=True)]


def split_column():
    write("rows.csv", [*HEADER, "split"], with_split(features()))
    return ["rows.csv", "--split-column", "split"]


def two_files():
    rows = features()
    write("train.csv", HEADER, rows[:80])
    write("test.csv", HEADER, rows[80:])
    return ["--train", "train.csv", "--test", "test.csv"]


def row_numbers():
    write("rows.csv", HEADER, features())
    write("train.csv", ["row"], [[n] for n in range(80)])
    write("test.csv", ["row"], [[n] for n in range(80, 120)])
    return ["rows.csv", "--train", "train.csv", "--test", "test.csv"]


def ids_of_rows():
    write("rows.csv", HEADER, features())
    write("train.csv", ["id"], [[f"p{n}"] for n in range(80)])
    write("test.csv", ["id"], [[f"p{n}"] for n in range(80, 120)])
    return ["rows.csv", "--train", "train.csv", "--test", "test.csv"]


def fold_file():
    write("rows.csv", HEADER, features())
    order = np.random.default_rng(1).permutation(120)
    write("folds.csv", ["id", "fold"], [[f"p{n}", "test" if n >= 80 else "train"] for n in order])
    return ["rows.csv", "--folds", "folds.csv"]


def tabs_without_header():
    rows = with_split([row[1:] for row in features()])
    write("rows.tsv", None, rows, "\t")
    return ["rows.tsv", "--split-column", "5", "--no-header"]


def other_names():
    header = ["code", "w", "x", "y", "z", "word", "note", "part"]
    rows = [[*row[:6], f"note {n}", row[6]] for n, row in enumerate(with_split(features()))]
    write("rows.csv", header, rows)
    return ["rows.csv", "--split-column", "part", "--id-column", "code", "--ignore", "note"]


FORMS = [split_column, two_files, row_numbers, ids_of_rows, fold_file, tabs_without_header,
         other_names]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_copies_are_found_however_they_are_written(here, call, form):
    code, out, err = call("audit", "--rows", *form(), "--require", "duplicates", "--json")
    assert code == 1, err
    result = json.loads(out)
    (audit,) = result["audits"].values()
    assert (audit["n_train"], audit["n_test"]) == (80, 40)
    assert audit["checks"]["duplicates"]["rows"] == list(range(110, 120))
    assert set(audit["checks"]) | set(audit["skipped"]) == set(CHECKS)
    (failed,) = result["failed"].values()
    assert (
        failed == "10 test rows equal a training row in all columns, which chance does not explain."
    )


def test_what_the_terminal_says(here, call):
    code, out, err = call("audit", "--rows", *split_column(), "--require", "leaks")
    said = " ".join(out.split())
    assert code == 1
    assert err == ""
    assert "rows.csv: 5 features (1 of text), id 'id', split 'split'." in said
    assert "Leak: duplicates." in said
    assert "10 test rows equal a training row in all columns" in said
    assert "columns of text, read as categories: 'word'" in said
    assert "not checked: groups, time, similarity, target (not given)" in said
    assert "Failed in 1 of 1:" in said


def test_a_clean_split_passes(here, call):
    write("rows.csv", [*HEADER, "split"], with_split(features(leak=False)))
    code, out, _ = call(
        "audit", "--rows", "rows.csv", "--split-column", "split", "--require", "all"
    )
    said = " ".join(out.split())
    assert code == 0
    assert "No leak was found." in said
    assert "Passed: no alarm of all." in said


def test_groups_time_and_target(here, call_json):
    generator = np.random.default_rng(0)
    rows = [
        [*generator.normal(size=2), n % 2 * 7, n % 30, f"2024-{1 + n // 30:02d}-01", n % 2, "train"]
        for n in range(120)
    ]
    for row in rows[60:90]:
        row[-1] = "test"
    write("rows.csv", ["a", "b", "c", "who", "day", "y", "part"], rows)
    result = call_json("audit", "--rows", "rows.csv", "--split-column", "part", "--group-column",
                       "who", "--time-column", "day", "--label-column", "y")  # fmt: skip
    audit = result["audits"]["test"]
    assert set(audit["alarms"]) == {"groups", "time", "target"}
    assert audit["checks"]["groups"]["value"] == 30
    assert audit["checks"]["time"]["detail"]["n_train_later"] == 30
    columns = {column["column"] for column in audit["checks"]["target"]["detail"]["columns"]}
    assert columns == {"c"}
    assert audit["baseline"]["measure"] == "micro F1"


def test_labels_of_another_file_and_similar_rows(here, call_json):
    write("rows.csv", [*HEADER, "split"], with_split(features(leak=False)))
    order = np.random.default_rng(0).permutation(120)
    write(
        "labels.csv", ["id", "labels"], [[f"p{n}", "even;all" if n % 2 else "odd"] for n in order]
    )
    write("hits.csv", ["a", "b", "similarity"], [["p0", "p100", 0.9], ["p1", "p101", 0.2]])
    arguments = ["audit", "--rows", "rows.csv", "--split-column", "split", "--labels", "labels.csv",
                 "--similarity", "hits.csv", "--threshold", "0.5"]  # fmt: skip
    audit = call_json(*arguments)["audits"]["test"]
    # The word says whether a row is even.
    assert {c["column"] for c in audit["checks"]["target"]["detail"]["columns"]} == {"word"}
    assert audit["checks"]["similarity"]["rows"] == [100]


def test_a_sparse_matrix(here, call_json):
    matrix = sp.lil_array(sp.random(200, 400, 0.1, random_state=np.random.default_rng(0)))
    matrix[190:] = matrix[:10]
    sp.save_npz("rows.npz", sp.csr_array(matrix))
    write("folds.csv", ["row", "fold"], [[n, int(n >= 150)] for n in range(200)])
    audits = call_json("audit", "--rows", "rows.npz", "--folds", "folds.csv")["audits"]
    assert list(audits) == ["fold 0", "fold 1"]
    assert audits["fold 1"]["checks"]["duplicates"]["rows"] == list(range(190, 200))
    assert audits["fold 1"]["alarms"] == ["duplicates"]


def test_missing_cells_are_missing_values(here, call_json):
    rows = features()
    for number in range(0, 120, 7):
        rows[number][2] = ["", "NA", "nan"][number % 3]
    for number in range(10):
        rows[110 + number][1:] = rows[number][1:]
    write("rows.csv", [*HEADER, "split"], with_split(rows))
    audit = call_json("audit", "--rows", "rows.csv", "--split-column", "split")["audits"]["test"]
    assert audit["categories"] == ["word"]
    assert audit["checks"]["duplicates"]["rows"] == list(range(110, 120))


def test_test_rows_without_a_target_are_audited_without_it(here, call):
    rows = features()
    write("train.csv", [*HEADER, "target"], [[*row, n % 2] for n, row in enumerate(rows[:80])])
    write("test.csv", HEADER, rows[80:])
    code, out, err = call("audit", "--rows", "--train", "train.csv", "--test", "test.csv",
                          "--label-column", "target")  # fmt: skip
    assert code == 0
    assert "test.csv: no column 'target'" in err
    assert "duplicates" in out


def test_the_same_seed_gives_the_same(here, call_json):
    arguments = ["audit", "--rows", *split_column()]
    first, second = (call_json(*arguments)["audits"] for _ in range(2))
    assert first == second


def test_junit(here, call):
    code, _, _ = call("audit", "--rows", *split_column(), "--junit", "audit.xml")
    assert code == 0  # nothing was required
    root = ET.parse("audit.xml").getroot()
    assert root.tag == "testsuites"
    (suite,) = root
    cases = {case.get("name"): case for case in suite}
    assert set(cases) == set(CHECKS)
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == "1"
    assert suite.get("skipped") == "4"
    assert suite.get("errors") == "0"
    assert suite.get("name") == "rows.csv: test"
    (failure,) = cases["duplicates"].findall("failure")
    assert failure.get("message").startswith("10 test rows equal a training row")
    assert cases["groups"].find("skipped").get("message") == "not checked: not given"
    assert cases["shift"].find("failure") is None
    assert [path.name for path in here.iterdir() if "trueval-tmp" in path.name] == []


def check_sarif(log):
    """What SARIF 2.1.0 requires of the parts that are used."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    assert isinstance(log["runs"], list)
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"]
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for rule in driver["rules"]:
            assert rule["shortDescription"]["text"]
        for result in run["results"]:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("none", "note", "warning", "error")
            assert result["message"]["text"]
            for location in result["locations"]:
                uri = location["physicalLocation"]["artifactLocation"]["uri"]
                assert " " not in uri
                assert "\\" not in uri


def test_sarif(here, call):
    split_column()
    (here / "rows.csv").rename(here / "my rows.csv")
    arguments = ["audit", "--rows", "my rows.csv", "--split-column", "split", "--sarif"]
    code, out, _ = call(*arguments, "audit.sarif")
    assert code == 0
    assert "Wrote audit.sarif" in out
    log = json.loads((here / "audit.sarif").read_text(encoding="utf-8"))
    check_sarif(log)
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("trueval/duplicates", "error")
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "my%20rows.csv"
    call(*arguments, "audit.sarif", "--require", "order")  # another check was required
    (result,) = json.loads((here / "audit.sarif").read_text())["runs"][0]["results"]
    assert result["level"] == "warning"


def test_pairs_have_both_files_too(here, call):
    write(
        "pairs.csv",
        ["a", "b", "split"],
        [["p", "q", "train"], ["q", "p", "test"], ["r", "s", "test"]],
    )
    code, _, _ = call("audit", "pairs.csv", "--split-column", "split", "--require", "BB", "--junit",
                      "audit.xml", "--sarif", "audit.sarif")  # fmt: skip
    assert code == 1
    (suite,) = ET.parse("audit.xml").getroot()
    assert [case.get("name") for case in suite] == ["pairs", "setting-BB"]
    assert suite.get("failures") == "2"
    log = json.loads((here / "audit.sarif").read_text())
    check_sarif(log)
    assert {r["ruleId"] for r in log["runs"][0]["results"]} == {
        "trueval/pairs",
        "trueval/setting-BB",
    }


def test_a_report_and_a_saved_result(here, call):
    code, _, err = call(
        "audit", "--rows", *split_column(), "--save", "a.json", "--report", "a.html"
    )
    assert code == 0, err
    assert "Leak: duplicates." in (here / "a.html").read_text(encoding="utf-8")
    assert json.loads((here / "a.json").read_text())["kind"] == "rows"
    code, _, err = call("report", "a.json", "-o", "b.html")
    assert code == 0, err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rows.csv"], 2, "Give --train and --test, or --folds, or --split-column."),
        (["--split-column", "split"], 2, "Give FILE."),
        (["rows.csv", "--split-column", "part"], 2, "no column is named 'part'"),
        (["rows.csv", "--split-column", "split", "--bipartite"], 2, "is for pairs"),
        (["rows.csv", "--split-column", "split", "--clusters", "rows.csv"], 2, "is for pairs"),
        (
            ["rows.csv", "--split-column", "split", "--id-column", "split"],
            1,
            "named for two things",
        ),
        (["rows.csv", "--split-column", "split", "--require", "copies"], 2, "no check 'copies'"),
        (["rows.csv", "--split-column", "split", "--require", "groups"], 2, "no check 'groups'"),
        (["rows.csv", "--split-column", "split", "--threshold", "1"], 2, "needs --similarity"),
        (["rows.csv", "--split-column", "word"], 0, ""),  # folds named a and b
        (["rows.csv", "--split-column", "split", "--time-column", "word"], 1, "ISO form"),
        (["rows.csv", "--split-column", "split", "--group-column", "gap"], 1, "group is missing"),
        (["rows.csv", "--split-column", "split", "--junit", "no/a.xml"], 1, "folder 'no'"),
        (["rows.csv", "--split-column", "split", "--sarif", "rows.csv"], 2, "would be lost"),
        (["rows.csv", "--train", "numbers.csv", "--test", "numbers.csv"], 1, "beyond the 120 rows"),
        (["rows.csv", "--folds", "short.csv"], 1, "1 folds for 120 rows"),
        (["rows.csv", "--folds", "names.csv"], 1, "row id"),
        (["empty.csv", "--split-column", "split"], 1, "empty"),
        (["--train", "rows.csv", "--test", "numbers.csv"], 1, "one of training and test only"),
    ],
)
def test_errors_without_a_traceback(here, call, arguments, code, message):
    rows = [[*row, "" if n == 3 else "g"] for n, row in enumerate(with_split(features()))]
    write("rows.csv", [*HEADER, "split", "gap"], rows)
    write("numbers.csv", ["row"], [[5], [999]])
    write("short.csv", ["row", "fold"], [[0, 0]])
    write("names.csv", ["id", "fold"], [["someone", 0], ["else", 1]])
    (here / "empty.csv").write_text("")
    result, _, err = call("audit", "--rows", *arguments)
    assert result == code, err
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_numbers_that_are_ids_too_are_refused(here, call):
    write("rows.csv", ["id", "x"], [[n + 1, n * 0.3] for n in range(20)])
    write("train.csv", ["row"], [[n] for n in range(10)])
    write("test.csv", ["row"], [[n] for n in range(10, 20)])
    code, _, err = call("audit", "--rows", "rows.csv", "--train", "train.csv", "--test", "test.csv")
    assert code == 1
    assert "may be row numbers as well as ids" in err


def test_options_of_rows_need_the_word(here, call):
    write("pairs.csv", ["a", "b", "split"], [["p", "q", "train"], ["r", "s", "test"]])
    code, _, err = call("audit", "pairs.csv", "--split-column", "split", "--group-column", "a")
    assert code == 2
    assert "--group-column is for rows: add --rows." in " ".join(err.split())
    code, _, err = call("audit", "pairs.csv", "--split-column", "split", "--require", "leaks")
    assert code == 2
    assert "--require" in err
