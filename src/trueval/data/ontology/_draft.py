"""An ontology while its file is read: what was said, and on which line.

The parsers fill a :class:`Draft`; :meth:`Draft.finish` checks that everything it
names exists and makes the :class:`~trueval.data.Ontology`.
"""

from dataclasses import dataclass, field

from trueval.core.errors import Fix, InputError, quote
from trueval.data._source import Source
from trueval.data.ontology._ontology import Ontology
from trueval.data.ontology._texts import MAX_NAME

__all__ = ["MAX_LINE", "Draft", "bad_line"]

MAX_LINE = 2**20
"""Longest line read, in bytes."""


def bad_line(source: Source, number: int, what: str, fix: Fix | str) -> InputError:
    """Make the error for one line."""
    return source.fail(f"{what}.", line=number, fix=fix)


@dataclass
class Draft:
    """Terms and edges with their lines."""

    source: Source
    line_of: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    obsolete: set[str] = field(default_factory=set)
    alternative: dict[str, str] = field(default_factory=dict)
    replaced_by: dict[str, list[str]] = field(default_factory=dict)
    consider: dict[str, list[str]] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def check_id(self, term: str, line: int, what: str = "id") -> str:
        """Refuse ids that no ontology has."""
        if not term:
            raise bad_line(self.source, line, f"the {what} is empty", "Every term needs an id.")
        if len(term) > MAX_NAME or term.split() != [term]:
            raise bad_line(
                self.source,
                line,
                f"the {what} {quote(term)} has blanks or more than {MAX_NAME} characters",
                "An id looks like GO:0008150.",
            )
        return term

    def add_term(self, term: str, line: int) -> None:
        """Begin a term."""
        self.check_id(term, line)
        if term in self.line_of:
            raise bad_line(
                self.source,
                line,
                f"the term {quote(term)} was already given on line {self.line_of[term]}",
                "Keep one of the two.",
            )
        self.line_of[term] = line

    def add_alternative(self, other: str, term: str, line: int) -> None:
        """Note another id of a term."""
        self.check_id(other, line, "alternative id")
        known = self.alternative.setdefault(other, term)
        if known != term:
            raise bad_line(
                self.source,
                line,
                f"{quote(other)} is given as alternative id of both {known} and {term}",
                "An alternative id must mean one term.",
            )

    def add_edge(self, child: str, parent: str, relation: str, line: int) -> None:
        """Note a relation; the same one twice is one."""
        self.check_id(parent, line, "parent")
        self.check_id(relation, line, "relation")
        self.edges.setdefault((child, parent, relation), line)

    def finish(self, missing: str = "error") -> Ontology:
        """Check what is named against what is there, and make the ontology."""
        if not self.line_of:
            raise bad_line(
                self.source,
                1,
                "the file has no term",
                "An OBO file has [Term] stanzas; a table has a header and rows.",
            )
        # Some releases give the id of a term that lives on as alternative id of
        # another; the stanza wins, as it says more.
        alternative = {o: t for o, t in self.alternative.items() if o not in self.line_of}
        edges = []
        for (child, parent, relation), line in self.edges.items():
            for term in (child, parent):
                if term in self.line_of or term in alternative or missing == "drop":
                    continue
                raise bad_line(
                    self.source,
                    line,
                    f"{child} {relation} {parent} names {term}, which is not among the terms",
                    Fix(
                        "Use the whole file, or pass {} to leave such edges out.", "missing", "drop"
                    ),
                )
            ends = [alternative.get(term, term) for term in (child, parent)]
            if all(term in self.line_of for term in ends):
                edges.append((ends[0], ends[1], relation))
        terms = list(self.line_of)
        return Ontology(
            terms,
            edges,
            names=[self.names.get(term, "") for term in terms],
            namespaces=[self.namespaces.get(term, "") for term in terms],
            definitions=[self.definitions.get(term, "") for term in terms],
            alternative=alternative,
            obsolete=self.obsolete,
            replaced_by=self.replaced_by,
            consider=self.consider,
        )
