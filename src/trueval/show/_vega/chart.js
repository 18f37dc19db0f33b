"use strict";
const dark = matchMedia("(prefers-color-scheme: dark)");
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const spec = read("spec");
const themes = read("themes");
const draw = () =>
  vegaEmbed("#chart", spec, {
    ast: true,
    defaultStyle: false,
    forceActionsMenu: true,
    tooltip: { disableDefaultStyle: true },
    config: themes[dark.matches ? "dark" : "light"],
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
  });
dark.addEventListener("change", draw);
draw();
