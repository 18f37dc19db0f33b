"""What the API page documents: names and the objects behind them."""

import re
from importlib import import_module
from pathlib import Path

API = Path(__file__).parents[1] / "docs" / "api"


def documented():
    """Objects of the autosummaries of the API pages, by dotted name."""
    found = {}
    for page in sorted(API.glob("*.rst")):
        module, inside = "trueval", False
        for line in page.read_text(encoding="utf-8").splitlines():
            if moved := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = moved[1]
            elif line.startswith(".. autosummary::"):
                inside = True
            elif inside and (entry := re.fullmatch(r" {3}([\w.]+)", line)):
                name = f"{module}.{entry[1]}"
                found[name] = resolve(name)
            elif line.strip() and not line.startswith(" "):
                inside = False
    return found


def resolve(name):
    """The object behind a dotted name."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            thing = getattr(thing, attribute)
        return thing
    raise AssertionError(f"{name} cannot be imported")
