"""Vega, Vega-Lite and Vega-Embed as they are published, with their licences, and our themes.

Shipped so that charts and reports show without any network. Versions: vega 6.4.0,
vega-lite 6.4.3, vega-embed 7.3.0 (BSD 3-Clause, see the ``.LICENSE`` files).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["chart_page", "scripts", "themes"]

_HERE = Path(__file__).parent


@cache
def scripts() -> str:
    """Return the three libraries as one script, safe inside a script element."""
    parts = []
    for name in ("vega", "vega-lite", "vega-embed"):
        code = (_HERE / f"{name}.min.js").read_text(encoding="utf-8")
        # The comment that names a source map would make a debugger ask for it.
        lines = [x for x in code.splitlines() if not x.startswith("//# sourceMappingURL=")]
        parts.append("\n".join(lines))
    return "\n".join(parts)


@cache
def _themes() -> str:
    return (_HERE / "themes.json").read_text(encoding="utf-8")


def themes() -> dict[str, Any]:
    """Return the Vega configurations of light and dark pages."""
    loaded: dict[str, Any] = json.loads(_themes())
    return loaded


@cache
def chart_page() -> str:
    """Return the template of a page with one chart."""
    return (_HERE / "chart.html").read_text(encoding="utf-8")
