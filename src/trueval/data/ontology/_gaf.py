"""Lines of GAF 2.x: an object has a term, or has it NOT, on some evidence, since some day."""

import datetime as dt
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from trueval.core.errors import quote
from trueval.data._lines import text_lines
from trueval.data._source import Source
from trueval.data.ontology._draft import MAX_LINE, bad_line
from trueval.data.ontology._texts import MAX_NAME

__all__ = ["Annotation", "is_day", "parse_gaf"]

_DATE = re.compile(r"\d{8}", re.ASCII)
_CODE = re.compile(r"[A-Z]{2,3}", re.ASCII)
_TERM = re.compile(r"[A-Za-z][A-Za-z0-9_]*:\S+", re.ASCII)


class Annotation(NamedTuple):
    """One line of a GAF file."""

    line: int
    # database, identifier: of the object annotated
    database: str
    identifier: str
    term: str
    evidence: str
    negated: bool  # whether the qualifier says NOT
    date: str  # as YYYYMMDD
    taxon: str = ""  # number of the organism in the taxonomy of NCBI; empty where the file has none


def parse_gaf(source: Source) -> Iterator[Annotation]:
    """The lines of a GAF 2.x file, one by one."""
    for number, line in text_lines(source, longest=MAX_LINE):
        if line.startswith("!"):
            _check_version(line, number, source)
        elif line.strip():
            yield _annotation(line, number, source)


def _check_version(line: str, number: int, source: Source) -> None:
    tag, _, value = line[1:].partition(":")
    if tag.strip().lower() == "gaf-version" and not re.match(r"2(\.\d+)?$", value.strip()):
        raise bad_line(
            source,
            number,
            f"the file is GAF version {quote(value.strip())}",
            "This reader takes GAF 2.0 to 2.2; fetch the file in that version.",
        )


def _annotation(line: str, number: int, source: Source) -> Annotation:
    cells = line.split("\t")
    if not 15 <= len(cells) <= 17:
        raise bad_line(
            source,
            number,
            f"{len(cells)} columns separated by tabs, {quote(line)}",
            "A GAF 2.x line has 17, of which the last two may be left out.",
        )
    database, identifier, term = cells[0].strip(), cells[1].strip(), cells[4].strip()
    code, date = cells[6].strip(), cells[13].strip()
    for what, value in (("database", database), ("object id", identifier)):
        if not value or len(value) > MAX_NAME:
            raise bad_line(
                source, number, f"the {what} is {quote(value)}", "Columns 1 and 2 name the object."
            )
    if not _is_term(term):
        raise bad_line(
            source, number, f"column 5 is {quote(term)}, not a term", "It looks like GO:0008150."
        )
    if not _CODE.fullmatch(code):
        raise bad_line(
            source, number, f"column 7 is {quote(code)}, no evidence code", "It looks like IDA."
        )
    if not is_day(date):
        raise bad_line(source, number, f"column 14 is {quote(date)}, no day", "Write YYYYMMDD.")
    qualifier = cells[3]
    negated = bool(qualifier) and any(q.strip().upper() == "NOT" for q in qualifier.split("|"))
    taxon = cells[12].partition("|")[0].strip().lower().removeprefix("taxon:")
    return Annotation(number, database, identifier, term, code, negated, date, taxon)


# Terms and days come again and again: each is looked at once.
@lru_cache(maxsize=100_000)
def _is_term(term: str) -> bool:
    return len(term) <= MAX_NAME and _TERM.fullmatch(term) is not None


@lru_cache(maxsize=100_000)
def is_day(date: str) -> bool:
    """Whether a text is a day, as YYYYMMDD."""
    if not _DATE.fullmatch(date):
        return False
    try:
        dt.date(int(date[:4]), int(date[4:6]), int(date[6:]))
    except ValueError:
        return False
    return True
