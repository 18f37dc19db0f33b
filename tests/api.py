"""What the API page documents: names and the objects behind them."""

import re
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

API = Path(__file__).parents[1] / "docs" / "api"


def documented():
    """Objects of the autosummaries of the API pages, by dotted name."""
    found = {}
    pages = [page.read_text(encoding="utf-8") for page in API.glob("*.rst")]
    for page in [*pages, registries().api_page()]:
        module, inside = "trueval", False
        for line in page.splitlines():
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


def registries():
    """The module of the documentation that reads the records of methods and rankers."""
    spec = spec_from_file_location("make_registries", API.parent / "make_registries.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
