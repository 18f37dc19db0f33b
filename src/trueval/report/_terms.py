"""Names, depths and definitions of classes that are terms of an ontology."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from trueval.core.params import NONE, Where
from trueval.report._schema import Columns, Map, Maybe
from trueval.report._section import Data

__all__ = ["ONTOLOGY", "TERMS", "Terms", "terms_of"]

#: What ``ontology`` may be, wherever it is a parameter.
ONTOLOGY = (NONE, Where(lambda value: hasattr(value, "definitions"), "an Ontology"))
#: The shape of :func:`terms_of`.
TERMS = Maybe({"*": Columns({"name": str, "depth": Maybe(int)}), "definition": Map(str)})


class Terms(Protocol):
    """What the page needs of an :class:`~trueval.data.Ontology`."""

    terms: NDArray[Any]
    names: NDArray[Any]
    definitions: NDArray[Any]

    def __contains__(self, term: object) -> bool: ...

    def resolve(self, term: str) -> str: ...

    def depth(self) -> NDArray[Any]: ...


def terms_of(
    classes: Sequence[object], ontology: Terms | None, described: Iterable[int] = ()
) -> Data | None:
    """Name and depth of each class, and definitions of some; None without an ontology.

    A class that is no term has an empty name and no depth.
    """
    if ontology is None:
        return None
    place = {term: i for i, term in enumerate(ontology.terms.tolist())}
    at = [place[ontology.resolve(str(name))] if str(name) in ontology else None for name in classes]
    depth = ontology.depth().tolist()
    definitions = {
        str(k): _text(ontology.definitions[at[k]]) for k in described if at[k] is not None
    }
    return {
        "name": ["" if i is None else _text(ontology.names[i]) for i in at],
        "depth": [None if i is None or depth[i] < 0 else depth[i] for i in at],
        "definition": {k: text for k, text in definitions.items() if text},
    }


def _text(value: object) -> str:
    return " ".join(str(value or "").split())
