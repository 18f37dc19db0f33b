"""Vega, Vega-Lite and Vega-Embed as they are published, with their licences, and our themes.

Private: the report and the studies draw with it. Shipped so that they show without any
network. Versions: vega 6.4.0, vega-lite 6.4.3, vega-embed 7.3.0 (BSD 3-Clause, see the
``.LICENSE`` files). Expressions are interpreted (Vega-Embed's ``ast``), never evaluated as
text, so that a page can forbid that.

==================  ====================================================================
``_chart.py``       ``Chart``: a spec that shows and saves itself
``_parts.py``       what specs are put together from
``_split.py``, ``_pairs.py``, ``_rank.py``, ``_study.py``    the specs
==================  ====================================================================
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

__all__ = ["embed_style", "policy", "read", "scripts", "themes"]

_HERE = Path(__file__).parent


@cache
def read(name: str) -> str:
    """A file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def scripts() -> str:
    """The three libraries as one script, safe inside a script element."""
    parts = []
    for name in ("vega", "vega-lite", "vega-embed"):
        # The comment that names a source map would make a debugger ask for it.
        lines = read(f"{name}.min.js").splitlines()
        parts.append("\n".join(x for x in lines if not x.startswith("//# sourceMappingURL=")))
    return "\n".join(parts)


def themes() -> dict[str, object]:
    """The Vega configurations of light and dark pages."""
    loaded: dict[str, object] = json.loads(read("themes.json"))
    return loaded


def embed_style() -> str:
    """The style of menus and tooltips; Vega-Embed would write its own into the page."""
    return read("embed.css")


def policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """A content security policy that runs these texts alone, evaluates and fetches nothing.

    >>> policy(["f()"], [])[:60]
    "default-src 'none'; script-src 'sha256-GcEEE0IkDzIP5EQ6DXZaD"
    """
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "img-src data: blob:; form-action 'none'; base-uri 'none'"
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests) or "'none'"
