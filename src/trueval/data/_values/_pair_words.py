"""What the columns of a table of pairs may be, by their names and first cells."""

import re
from collections.abc import Sequence

from trueval.data._formats._first_lines import DECIMAL_COMMA
from trueval.data._raw import RawTable
from trueval.data._values._words import FOLD_LIKE, NO, OPPOSITES, YES, is_number

__all__ = [
    "are_twins",
    "attributes",
    "count_columns",
    "holds_measures",
    "holds_texts",
    "holds_values",
    "is_header_word",
    "is_object",
    "is_row_id",
    "is_value",
    "is_weight",
    "label_like",
    "may_be_cell",
]

# What is measured of a pair: pKd, IC50, log10_Ki, pchembl_value, neg_log10_affinity_M.
_MEASURED = (
    r"(?:p|(?:(?:neg(?:ative)?|-)[_ ]?)?log(?:10)?[_ ]?)?(?:k[di]|[iea]c[_ ]?50)(?:[_ ]values?)?"
    r"|pchembl(?:[_ ]?value)?|standard[_ ]value|kiba(?:[_ ]score)?|rating|yield|activity|values?"
    r"|(?:.*[_ .-])?affinit(?:y|ies)(?:[_ ](?:score|value))?"
)
# Whether it is there.
_BINARY = (
    r"(?:(?:is|has|does)[_ ]?)?(?:interact(?:s|ing|ions?)?|bind(?:s|ing|er)?|bound|positive"
    r"|duplicate|same|match(?:es)?|active|pos|present)"
)
# The surest words first; 'target' may as well name an object.
_LABELS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        "y|y_true|labels?",
        rf"{_MEASURED}|{_BINARY}|class|(?:.*[_ .-])?labels?",
        "target",
    )
)
_UNIT = re.compile(r"[_ ]?[\[(][^\[\]()]*[\])]$|[_ ][munpfµμ]?M$", re.IGNORECASE)
_WEIGHT = re.compile(r"(?:sample_)?weights?", re.IGNORECASE)
_OBJECT = re.compile(
    r"[abuv]|source|head|tail"
    r"|(?:.*[_ .-])?(?:id|object|protein|gene|drug|target|compound|ligand|molecule|peptide"
    r"|receptor|node|user|item|interactor|partner)s?[_ .-]?[ab12]?",
    re.IGNORECASE,
)
# Columns that name rows: never objects, whatever their values.
_ROW_ID = re.compile(
    r"#?(?:(?:.*[_ .-])?(?:pairs?|edges?|interactions?)"
    r"|rows?|records?|examples?|instances?|lines?)"
    r"[_ .-]?(?:ids?|idx|index|numbers?|no|nr)",
    re.IGNORECASE,
)
# An id and what it is the id of, as in Drug_ID.
_STEM = re.compile(r"(.+)[_ .-](?i:id)|(.*[a-z])I[dD]")
# Names that only number the columns: of pandas, numpy.savez, R and Polars.
_PLACE = re.compile(r"(arr_|V|column_|)(\d{1,3})")
# Of two names of objects, the places where they differ.
_SIDES = ({"a", "b"}, {"1", "2"}, {"0", "1"}, {"u", "v"}, {"x", "y"}, {"i", "j"})


def label_like(name: str) -> int | None:
    """How sure a name is that of the label, 0 being the surest; None if it is none.

    >>> [label_like(name) for name in ("Y", "Ki (nM)", "is_duplicate", "target", "smiles")]
    [0, 1, 1, 2, None]
    """
    name = name.strip()
    plain = _UNIT.sub("", name)
    for rank, words in enumerate(_LABELS):
        if words.fullmatch(name) or words.fullmatch(plain):
            return rank
    return None


def is_weight(name: str) -> bool:
    """Whether a column is named as weights are."""
    return _WEIGHT.fullmatch(name.strip()) is not None


