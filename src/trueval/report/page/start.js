"use strict";
// Puts the page to work.

function showSplitClasses(key, { classes, n_parts: nParts }) {
  const rows = classes.name.map((name, i) => {
    const row = {
      class: name,
      size: classes.size[i],
      rld: classes.rld[i],
      bound: classes.bound[i],
      excess: classes.rld[i] - classes.bound[i],
      missing: classes.missing[i],
      avoidable: classes.avoidable[i],
    };
    for (let part = 0; classes.counts && part < nParts; part++) row[`part_${part + 1}`] = classes.counts[i][part];
    return row;
  });
  const columns = [
    { key: "class", title: "class", show: shown.text, text: true },
    { key: "size", title: "members", show: shown.whole },
    { key: "rld", title: "rLD", show: shown.short },
    { key: "bound", title: "bound", show: shown.short },
    { key: "excess", title: "above bound", show: shown.short },
    { key: "missing", title: "parts without", show: shown.whole },
    { key: "avoidable", title: "avoidable", show: shown.whole },
  ];
  for (let part = 1; classes.counts && part <= nParts; part++) {
    columns.push({ key: `part_${part}`, title: `part ${part}`, show: shown.whole });
  }
  new DataTable(document.querySelector(`[data-table="${key}-classes"]`), {
    caption: "Classes, the worst served first",
    columns,
    rows,
    sort: { key: "excess", down: true },
    search: "Find a class",
    filter: { label: "only classes missing somewhere", keep: (row) => row.missing > 0 },
    file: "classes.csv",
  });
}

function copyText(button) {
  const source = document.getElementById(button.dataset.copy);
  const done = () => {
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
  const select = () => {
    getSelection().selectAllChildren(source);
    if (document.execCommand("copy")) done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, select);
  else select();
}

function markCurrent() {
  const links = new Map([...document.querySelectorAll(".bar nav a")].map((a) => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const [id, link] of links) {
          if (id === entry.target.id) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
        }
      }
    },
    { rootMargin: "-30% 0px -65% 0px" },
  );
  document.querySelectorAll("section.stage").forEach((section) => seen.observe(section));
}

theme.start();
for (const [key, stage] of Object.entries(TRUEVAL.stages)) {
  if (stage.kind === "split") showSplitClasses(key, stage);
  if (stage.kind === "rank") TRUEVAL.live = { ...TRUEVAL.live, [key]: new LiveControl(key, stage) };
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copyText(button));
}
markCurrent();
drawing.all().then(() => {
  document.documentElement.dataset.drawn = "yes";
  theme.listeners.push((name) => drawing.all(name));
});
