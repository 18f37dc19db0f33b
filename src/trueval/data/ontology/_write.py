"""``write_ontology``: an OBO file that every tool reads."""

from collections.abc import Iterator
from typing import Any

from trueval.core.files import atomic_write
from trueval.core.params import PATH, Instance, constrained
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
    with atomic_write(path) as file:
        for stanza in _stanzas(ontology):
            file.write(stanza.encode())


def _stanzas(ontology: Ontology) -> Iterator[str]:
    above: dict[str, list[str]] = {}
    for child, parent, relation in ontology.edges:
        line = f"is_a: {parent}" if relation == "is_a" else f"relationship: {relation} {parent}"
        above.setdefault(child, []).append(line)
    other: dict[str, list[str]] = {}
    for alternative, term in ontology.alternative.items():
        other.setdefault(term, []).append(f"alt_id: {alternative}")
    yield "format-version: 1.2\n"
    columns = (ontology.terms, ontology.names, ontology.namespaces, ontology.definitions)
    rows = zip(*(column.tolist() for column in columns), ontology.obsolete.tolist(), strict=True)
    for term, name, namespace, definition, is_obsolete in rows:
        lines = ["", "[Term]", f"id: {term}"]
        lines += [f"name: {_escaped(name)}"] if name else []
        lines += [f"namespace: {_escaped(namespace)}"] if namespace else []
        lines += other.get(term, [])
        if definition:
            text = _escaped(definition, quoted=True)
            lines.append(f'def: "{text}" []')
        lines += above.get(term, [])
        lines += ["is_obsolete: true"] if is_obsolete else []
        lines += [f"replaced_by: {one}" for one in ontology.replaced_by.get(term, ())]
        lines += [f"consider: {one}" for one in ontology.consider.get(term, ())]
        yield "\n".join(lines) + "\n"
    for relation in ontology.relations:
        if relation != "is_a":
            yield f"\n[Typedef]\nid: {relation}\nname: {relation.replace('_', ' ')}\n"


def _escaped(text: str, *, quoted: bool = False) -> str:
    """Text with the signs taken away that mean something in OBO."""
    signs = {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    signs |= {'"': '\\"'} if quoted else {"!": "\\!", "{": "\\{", "}": "\\}"}
    return "".join(signs.get(character, character) for character in text)