def is_row_id(name: str) -> bool:
    """Whether a column is named as ids of rows are, as pair_id."""
    return _ROW_ID.fullmatch(name.strip()) is not None


def is_object(name: str) -> bool:
    """Whether a column is named as objects are."""
    return _OBJECT.fullmatch(name.strip()) is not None and not is_row_id(name)


def is_value(table: RawTable, at: int) -> bool:
    """Whether a column is the label, weight or fold of the pairs by its name, so no object.

    Words such as binder may name an object too: there the cells decide.
    """
    name = table.names[at].strip()
    rank = label_like(name)
    if rank == 0 or is_weight(name) or FOLD_LIKE.fullmatch(name):
        return True
    return rank == 1 and holds_values(table, at)


def holds_values(table: RawTable, at: int) -> bool:
    """Whether one of the first cells of a column is a number, or a word such as yes."""
    return any(
        is_number(cell) or DECIMAL_COMMA.fullmatch(cell) or cell.lower() in YES | NO
        for cell in map(str.strip, table.cells(at))
    )


def holds_measures(table: RawTable, at: int) -> bool:
    """Whether the first cells of a column are 0 and 1 or such words, or numbers with fractions."""
    cells = [cell.strip().lower() for cell in table.cells(at)]
    if not cells or set(cells) <= YES | NO:
        return bool(cells)
    return all(map(is_number, cells)) and not all(float(cell).is_integer() for cell in cells)


def holds_texts(table: RawTable, at: int) -> bool:
    """Whether one of the first cells of a column is no number."""
    return not all(map(is_number, filter(str.strip, table.cells(at))))


def is_header_word(table: RawTable, at: int) -> bool:
    """Whether the first line names a label or weight here, and is no label itself."""
    name = table.names[at]
    return not may_be_cell(table, at) and (label_like(name) is not None or is_weight(name))


def may_be_cell(table: RawTable, at: int) -> bool:
    """Whether the word of the first line, such as y, is as well one of the cells below, as n."""
    word = table.names[at].strip().lower()
    return (
        not is_number(word)
        and word in OPPOSITES
        and any(cell.strip().lower() in (word, OPPOSITES[word]) for cell in table.cells(at))
    )


def attributes(names: Sequence[str]) -> list[int]:
    """Places of columns that describe an object whose id another column has.

    >>> attributes(["Drug_ID", "Drug", "Target_ID", "Target", "Y"])
    [1, 3]
    >>> attributes(["drug_id", "drug_name", "target_id", "label"])
    [1]
    """
    stem_of = {name: _STEM.fullmatch(name.strip()) for name in names if not is_row_id(name)}
    stems = {(match[1] or match[2]).lower() for match in stem_of.values() if match}
    described = re.compile("|".join(rf"{re.escape(stem)}(?:[_ .-].*)?" for stem in sorted(stems)))
    return [
        at
        for at, name in enumerate(names)
        if stems and stem_of.get(name) is None and described.fullmatch(name.strip().lower())
    ]


def count_columns(names: Sequence[str]) -> bool:
    """Whether names only number the columns, from 0 or 1 on.

    >>> count_columns(["0", "1", "2"]), count_columns(["V1", "V2"]), count_columns(["1", "3"])
    (True, True, False)
    """
    matches = [_PLACE.fullmatch(name) for name in names]
    numbers = [int(match[2]) for match in matches if match]
    alike = len({match[1] if match else None for match in matches}) == 1
    return alike and numbers in (list(range(len(names))), list(range(1, len(names) + 1)))


def are_twins(a: str, b: str) -> bool:
    """Whether names differ in a letter or digit only that tells two sides, as seq1 and seq2.

    >>> are_twins("node1_id", "node2_id"), are_twins("drug", "target")
    (True, False)
    """
    differ = [{x, y} for x, y in zip(a.lower(), b.lower(), strict=False) if x != y]
    return len(a) == len(b) and len(differ) == 1 and differ[0] in _SIDES
