"""A chart: a Vega-Lite spec that shows itself in notebooks and saves itself as a page."""

import base64
import gzip
import html
import json
import os
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from trueval.core.errors import InputError
from trueval.core.files import atomic_write
from trueval.core.params import Constraints, Where, check_params
from trueval.show import _vega
from trueval.show._plain import plain, safe_json

__all__ = ["Chart", "Spec"]

#: A Vega-Lite specification, or a piece of one: objects of JSON.
Spec = dict[str, Any]

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
    the saved notebook for each chart shown. ``Chart.html_in_notebooks = False`` omits the
    HTML.

    Examples
    --------
    >>> from trueval.show._vega._split import fold_sizes
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

    def __init__(self, spec: Mapping[str, object]) -> None:
        check_params("Chart", {"spec": spec}, self._parameter_constraints)
        self.spec: Spec = plain(spec)

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
        libraries, script = _vega.scripts(), _vega.read("chart.js")
        elements = f"<script>{libraries}</script>\n<script>{script}</script>"
        return self._page(elements, (libraries, script))

    def _page(self, elements: str, scripts: Collection[str]) -> str:
        style = _vega.embed_style() + _vega.read("chart.css")
        return Template(_vega.read("chart.html")).substitute(
            policy=_vega.policy(scripts, [style]),
            title=html.escape(self.title),
            style=style,
            spec=safe_json(self.spec),
            themes=safe_json(_vega.themes()),
            scripts=elements,
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
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

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Spec:
        bundle: Spec = {_MIME: self.spec, "text/plain": repr(self)}
        if self.html_in_notebooks and not (exclude and "text/html" in exclude):
            bundle["text/html"] = self._fragment()
        if include:
            bundle = {kind: value for kind, value in bundle.items() if kind in include}
        return bundle

    def _fragment(self) -> str:
        """HTML for a notebook: the page in a frame, its libraries compressed."""
        script, loader = _vega.read("chart.js"), _loader()
        elements = f'<script type="text/plain" id="own">{script}</script><script>{loader}</script>'
        page = self._page(elements, (_vega.scripts(), script, loader))
        height = self.spec.get("height", 300)
        pixels = height + 120 if isinstance(height, int | float) else 420
        return (
            f'<iframe title="{html.escape(self.title)}" style="width:100%;border:0;'
            f'height:{pixels:.0f}px" srcdoc="{html.escape(page)}"></iframe>'
        )


@cache
def _loader() -> str:
    """A script that unpacks the libraries and runs the page's own script after them."""
    packed = gzip.compress(_vega.scripts().encode(), compresslevel=9, mtime=0)
    return (
        "(async () => {"
        f'const packed = Uint8Array.from(atob("{base64.b64encode(packed).decode()}"), '
        "(c) => c.charCodeAt(0));"
        'const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));'
        "const run = (code) => { const s = document.createElement('script'); "
        "s.textContent = code; document.body.append(s); };"
        "run(await new Response(stream).text());"
        "run(document.getElementById('own').textContent);"
        "})();"
    )
