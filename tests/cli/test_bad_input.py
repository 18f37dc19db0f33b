"""Bad data and wrong calls: one message, the right exit code, never a traceback."""

from importlib.metadata import version
from pathlib import Path

import pytest

GOOD = {
    "y.csv": "id,labels\na,x;z\nb,x\nc,z\nd,x;z\ne,x\nf,z\n",
    "s.csv": "id,x,z\na,.9,.8\nb,.7,.1\nc,.2,.6\nd,.8,.9\ne,.6,.2\nf,.1,.5\n",
    "p.csv": "a,b,y\nA,B,1\nB,C,0\nC,D,1\nA,D,0\nE,F,1\nE,A,0\n",
    "f.csv": "id,fold\na,0\nb,1\nc,0\nd,1\ne,0\nf,1\n",
    "o.csv": "id,f1,f2\nA,1,2\nB,2,1\nC,0,1\nD,1,1\nE,2,2\nF,1,0\n",
    "g.csv": "id,group\na,1\nb,1\nc,2\nd,2\ne,3\nf,3\n",
}
BAD = {
    "empty.csv": "",
    "header.csv": "id,labels\n",
    "ragged.csv": "id,labels\na,x\nb\n",
    "twice.csv": "id,labels\na,x\na,z\nb,x\n" * 2,
    "binary.csv": "id,labels\na,\0\n",
    "pickle.pkl": "\x80\x04\x95",
    "nan.csv": GOOD["s.csv"].replace(".9,.8", "nan,.8"),
    "words.csv": GOOD["s.csv"].replace(".9,.8", "much,.8"),
    "other_rows.csv": GOOD["s.csv"].replace("a,", "q,"),
    "other_classes.csv": GOOD["s.csv"].replace("z", "w"),
    "short_folds.csv": "id,fold\na,0\n",
    "minus_folds.csv": GOOD["f.csv"].replace("a,0", "a,-2"),
    "other_folds.csv": GOOD["f.csv"].replace("a,0", "q,0"),
    "short_groups.csv": "id,group\na,1\n",
    "empty_groups.csv": GOOD["g.csv"].replace("a,1", "a,"),
    "twice_groups.csv": GOOD["g.csv"].replace("b,1", "a,1"),
    "fixed_words.csv": "id,part\na,first\n",
    "fixed_far.csv": "id,part\na,7\n",
    "one_column.csv": "a\nA\nB\n",
    "empty_id.csv": "a,b,y\nA,,1\nB,C,0\n",
    "labels_differ.csv": "a,b,y\nA,B,1\nA,B,0\n",
    "two_labels.csv": "a,b,y,label\nA,B,1,0\n",
    "no_header.csv": "left,right,third\nA,B,1\nA,C,?\n",
    "ab.csv": "a,b\nA,B\n",
    "zero_one.csv": "row\n0\n1\n1\n",
    "no_y.csv": "a,b\nA,B\nB,C\nC,D\nA,D\nE,F\nE,A\n",
    "one_class.csv": GOOD["p.csv"].replace(",0\n", ",1\n"),
    "few_features.csv": "id,f1\nA,1\nB,2\n",
    "far_rows.csv": "row\n0\n99\n",
    "roles.csv": "row,a,b,fold_0\n" + "".join(f"{i},A,B,maybe\n" for i in range(6)),
    "stage.json": "{}",
    "no.json": "not json",
    "kind.json": '{"kind": "nothing", "schema": 1}',
    "broken.obo": "format-version: 1.2\n\n[Term]\nname: no id\n",
    "broken.npz": "PK\x03\x04 this is no archive",
}

