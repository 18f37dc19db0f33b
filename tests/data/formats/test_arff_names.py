r"""Names in ARFF as WEKA writes them: in quotes, with a backslash before quotes and others."""

from xml.sax.saxutils import quoteattr

import pytest

from trueval import InputError
from trueval.data import read_labels

# What is in the file, and what WEKA shows; the escapes are those of Java's StreamTokenizer.
NAMES = {
    r"'a\'b'": "a'b",
    r"'a\"b'": 'a"b',
    r'"a\"b"': 'a"b',
    r"'50\%'": "50%",
    r"'C:\\data'": r"C:\data",
    r"'a\tb'": "a\tb",
    r"'a\101b'": "aAb",
    r"'\u0041b'": "Ab",
    r"'it''s'": "it''s",  # no escape: as the decoder has it
    "'\"x\"'": '"x"',
    "'two words'": "two words",
    "plain": "plain",
    r"back\slash": r"back\slash",  # without quotes there is no escape
    "'5'-nucleotidase'": "5'-nucleotidase",
}


def table(quoted):
    header = f"@relation x\n@attribute {quoted} {{0,1}}\n@attribute z {{0,1}}\n"
    return header + "@data\n1,0\n0,1\n"


@pytest.mark.parametrize("quoted", NAMES)
def test_names(tmp_path, quoted):
    (tmp_path / "y.arff").write_text(table(quoted))
    labels = read_labels(tmp_path / "y.arff", label_list=2)
    assert labels.classes.tolist() == [NAMES[quoted], "z"]
    assert labels.toarray().tolist() == [[1, 0], [0, 1]]
    assert read_labels(tmp_path / "y.arff", label_list=[NAMES[quoted]]).n_classes == 1


# As WEKA's Utils.quote writes them, by hand.
WRITTEN = {
    "a'b": r"'a\'b'",
    'say "a"': r"'say \"a\"'",
    "50%": r"'50\%'",
    "a\\b": r"'a\\b'",
    "5'-nucleotidase": r"'5\'-nucleotidase'",
    "a, b": "'a, b'",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_label_list_of_mulan_names_them_without_escapes(tmp_path, name):
    (tmp_path / "y.arff").write_text(table(WRITTEN[name]))
    (tmp_path / "y.xml").write_text(f"<labels><label name={quoteattr(name)}/></labels>")
    labels = read_labels(tmp_path / "y.arff")
    assert labels.classes.tolist() == [name]
    assert labels.toarray().tolist() == [[1], [0]]


def test_two_spellings_of_one_name_are_refused(tmp_path):
    file = tmp_path / "y.arff"
    file.write_text(table(r"'\172'"))
    with pytest.raises(InputError, match="attribute 'z' is at 0 and again at 1"):
        read_labels(file, label_list=1)
