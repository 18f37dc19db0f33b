"use strict";
// Predictions by the depth of their term, or by the size of their class.

class Groups {
  constructor(place, { terms, classes, class_sizes: sizes }) {
    this.byDepth = Boolean(terms?.depth.some((depth) => depth !== null));
    this.keys = classes.map((_, k) => (this.byDepth ? terms.depth[k] ?? Infinity : Groups.bin(sizes[k])));
    this.body = make("tbody");
    const title = this.byDepth ? "depth of the term" : "positives of the class";
    const caption = `Predictions at the current threshold by ${title}${this.byDepth ? "; a root has depth 0" : ""}`;
    const heads = [title, "classes", "positives", "predictions", "share of predictions", "precision", "recall"];
    const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
    const table = make("table", { class: "plain" }, make("caption", {}, caption), make("thead", {}, head), this.body);
    place.replaceChildren(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table));
  }

  static ends = [0, 1, 5, 20, 100, 1000, Infinity];

  static bin(size) {
    return Groups.ends.findIndex((end) => size <= end);
  }

  label(key) {
    if (this.byDepth) return key === Infinity ? "not a term" : String(key);
    const [low, high] = [(Groups.ends[key - 1] ?? -1) + 1, Groups.ends[key]];
    if (high === Infinity) return `${show.whole(low)} or more`;
    return low === high ? show.whole(low) : `${show.whole(low)} to ${show.whole(high)}`;
  }

  // rows: one for each class, in the order of the classes
  update(rows) {
    const groups = new Map();
    rows.forEach((row, k) => {
      const sum = groups.get(this.keys[k]) ?? { classes: 0, members: 0, calls: 0, right: 0 };
      sum.classes += 1;
      for (const name of ["members", "calls", "right"]) sum[name] += row[name];
      groups.set(this.keys[k], sum);
    });
    const all = rows.reduce((sum, row) => sum + row.calls, 0);
    const share = (part, whole) => (whole ? part / whole : null);
    const lines = [...groups].sort(([a], [b]) => a - b).map(([key, { classes, members, calls, right }]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, this.label(key)),
        ...[classes, members, calls].map((n) => make("td", {}, show.whole(n))),
        make("td", {}, all ? `${number((100 * calls) / all, 1)} %` : "–"),
        ...[share(right, calls), share(right, members)].map((x) => make("td", {}, show.rate(x))),
      ),
    );
    this.body.replaceChildren(...lines);
  }
}
