"use strict";
// The section of rankings: the live threshold, the classes it changes, one class, predictions.

class LiveControl {
  constructor(key, stage) {
    Object.assign(this, { key, stage });
    this.counts = new Counts(stage.grid, stage.n_positives, stage.class_sizes);
    this.card = document.querySelector(`[data-live="${key}"]`);
    this.slider = document.getElementById(`${key}-slider`);
    this.inputs = [...this.card.querySelectorAll("[data-target]")];
    this.beta = 1;
    this.classTable = this.makeClassTable();
    this.callTable = this.makeCallTable();
    this.listen();
    this.begin();
    this.pin();
    new OneClass(key, stage);
  }

  listen() {
    this.slider.addEventListener("input", () => {
      this.activate(null);
      this.say("");
      this.go(Number(this.slider.value));
    });
    for (const input of this.inputs) {
      input.addEventListener("input", () => this.want(input.dataset.target, input.value));
    }
    document.querySelector(`[data-pin="${this.key}"]`).addEventListener("click", () => this.pin());
    document.querySelectorAll(`[data-choice^="${this.key}-"]`).forEach((button, i) => {
      button.addEventListener("click", () => {
        this.choose(this.stage.choices[i]);
        this.card.scrollIntoView({ block: "center" });
        this.slider.focus({ preventScroll: true });
      });
    });
    // The point of the curve is drawn anew with the chart.
    this.chart = document.querySelector(`[data-chart="${this.key}-pr"]`);
    this.chart.addEventListener("drawn", (event) => {
      this.view = event.detail;
      this.movePoint();
    });
  }

  begin() {
    this.choose(this.stage.choices[0] ?? { target: "beta", wanted: 1 });
  }

  // Go to a saved threshold; where it was chosen on other data, to the same target on these.
  choose({ target, wanted, place }) {
    if (place === null || place === undefined || !this.input(target)) {
      this.want(target, wanted);
      return;
    }
    if (target === "beta") this.beta = wanted;
    this.activate(target);
    this.input(target).value = String(wanted);
    this.go(place);
    this.say(`This is the saved threshold: ${show.whole(this.now.calls)} predictions.`);
  }

  input(target) {
    return this.inputs.find((input) => input.dataset.target === target);
  }

  activate(target) {
    for (const input of this.inputs) {
      const mine = input.dataset.target === target;
      input.classList.toggle("active", mine);
      if (!mine) input.value = "";
      input.removeAttribute("aria-invalid");
    }
  }

  want(target, text) {
    const wanted = Number(text);
    const input = this.input(target);
    const share = target === "precision" || target === "recall";
    if (!input || text === "") return;
    if (!Number.isFinite(wanted) || wanted <= 0 || (share && wanted > 1)) {
      this.activate(target);
      input.setAttribute("aria-invalid", "true");
      this.say(share ? `A ${target} is above 0 and at most 1.` : "Give a number above 0.");
      return;
    }
    this.activate(target);
    if (document.activeElement !== input) input.value = String(wanted);
    if (target === "beta") this.beta = wanted;
    const { place, met } = this.counts.find(target, wanted);
    this.go(place);
    const got = this.counts.pooled(place, this.beta);
    const calls = `${show.whole(got.calls)} predictions`;
    const said = {
      precision: met
        ? `A precision of ${wanted} allows up to ${calls} on these data.`
        : `No threshold reaches a precision of ${wanted} on these data; the highest is ${show.rate(got.precision)}.`,
      recall: met
        ? `A recall of ${wanted} takes ${calls} on these data.`
        : `No threshold reaches a recall of ${wanted} on these data; the highest is ${show.rate(got.recall)}.`,
      beta: `The best F${wanted} on these data takes ${calls}.`,
      n_calls: met
        ? `${calls}: the most, up to ${show.whole(wanted)}, that keep equal scores together.`
        : `Fewer than ${calls} are not possible: the highest scores are equal.`,
    };
    this.say(said[target]);
  }

  say(text) {
    document.getElementById(`${this.key}-said`).textContent = text;
  }

  go(place) {
    this.place = place;
    this.now = this.counts.pooled(place, this.beta);
    this.slider.value = String(place);
    const threshold = show.fine(this.now.threshold);
    this.slider.setAttribute("aria-valuetext", `threshold ${threshold}, ${show.whole(this.now.calls)} predictions`);
    document.getElementById(`${this.key}-threshold`).textContent = `≥ ${threshold}`;
    const out = (name, text) => {
      this.card.querySelector(`[data-out="${name}"]`).textContent = text;
    };
    out("calls", show.whole(this.now.calls));
    out("precision", show.rate(this.now.precision));
    out("recall", show.rate(this.now.recall));
    out("f-name", `F${this.beta}`);
    out("f", show.rate(this.now.f));
    const rows = this.classRows();
    out("classes", show.whole(rows.filter((row) => row.calls > 0).length));
    this.classTable?.setRows(rows);
    this.callTable?.setRows(this.callRows());
    this.sayAffected(rows);
    this.sayLeftOut();
    this.movePoint();
  }

  pin() {
    this.pinned = this.place;
    this.go(this.place);
  }

  movePoint() {
    const { precision, recall } = this.now;
    this.view?.data("now", [{ precision, recall }]).runAsync();
  }

  classRows() {
    const { classes, class_sizes: sizes } = this.stage;
    return classes.map((name, k) => {
      const { calls, hits, low } = this.counts.ofClass(k, this.place);
      const before = this.pinned === undefined ? calls : this.counts.ofClass(k, this.pinned).calls;
      return {
        class: name,
        members: sizes[k],
        calls,
        right: hits,
        precision: calls ? hits / calls : null,
        recall: sizes[k] ? hits / sizes[k] : null,
        score_from: low,
        change: calls - before,
      };
    });
  }

