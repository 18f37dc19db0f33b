"""``write_ontology``: an OBO file that every tool reads."""

from collections.abc import Iterator
from typing import Any

from trueval.core.errors import InputError, quote
from trueval.core.files import atomic_write
from trueval.core.params import PATH, Instance, constrained
from trueval.data._words import text_problem
from trueval.data.ontology._ontology import Ontology

__all__ = ["write_ontology"]


@constrained(path=PATH, ontology=Instance(Ontology, "an Ontology"))
def write_ontology(path: Any, ontology: Ontology) -> None:
    r"""Write an ontology as OBO 1.2; the file is complete or not there.

    Parameters
    ----------
    path : str or path
        Compressed if the name says so (``.gz``).
    ontology : Ontology

    Raises
    ------
    InputError
        For an id with a blank, and for text that a line of a file cannot hold.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval.data import Ontology, read_ontology, write_ontology
    >>> small = Ontology(["X:1", "X:2"], [("X:2", "X:1", "is_a")], names=["root", "leaf"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.obo")
    ...     write_ontology(path, small)
    ...     read_ontology(path).ancestors("X:2")
    ['X:1']
    """
    _check_ids(ontology)
    with atomic_write(path) as file:
        for stanza in _stanzas(ontology):
            file.write(stanza.encode())


def _check_ids(ontology: Ontology) -> None:
    """Refuse ids and relations that are not one word."""
    others = (ontology.replaced_by, ontology.consider)
    of_others = [one for terms in others for group in terms.values() for one in group]
    for name in (
        *ontology.terms.tolist(),
        *ontology.relations,
        *ontology.alternative,
        *of_others,
    ):
        problem = text_problem(name) or (None if name.split() == [name] else "has a blank")
        if problem is not None:
            raise _not_writable("id", name, problem)


def _not_writable(what: str, text: str, problem: str) -> InputError:
    return InputError(
        f"the {what} {quote(text)} {problem}, which an OBO file cannot hold.", fix="Change it."
    )


def _stanzas(ontology: Ontology) -> Iterator[str]:
    above: dict[str, list[str]] = {}
    for child, parent, relation in ontology.edges:
        tag = "is_a:" if relation == "is_a" else f"relationship: {_escaped(relation)}"
        line = f"{tag} {_escaped(parent)}"
        above.setdefault(child, []).append(line)
    other: dict[str, list[str]] = {}
    for alternative, term in ontology.alternative.items():
        other.setdefault(term, []).append(f"alt_id: {_escaped(alternative)}")
    yield "format-version: 1.2\n"
    columns = (ontology.terms, ontology.names, ontology.namespaces, ontology.definitions)
    rows = zip(*(column.tolist() for column in columns), ontology.obsolete.tolist(), strict=True)
    for term, name, namespace, definition, is_obsolete in rows:
        lines = ["", "[Term]", f"id: {_escaped(term)}"]
        lines += [f"name: {_text(name, 'name')}"] if name else []
        lines += [f"namespace: {_text(namespace, 'namespace')}"] if namespace else []
        lines += other.get(term, [])
        if definition:
            text = _text(definition, "definition", quoted=True)
            lines.append(f'def: "{text}" []')
        lines += above.get(term, [])
        lines += ["is_obsolete: true"] if is_obsolete else []
        lines += [f"replaced_by: {_escaped(one)}" for one in ontology.replaced_by.get(term, ())]
        lines += [f"consider: {_escaped(one)}" for one in ontology.consider.get(term, ())]
        yield "\n".join(lines) + "\n"
    for relation in ontology.relations:
        if relation != "is_a":
            escaped = _escaped(relation)
            yield f"\n[Typedef]\nid: {escaped}\nname: {escaped.replace('_', ' ')}\n"


def _text(text: str, what: str, *, quoted: bool = False) -> str:
    """A text of one line, which is read back the same."""
    problem = text_problem(text.replace("\n", ""))
    if problem is None and not quoted:
        inner = text.strip(" ")
        before, _, behind = text.partition(inner) if inner else (text, "", "")
        escaped = rf"{_blanks(before)}{_escaped(inner)}{_blanks(behind)}"
        if escaped == escaped.strip():
            return escaped
        problem = "begins or ends with a blank"
    if problem is not None:
        raise _not_writable(what, text, problem)
    return _escaped(text, quoted=True)


def _blanks(text: str) -> str:
    return text.replace(" ", "\\W")


def _escaped(text: str, *, quoted: bool = False) -> str:
    """Text with the signs taken away that mean something in OBO."""
    signs = {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    signs |= {'"': '\\"'} if quoted else {"!": "\\!", "{": "\\{", "}": "\\}"}
    return "".join(signs.get(character, character) for character in text)
