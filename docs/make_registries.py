"""Tables and API entries of split methods and rankers, from their records.

``conf.py`` calls :func:`make` when a build begins. A new method or ranker is in the
documentation as soon as it has its record.
"""

from pathlib import Path


def make(docs: Path) -> None:
    """Write ``generated/*.inc`` for the guide and ``api/registries.rst``."""
    target = docs / "generated"
    target.mkdir(exist_ok=True)
    for content in (methods, costs, rankers, measures):
        (target / f"{content.__name__}.inc").write_text(content(), encoding="utf-8")
    (docs / "api" / "registries.rst").write_text(api_page(), encoding="utf-8")


def methods() -> str:
    """Each split method and what it does."""
    from trueval.stratify import METHODS

    rows = [[f"``{name}``", method.summary] for name, method in METHODS.items()]
    return _table(["method", "what it does"], rows)


def costs() -> str:
    """Time and memory of each split method."""
    from trueval.stratify import METHODS

    rows = [[f"``{name}``", method.time, method.memory] for name, method in METHODS.items()]
    return _table(["method", "time", "memory"], rows)


def rankers() -> str:
    """Each ranker, its class and the meaning of its value."""
    from trueval.rank import RANKERS

    rows = []
    for name, ranker in RANKERS.items():
        old = "".join(f" (old name: ``{n}``)" for n in ranker.old_names)
        kind = "" if ranker.path is None else f":class:`~trueval.rank.{_name(ranker.path)}`"
        rows.append([f"``{name}``{old}", kind, ranker.meaning])
    return _table(["name", "class", "meaning of the calibrated score"], rows)


def measures() -> str:
    """The glossary of the measures."""
    from trueval.show._measures import MEASURES

    lines = [".. glossary::", ""]
    for measure in MEASURES.values():
        text = " ".join([measure.text, measure.names_in_code]).strip().replace("rLD*", r"rLD\*")
        lines += [f"   {measure.name}", f"      {text}", ""]
    return "\n".join(lines)


def api_page() -> str:
    """The API entries that come from the records."""
    from trueval.rank import RANKERS
    from trueval.stratify import METHODS

    functions = [m.path.removeprefix("trueval.stratify.") for m in METHODS.values()]
    kinds = [_name(r.path) for r in RANKERS.values() if r.path is not None]
    return "\n".join(
        [
            "Split methods and rankers",
            "=========================",
            "",
            *_section(
                "Split methods", "trueval.stratify", [f.replace(":", ".") for f in functions]
            ),
            *_section("Rankers", "trueval.rank", kinds),
        ]
    )


def _section(title, module, names):
    lines = [title, "-" * len(title), f".. currentmodule:: {module}", "", ".. autosummary::"]
    return [*lines, "   :toctree: generated", "", *(f"   {name}" for name in names), ""]


def _name(path):
    return path.partition(":")[2]


def _table(head, rows):
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return "\n".join([*lines, ""])