  sayAffected(rows) {
    const out = document.querySelector(`[data-out="${this.key}-affected"]`);
    const gain = rows.filter((row) => row.change > 0).length;
    const lose = rows.filter((row) => row.change < 0).length;
    const none = rows.filter((row) => row.members > 0 && row.calls === 0).length;
    const silent = `${show.whole(none)} of the classes with positives get no prediction.`;
    if (this.pinned === undefined || this.pinned === this.place) {
      out.textContent = `${silent} Move the threshold to see which classes gain or lose predictions.`;
      return;
    }
    const then = show.fine(this.counts.pooled(this.pinned).threshold);
    out.textContent = `Compared with threshold ${then}: ${show.whole(gain)} classes gain predictions, ${show.whole(lose)} lose some. ${silent}`;
  }

  makeClassTable() {
    const columns = [
      { key: "class", title: "class", show: show.text, text: true },
      { key: "members", title: "positives", show: show.whole },
      { key: "calls", title: "predictions", show: show.whole },
      { key: "right", title: "correct", show: show.whole },
      { key: "precision", title: "precision", show: show.rate },
      { key: "recall", title: "recall", show: show.rate },
    ];
    if (this.counts.lows) columns.push({ key: "score_from", title: "lowest score", show: (x) => (x === null ? "–" : x.toPrecision(3)) });
    columns.push({ key: "change", title: "change", show: show.signed });
    return new DataTable(document.querySelector(`[data-table="${this.key}-live-classes"]`), {
      caption: "Predictions of each class at the current threshold",
      columns,
      rows: [],
      sort: { key: "calls", down: true },
      search: "Find a class",
      filter: { label: "only classes that change", keep: (row) => row.change !== 0 },
      file: "classes.csv",
    });
  }

  callRows() {
    const { calls, classes } = this.stage;
    const rows = [];
    for (let i = 0; i < calls.value.length && calls.value[i] >= this.now.threshold; i++) {
      rows.push({ object: calls.object[i], class: classes[calls.class[i]], value: calls.value[i], member: calls.member[i] });
    }
    return rows;
  }

  sayLeftOut() {
    const out = document.querySelector(`[data-out="${this.key}-left-out"]`);
    if (!out) return;
    const left = this.now.calls - this.callRows().length;
    out.textContent = left
      ? `${show.whole(left)} predictions at this threshold are not in the table and its CSV.`
      : "All predictions at this threshold are in the table.";
  }

  makeCallTable() {
    return new DataTable(document.querySelector(`[data-table="${this.key}-calls"]`), {
      caption: "Predictions at the current threshold, the highest calibrated score first",
      columns: [
        { key: "object", title: "row", show: show.text, text: true },
        { key: "class", title: "class", show: show.text, text: true },
        { key: "value", title: "calibrated score", show: show.fine },
        { key: "member", title: "known positive", show: show.yes },
      ],
      rows: [],
      sort: { key: "value", down: true },
      search: "Find a row or class",
      filter: { label: "only predictions that are not known positives", keep: (row) => !row.member },
      file: "calls.csv",
    });
  }
}

class OneClass {
  constructor(key, stage) {
    Object.assign(this, { key, stage });
    this.lines = stage.per_class.lines;
    this.said = document.querySelector(`[data-class-said="${key}"]`);
    this.charts = document.querySelector(`[data-class-charts="${key}"]`);
    const input = document.querySelector(`[data-class="${key}"]`);
    if (!this.lines.length) {
      input.disabled = true;
      return;
    }
    this.places = new Map(this.lines.map((line) => [this.name(line), line]));
    const options = this.lines.map((line) => make("option", { value: this.name(line) }));
    document.getElementById(`${key}-class-list`).append(...options);
    const largest = this.lines.reduce((a, b) => (this.size(b) > this.size(a) ? b : a));
    input.value = this.name(largest);
    input.addEventListener("input", () => {
      const line = this.places.get(input.value);
      if (line) this.show(line);
      else this.showNothing(input.value);
    });
    this.show(largest, false);
  }

  name(line) {
    return this.stage.classes[line.class];
  }

  size(line) {
    return this.stage.class_sizes[line.class];
  }

  // The picture of another class must not be taken for that of the name typed.
  showNothing(name) {
    this.charts.hidden = true;
    const place = this.stage.classes.indexOf(name);
    if (place < 0) this.said.textContent = `There is no class “${name}”.`;
    else if (this.stage.class_sizes[place] === 0) this.said.textContent = `${name} has no positives.`;
    else this.said.textContent = `The page holds no curves of ${name} (${show.whole(this.stage.class_sizes[place])} positives).`;
  }

  show(line, draw = true) {
    this.charts.hidden = false;
    this.said.textContent = `${this.name(line)}: ${show.whole(this.size(line))} positives.`;
    this.change("class-curve", (spec) => {
      const points = ([scores, values], ranker) => scores.map((score, i) => ({ ranker, score, value: values[i] }));
      spec.data.values = Object.entries(line.curves).flatMap(([ranker, curve]) => points(curve, ranker));
      spec.layer[1].data.values = line.members.map((member) => ({ member }));
      spec.description = `Calibrated score of class ${this.name(line)}`;
    }, draw);
    this.change("class-reliability", (spec) => {
      const { predicted, observed, n } = line.reliability ?? { predicted: [], observed: [], n: [] };
      spec.data.values = predicted.map((value, i) => ({ value, share: observed[i], n: n[i] }));
      spec.description = `Reliability of class ${this.name(line)}`;
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

SECTIONS.rank = (key, stage) => {
  TRUEVAL.live = { ...TRUEVAL.live, [key]: new LiveControl(key, stage) };
};
