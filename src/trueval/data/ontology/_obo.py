"""OBO files (flat file format 1.2 and 1.4), strictly read.

Only what an evaluation needs is kept: terms, names, namespaces, definitions, alternative ids,
obsolete terms with their replacements, ``is_a`` and ``relationship`` lines. Other
tags and stanzas are passed over.
"""

import re
from collections.abc import Iterator

from trueval.core.errors import quote
from trueval.data._lines import text_lines
from trueval.data._source import Source
from trueval.data.ontology._draft import MAX_LINE, Draft, bad_line
from trueval.data.ontology._ontology import Ontology

__all__ = ["parse_obo"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}
_LONGEST_JOINED = 2**22


def parse_obo(source: Source, *, missing: str = "error") -> Ontology:
    """Make an ontology of an OBO file.

    ``missing``, "error" or "drop", is what to do with a relation to a term that it does not have.
    """
    draft = Draft(source)
    default_namespace = ""
    stanza = ""
    term = ""
    opened = 0
    for number, line in _logical_lines(source):
        text = line.strip()
        if not text or text.startswith("!"):
            continue
        if text.startswith("["):
            _check_opened(stanza, term, opened, source)
            stanza, term, opened = _stanza(text, number, source), "", number
            continue
        tag, value = _tag_value(text, number, source)
        if stanza == "":
            if tag == "default-namespace":
                default_namespace = value
        elif stanza == "Term":
            if not term:
                term = _first_tag(draft, tag, value, number)
                draft.namespaces[term] = default_namespace
            else:
                _term_tag(draft, term, tag, value, number)
    _check_opened(stanza, term, opened, source)
    return draft.finish(missing)


def _logical_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Join a line that ends in a lone backslash with the next."""
    joined, first = "", 0
    for number, line in text_lines(source, longest=MAX_LINE):
        if not joined and not line.endswith("\\"):
            yield number, line
            continue
        first = first or number
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2:
            joined += line[:-1]
            if len(joined) > _LONGEST_JOINED:
                raise bad_line(
                    source,
                    first,
                    "the continued line has no end",
                    "Remove the backslash at its end",
                )
            continue
        yield first, joined + line
        joined, first = "", 0
    if joined:
        yield first, joined


def _stanza(text: str, number: int, source: Source) -> str:
    name = text.split("!", 1)[0].strip()
    if not name.endswith("]") or not name[1:-1].strip():
        raise bad_line(
            source,
            number,
            f"{quote(text)} is not the head of a stanza",
            "A stanza begins with [Term], [Typedef] or [Instance] alone on its line.",
        )
    return name[1:-1].strip()


def _tag_value(text: str, number: int, source: Source) -> tuple[str, str]:
    tag, colon, value = text.partition(":")
    if not colon or not tag.strip() or " " in tag.strip():
        raise bad_line(
            source,
            number,
            f"{quote(text)} is neither 'tag: value' nor a stanza",
            "Check that this is an OBO file; OBO lines look like 'name: nucleus'.",
        )
    return tag.strip(), value.strip()


def _check_opened(stanza: str, term: str, opened: int, source: Source) -> None:
    if stanza == "Term" and not term:
        raise bad_line(source, opened, "the [Term] stanza has no id", "Add a line 'id: …'.")


def _first_tag(draft: Draft, tag: str, value: str, number: int) -> str:
    if tag != "id":
        raise bad_line(
            draft.source,
            number,
            f"the [Term] stanza begins with {quote(tag)}, not with its id",
            "The first line of a stanza must be 'id: …'.",
        )
    term = _bare(value)
    draft.add_term(term, number)
    return term


def _term_tag(draft: Draft, term: str, tag: str, value: str, number: int) -> None:
    if tag == "is_a":
        draft.add_edge(term, _one_word(draft, value, tag, number), "is_a", number)
    elif tag == "relationship":
        words = _bare(value).split()
        if len(words) != 2:
            raise bad_line(
                draft.source,
                number,
                f"the relationship {quote(value)} is not a relation and a term",
                "It must look like 'relationship: part_of GO:0005634'.",
            )
        draft.add_edge(term, words[1], words[0], number)
    elif tag == "name":
        if term in draft.names:
            raise bad_line(
                draft.source,
                number,
                f"the term {term} has a second name, {quote(value)}",
                "Keep one; the others are synonyms.",
            )
        draft.names[term] = _name(value)
    elif tag == "namespace":
        draft.namespaces[term] = _bare(value)
    elif tag == "def":
        draft.definitions[term] = _quoted(value)
    elif tag == "alt_id":
        draft.add_alternative(_one_word(draft, value, tag, number), term, number)
    elif tag in ("replaced_by", "consider"):
        target = draft.replaced_by if tag == "replaced_by" else draft.consider
        target.setdefault(term, []).append(_one_word(draft, value, tag, number))
    elif tag == "is_obsolete":
        _obsolete(draft, term, _bare(value), number)
    elif tag == "id":
        raise bad_line(
            draft.source,
            number,
            f"the term {term} has a second id, {quote(value)}",
            "Begin a new [Term] stanza, or make it an alt_id.",
        )


def _obsolete(draft: Draft, term: str, value: str, number: int) -> None:
    if value not in ("true", "false"):
        raise bad_line(
            draft.source,
            number,
            f"is_obsolete is {quote(value)}",
            "It must be 'true' or 'false'.",
        )
    if value == "true":
        draft.obsolete.add(term)


def _one_word(draft: Draft, value: str, tag: str, number: int) -> str:
    word = _bare(value)
    if not word or " " in word or "\t" in word:
        raise bad_line(
            draft.source, number, f"{tag} is {quote(value)}, not one id", f"Write '{tag}: ID'."
        )
    return word


def _cut(value: str, mark: str) -> str:
    """The value up to the first mark that no backslash takes away."""
    at = value.find(mark)
    while at > 0 and value[at - 1] == "\\":
        at = value.find(mark, at + 1)
    return value if at < 0 else value[:at]


def _bare(value: str) -> str:
    """The value without its ``! comment`` and ``{modifiers}``."""
    if "!" not in value and "{" not in value and "\\" not in value:
        return value
    return _unescape(_cut(_cut(value, "!"), "{").strip())


def _name(value: str) -> str:
    """A name without its comment; braces are left out only at its end."""
    value = _cut(value, "!").strip()
    if value.endswith("}") and not value.endswith("\\}"):
        before, brace, _ = value.rpartition(" {")
        value = before.strip() if brace else value
    return _unescape(value)


def _quoted(value: str) -> str:
    """The text between the quotes of a definition; all of it where there are none."""
    match = _QUOTED.match(value)
    return _unescape(match[1]) if match else _name(value)


def _unescape(value: str) -> str:
    if "\\" not in value:
        return value
    parts: list[str] = []
    characters = iter(value)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            parts.append(_ESCAPES.get(following, following))
        else:
            parts.append(character)
    return "".join(parts)
