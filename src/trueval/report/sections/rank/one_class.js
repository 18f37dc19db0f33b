"use strict";
// One class, chosen by its id or its name: what it is, its curves and its reliability.

class OneClass {
  constructor(key, stage) {
    Object.assign(this, { key, stage });
    this.lines = stage.per_class.lines;
    this.said = document.querySelector(`[data-class-said="${key}"]`);
    this.about = document.querySelector(`[data-class-about="${key}"]`);
    this.charts = document.querySelector(`[data-class-charts="${key}"]`);
    this.input = document.querySelector(`[data-class="${key}"]`);
    if (!this.lines.length) {
      this.input.disabled = true;
      return;
    }
    this.places = new Map(stage.classes.map((name, k) => [name, k]));
    this.stored = new Map(this.lines.map((line) => [line.class, line]));
    const options = this.lines.map((line) => make("option", { value: this.id(line.class), label: this.title(line.class) }));
    document.getElementById(`${key}-class-list`).append(...options);
    const largest = this.lines.reduce((a, b) => (this.size(b.class) > this.size(a.class) ? b : a));
    this.input.value = state.get(`${key}.class`) ?? this.id(largest.class);
    this.input.addEventListener("input", () => {
      state.set({ [`${key}.class`]: this.input.value });
      this.look(this.input.value);
    });
    this.look(this.input.value, false);
  }

  id(k) {
    return this.stage.classes[k];
  }

  name(k) {
    return this.stage.terms?.name[k] ?? "";
  }

  title(k) {
    return this.name(k) ? `${this.id(k)} ${this.name(k)}` : this.id(k);
  }

  size(k) {
    return this.stage.class_sizes[k];
  }

  // The picture of another class must not be taken for that of the text typed.
  look(typed, draw = true) {
    const text = typed.trim();
    this.about.replaceChildren();
    this.charts.hidden = true;
    const place = this.places.get(typed) ?? this.places.get(text) ?? this.named(text);
    if (place === undefined) this.suggest(text);
    else this.describe(place);
    const line = this.stored.get(place);
    if (line) this.show(line, draw);
  }

  // The only class of this name; names may repeat, ids do not.
  named(text) {
    const wanted = text.toLowerCase();
    const same = this.stage.terms?.name.flatMap((name, k) => (wanted && name.toLowerCase() === wanted ? [k] : [])) ?? [];
    return same.length === 1 ? same[0] : undefined;
  }

  suggest(text) {
    const wanted = text.toLowerCase();
    const near = [];
    for (let k = 0; wanted.length > 1 && k < this.stage.classes.length; k++) {
      if (this.title(k).toLowerCase().includes(wanted)) near.push(k);
    }
    if (!near.length) {
      this.said.textContent = text ? `There is no class “${text}”.` : "Type the id or the name of a class.";
      return;
    }
    const most = 8;
    near.sort((a, b) => this.size(b) - this.size(a));
    const first = near.length > most ? `, the ${most} largest are shown` : "";
    const contain = near.length === 1 ? "1 class contains" : `${show.whole(near.length)} classes contain`;
    this.said.textContent = `There is no class “${text}”; ${contain} it${first}.`;
    const choose = (k) => () => {
      this.input.value = this.id(k);
      this.input.dispatchEvent(new Event("input"));
      this.input.focus();
    };
    const buttons = near.slice(0, most).map((k) => make("li", {}, make("button", { type: "button", class: "quiet", onclick: choose(k) }, this.title(k))));
    this.about.replaceChildren(make("ul", { class: "choices" }, ...buttons));
  }

  describe(k) {
    const positives = `${show.whole(this.size(k))} positives`;
    if (this.size(k) === 0) this.said.textContent = `${this.title(k)} has no positives.`;
    else if (!this.stored.has(k)) this.said.textContent = `The page holds no curves of ${this.title(k)} (${positives}).`;
    else this.said.textContent = `${this.title(k)}: ${positives}.`;
    const parts = [];
    const definition = this.stage.terms?.definition[String(k)];
    if (definition) parts.push(make("p", { class: "definition" }, definition));
    const measures = this.stage.class_measures;
    if (measures && measures.average_precision[k] !== null) {
      const text = `Average precision ${this.measure("average_precision", k)}, AUC ${this.measure("auc", k)}. `;
      const address = linkOf("class", this.id(k));
      parts.push(make("p", { class: "fine" }, text, ...(address ? [linked(`${this.id(k)} in AmiGO`, address)] : [])));
    }
    this.about.replaceChildren(...parts);
  }

  // A measure of a class with its interval, if it has one.
  measure(name, k) {
    const ends = ["low", "high"].map((end) => this.stage.resampling?.classes[`${name}_${end}`][k] ?? null);
    const value = show.rate(this.stage.class_measures[name][k]);
    return ends.includes(null) ? value : `${value} (${ends.map(show.rate).join(" to ")})`;
  }

  show(line, draw) {
    this.charts.hidden = false;
    const title = this.title(line.class);
    this.change("class-pr", (spec) => {
      const { recalls, bands } = this.stage.resampling ?? { recalls: [], bands: {} };
      const { precision, low, high } = bands[line.class] ?? { precision: [] };
      spec.data.values = precision.map((value, i) => ({ recall: recalls[i], precision: value, low: low[i], high: high[i] }));
      spec.layer[0].data.values = spec.data.values.filter((point) => point.low !== null);
      spec.description = `Precision against recall of class ${title}`;
    }, draw);
    this.change("class-curve", (spec) => {
      const points = ([scores, values], ranker) => scores.map((score, i) => ({ ranker, score, value: values[i] }));
      spec.data.values = Object.entries(line.curves).flatMap(([ranker, curve]) => points(curve, ranker));
      if (line.members.length) spec.layer[1].data.values = line.members.map((member) => ({ member }));
      else spec.layer.pop();
      spec.description = `Calibrated score of class ${title}`;
    }, draw);
    this.change("class-reliability", (spec) => {
      const { predicted, observed, n } = line.reliability ?? { predicted: [], observed: [], n: [] };
      spec.data.values = predicted.map((value, i) => ({ value, share: observed[i], n: n[i] }));
      spec.description = `Reliability of class ${title}`;
    }, draw);
  }

  change(name, edit, draw) {
    const element = document.querySelector(`[data-chart="${this.key}-${name}"]`);
    if (!element) return;
    const spec = structuredClone(TRUEVAL.charts[`${this.key}-${name}`]);
    edit(spec);
    if (draw) drawing.change(element, spec);
    else drawing.extra.set(element, spec);
  }
}
