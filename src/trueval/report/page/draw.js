"use strict";
// Draws the charts of the page, and again when the theme changes.

const drawing = {
  views: new Map(),
  extra: new Map(), // charts whose data a reader chooses: element -> spec

  options(name) {
    return {
      // Expressions are interpreted, and styles are the page's own: its policy forbids the rest.
      ast: true,
      defaultStyle: false,
      forceActionsMenu: true,
      tooltip: { disableDefaultStyle: true },
      config: TRUEVAL.themes[name],
      renderer: "svg",
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
    };
  },

  async draw(element, spec, name = theme.current()) {
    const result = await vegaEmbed(element, structuredClone(spec), this.options(name));
    this.views.get(element)?.finalize();
    this.views.set(element, result.view);
    const menu = element.querySelector("summary");
    menu.setAttribute("aria-label", `Save as picture: ${spec.description}`);
    menu.title = "Save as picture";
    element.dispatchEvent(new CustomEvent("drawn", { detail: result.view }));
    return result.view;
  },

  spec(element) {
    return this.extra.get(element) ?? TRUEVAL.charts[element.dataset.chart];
  },

  all(name = theme.current()) {
    const elements = [...document.querySelectorAll("[data-chart]")];
    return Promise.all(elements.map((element) => this.draw(element, this.spec(element), name)));
  },

  // A chart whose data change: remembered, so that it survives a change of theme.
  change(element, spec) {
    this.extra.set(element, spec);
    return this.draw(element, spec);
  },
};
