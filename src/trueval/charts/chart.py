"""A chart: a Vega-Lite spec that shows itself in notebooks and saves itself as a page."""

import base64
import gzip
import html
import json
import math
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, ClassVar

import numpy as np

from trueval import _vega
from trueval.core.errors import InputError
from trueval.core.files import atomic_write
from trueval.core.params import PATH, Constraints, Where, check_params, constrained

__all__ = ["Chart", "plain", "safe_json"]

_MIME = "application/vnd.vegalite.v6+json"


class Chart:
    """A Vega-Lite spec that shows and saves itself.

    Parameters
    ----------
    spec : dict
        Vega-Lite version 6, JSON-able.

    Notes
    -----
    In a notebook a chart offers its spec (a few kB; JupyterLab, VS Code and others draw it)
    and, for viewers that cannot, HTML that carries the compressed libraries: about 0.4 MB in
    the saved notebook for each chart shown. ``Chart.html_in_notebooks = False`` leaves the
    HTML away.

    Examples
    --------
    >>> from trueval.charts import fold_sizes
    >>> chart = fold_sizes([20, 19, 21])
    >>> chart.spec["data"]["values"][0]
    {'part': '1', 'rows': 20}
    >>> len(chart.to_html()) > 800_000
    True
    """

    html_in_notebooks = True
    _parameter_constraints: ClassVar[Constraints] = {
        "spec": Where(lambda spec: isinstance(spec, Mapping) and len(spec) > 0, "a Vega-Lite dict")
    }

    def __init__(self, spec: Mapping[str, Any]) -> None:
        check_params("Chart", {"spec": spec}, self._parameter_constraints)
        self.spec: dict[str, Any] = plain(spec)

    def __repr__(self) -> str:
        return f"Chart({self.title!r})"

    @property
    def title(self) -> str:
        """What the chart shows, in words; screen readers say it."""
        return str(self.spec.get("description", "chart"))

    def to_json(self) -> str:
        """Return the spec as JSON text."""
        return json.dumps(self.spec, ensure_ascii=False, allow_nan=False)

    def to_html(self) -> str:
        """Return a page that shows the chart, in light or dark, without any network."""
        return Template(_vega.chart_page()).substitute(
            title=html.escape(self.title),
            spec=safe_json(self.spec),
            themes=safe_json(_vega.themes()),
            scripts=_vega.scripts(),
        )

    @constrained(path=PATH)
    def save(self, path: Any) -> Path:
        """Write the chart.

        Parameters
        ----------
        path : str or path-like
            ``.json`` for the spec, ``.html`` for a page.

        Returns
        -------
        Path
        """
        target = Path(os.fsdecode(path))
        makers = {".json": self.to_json, ".html": self.to_html}
        if target.suffix.lower() not in makers:
            raise InputError(f"a chart is saved as .json or .html. Got {target.name!r} instead.")
        with atomic_write(target, compress=False) as file:
            file.write(makers[target.suffix.lower()]().encode())
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {_MIME: self.spec, "text/plain": repr(self)}
        if self.html_in_notebooks and not (exclude and "text/html" in exclude):
            bundle["text/html"] = self._fragment()
        if include:
            bundle = {kind: value for kind, value in bundle.items() if kind in include}
        return bundle

    def _fragment(self) -> str:
        """HTML for a notebook: the page in a frame, its libraries compressed."""
        page = Template(_vega.chart_page()).substitute(
            title=html.escape(self.title),
            spec=safe_json(self.spec),
            themes=safe_json(_vega.themes()),
            scripts="/*libraries*/",
        )
        height = self.spec.get("height", 300)
        pixels = height + 120 if isinstance(height, int | float) else 420
        return (
            f'<iframe title="{html.escape(self.title)}" style="width:100%;border:0;'
            f'height:{pixels:.0f}px" srcdoc="{html.escape(_unpacked_later(page))}"></iframe>'
        )


@cache
def _packed_scripts() -> str:
    packed = gzip.compress(_vega.scripts().encode(), compresslevel=9, mtime=0)
    return base64.b64encode(packed).decode()


def _unpacked_later(page: str) -> str:
    """Page whose libraries are unpacked by the browser before its own script runs."""
    head, own = page.split("<script>/*libraries*/</script>")
    own = own.replace("<script>", '<script type="text/plain" id="own">', 1)
    loader = (
        "<script>(async () => {"
        f'const packed = Uint8Array.from(atob("{_packed_scripts()}"), (c) => c.charCodeAt(0));'
        'const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));'
        "const run = (code) => { const s = document.createElement('script'); "
        "s.textContent = code; document.body.append(s); };"
        "run(await new Response(stream).text());"
        "run(document.getElementById('own').textContent);"
        "})();</script>"
    )
    return head + own.replace("</body>", loader + "\n</body>")


def safe_json(value: Any) -> str:
    r"""JSON that can stand inside a script element whatever its strings hold.

    >>> from trueval.charts.chart import safe_json
    >>> safe_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def plain(value: Any) -> Any:
    """Arrays, NumPy numbers and infinities as JSON has them (NaN and ∞ become null).

    >>> import numpy as np
    >>> from trueval.charts.chart import plain
    >>> plain({"a": np.array([1.5, np.nan]), 2: np.int64(3)})
    {'a': [1.5, None], '2': 3}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        # Subclasses of float (an AUC) show themselves otherwise.
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value)
