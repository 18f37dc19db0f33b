"use strict";
// The table of classes of a split.

SECTIONS.split = (key, { classes, terms, n_parts: nParts }) => {
  const rows = classes.name.map((name, i) => {
    const row = {
      class: name,
      name: terms?.name[i] ?? "",
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
    { key: "class", title: "class", show: show.text, text: true, link: (row) => linkOf("class", row.class) },
    ...(terms ? [{ key: "name", title: "name", show: show.text, text: true }] : []),
    { key: "size", title: "positives", show: show.whole },
    { key: "rld", title: "rLD", show: show.fine },
    { key: "bound", title: "lower bound", show: show.fine },
    { key: "excess", title: "above bound", show: show.fine },
    { key: "missing", title: "gaps", show: show.whole },
    { key: "avoidable", title: "avoidable", show: show.whole },
  ];
  for (let part = 1; classes.counts && part <= nParts; part++) {
    columns.push({ key: `part_${part}`, title: `part ${part}`, show: show.whole });
  }
  new DataTable(document.querySelector(`[data-table="${key}-classes"]`), {
    caption: "Classes, farthest from their lower bound first",
    columns,
    rows,
    sort: { key: "excess", down: true },
    search: "Find a class",
    filter: { label: "only classes with gaps", keep: (row) => row.missing > 0 },
    file: "classes.csv",
  });
};