# (arguments, exit code, what the message must say)
#: Of a group without a command, as its version of click has it.
SHOWS_HELP = 2 if tuple(map(int, version("click").split(".")[:2])) >= (8, 2) else 0
CASES = [
    ("split nowhere.csv", 1, "no such file"),
    ("split y.cvs", 1, "Did you mean y.csv?"),
    ("split deep/er/y.csv", 1, "The folder 'deep/er' is not there"),
    ("split .", 2, "folder"),
    ("split empty.csv", 1, "empty"),
    ("split header.csv", 1, "header but no rows"),
    ("split ragged.csv", 1, "line 3"),
    ("split binary.csv", 1, "binary.csv"),
    ("split pickle.pkl", 1, "pickle"),
    ("split broken.npz", 1, "broken.npz"),
    ("split broken.obo", 1, "ontology"),
    ("split y.csv -k 1", 2, "-k"),
    ("split y.csv -k 7", 1, "7 parts"),
    ("split y.csv -k two", 2, "two"),
    ("split y.csv -k 2 --parts 50,50", 2, "Give one of"),
    ("split y.csv --parts 80", 2, "--parts"),
    ("split y.csv --parts a,b", 2, "--parts"),
    ("split y.csv --parts 80,-10", 2, "--parts"),
    ("split y.csv --method best", 2, "anneal"),
    ("split y.csv --method iterative --groups g.csv -k 2", 2, "--method anneal or random"),
    ("split y.csv --method random --fixed f.csv -k 2", 2, "--method anneal"),
    ("split y.csv -k 2 --groups short_groups.csv", 1, "short_groups.csv"),
    ("split y.csv -k 2 --groups empty_groups.csv", 1, "empty"),
    ("split y.csv -k 2 --groups twice_groups.csv", 1, "'a' occurs a second time"),
    ("split y.csv -k 2 --fixed fixed_words.csv", 1, "'first' is a word"),
    ("split y.csv -k 2 --fixed fixed_far.csv", 1, "7"),
    ("split y.csv -k 2 --ontology broken.obo", 1, "broken.obo"),
    ("split y.csv -k 2 --id-column nobody", 2, "nobody"),
    ("split y.csv -k 2 --label-column nothing", 2, "nothing"),
    ("split y.csv -k 2 --format docx", 2, "docx"),
    ("split y.csv -k 2 -o nowhere/f.csv", 1, "Make it first"),
    ("split y.csv -k 2 -o .", 1, "folder"),
    ("split y.csv -k 2 -o f.docx", 2, "f.docx"),
    ("split y.csv -k 2 -o - --json", 2, "standard output"),
    ("split y.csv -k 2 --seed -1", 2, "--seed"),
    ("split y.csv -k 2 --jobs 0", 2, "--jobs"),
    ("split y.csv -k 2 --effort 0", 2, "--effort"),
    ("split y.csv -k 2 --save nowhere/s.json", 1, "nowhere"),
    ("split", 2, "LABELS"),
    ("split y.csv --what", 2, "--what"),
    ("quality y.csv", 2, "FOLDS"),
    ("quality y.csv short_folds.csv", 1, "short_folds.csv"),
    ("quality y.csv minus_folds.csv", 1, "minus_folds.csv"),
    ("quality y.csv other_folds.csv", 1, "'q'"),
    ("quality y.csv f.csv --parts 1", 2, "--parts"),
    ("quality y.csv y.csv", 1, "fold"),
    ("rank nan.csv y.csv", 1, "nan"),
    ("rank words.csv y.csv", 1, "much"),
    ("rank other_rows.csv y.csv", 1, "'q'"),
    ("rank other_classes.csv y.csv", 1, "'w'"),
    ("rank s.csv y.csv --ranker luck", 2, "luck"),
    ("rank s.csv y.csv --new other_classes.csv", 1, "'z'"),
    ("rank s.csv y.csv -o v.docx", 2, "v.docx"),
    ("decide s.csv y.csv", 2, "Give one of"),
    ("decide s.csv y.csv --precision 0.9 --recall 0.5", 2, "--precision and --recall"),
    ("decide s.csv y.csv --precision 1.5", 2, "precision"),
    ("decide s.csv y.csv --beta -1", 2, "beta"),
    ("decide s.csv y.csv --calls 0", 2, "calls"),
    ("decide s.csv y.csv --precision 0.9 --confidence 2", 2, "confidence"),
    ("pairs one_column.csv", 1, "one_column.csv"),
    ("pairs empty_id.csv", 1, "line 2"),
    (
        "pairs two_labels.csv",
        1,
        "'y' and 'label' could both be the label. Choose one: pass --label",
    ),
    ("pairs no_header.csv", 1, "or pass --header."),
    ("audit labels_differ.csv --train ab.csv --test ab.csv", 1, "'A', 'B' has several labels"),
    ("audit p.csv --train zero_one.csv --test zero_one.csv", 1, "mask"),
    ("pairs p.csv -k 99", 1, "objects"),
    ("pairs p.csv --ids a", 2, "--ids"),
    ("pairs p.csv --ids a,nobody", 2, "nobody"),
    ("pairs p.csv --label-column nothing", 2, "nothing"),
    ("pairs p.csv --leave-two-out -k 3", 2, "-k"),
    ("pairs p.csv --features o.csv", 2, "--compare"),
    ("pairs no_y.csv -k 2 --compare", 1, "no labels"),
    ("pairs p.csv -k 2 --compare --features few_features.csv", 1, "no features"),
    ("pairs p.csv -k 2 --clusters few_features.csv", 1, "'C'"),
    ("pairs p.csv -k 2 -o f.npy", 2, "f.npy"),
    ("audit p.csv", 2, "--train and --test"),
    ("audit p.csv --train far_rows.csv", 2, "--train and --test"),
    ("audit p.csv --train far_rows.csv --test far_rows.csv", 1, "99"),
    ("audit p.csv --folds roles.csv", 1, "maybe"),
    ("audit p.csv --folds f.csv --require CC", 2, "CC"),
    ("audit p.csv --folds short_folds.csv", 1, "neither the ids of the pairs nor their row"),
    ("report stage.json", 1, "stage.json"),
    ("report no.json", 1, "no.json"),
    ("report kind.json", 1, "kind.json"),
    ("report nowhere.json", 1, "no such file"),
    ("report folder", 1, "--save"),
    ("study nothing", 2, "study list"),
    ("study 000-figur2", 2, "Did you mean '000-figure2'?"),
    ("study list --report r.html", 2, "--report"),
    ("data info nothing", 2, "nothing"),
    ("data get nothing", 2, "nothing"),
    ("data", SHOWS_HELP, ""),
    ("completion tcsh", 2, "tcsh"),
    ("nonsense", 2, "nonsense"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("bad")
    for name, text in {**GOOD, **BAD}.items():
        (made / name).write_bytes(text.encode("latin-1"))
    (made / "folder").mkdir()
    return made


@pytest.mark.parametrize(("line", "code", "said"), CASES, ids=[case[0] for case in CASES])
def test_bad_calls_and_data(line, code, said, folder, call, monkeypatch):
    monkeypatch.chdir(folder)
    before = sorted(p.name for p in folder.iterdir())
    found, out, err = call(*line.split())
    assert found == code, err
    assert said in err
    assert "Traceback" not in out + err
    assert "defect of trueval" not in err
    if code == 1:
        wrong = [text for text in err.splitlines() if not text.startswith("Warning: ")]
        assert len(wrong) == 1
        assert wrong[0].startswith("Error: ")
    assert sorted(p.name for p in folder.iterdir()) == before


def test_there_are_enough_cases():
    assert len({line for line, _, _ in CASES}) >= 40


def test_a_folder_that_cannot_be_written(folder, call, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    code, _, err = call("split", "y.csv", "-k", 2, "-o", "f.csv2.csv")
    assert code == 1
    assert "cannot be written" in err
    assert not Path("f.csv2.csv").exists()
