"use strict";
// The rank stage: the live control, the classes it changes, one class, the calls.

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
        const { target, wanted } = this.stage.choices[i];
        this.want(target, wanted);
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
    const first = this.stage.choices[0] ?? { target: "beta", wanted: 1 };
    this.want(first.target, first.wanted);
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
    if (text === "" || !Number.isFinite(wanted) || wanted <= 0 || (share && wanted > 1)) {
      if (text === "") return;
      input.setAttribute("aria-invalid", "true");
      this.say(share ? `A ${target} lies above 0 and is at most 1.` : "Give a number above 0.");
      return;
    }
    this.activate(target);
    if (document.activeElement !== input) input.value = String(wanted);
    if (target === "beta") this.beta = wanted;
    const { place, met } = this.counts.find(target, wanted);
    this.go(place);
    const got = this.counts.pooled(place, this.beta);
    const calls = `${shown.whole(got.calls)} calls`;
    const said = {
      precision: met
        ? `A precision of ${wanted} allows up to ${calls} here.`
        : `No threshold reaches a precision of ${wanted} here; the highest is ${got.precision.toFixed(3)}.`,
      recall: met
        ? `A recall of ${wanted} takes ${calls} here.`
        : `No threshold reaches a recall of ${wanted} here; the highest is ${got.recall.toFixed(3)}.`,
      beta: `The best F${wanted} here takes ${calls}.`,
      n_calls: met
        ? `${calls} are the most up to ${shown.whole(wanted)} that no tie straddles.`
        : `Fewer than ${calls} cannot be made: the highest values are equal.`,
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
    const threshold = shown.short(this.now.threshold);
    this.slider.setAttribute("aria-valuetext", `threshold ${threshold}, ${shown.whole(this.now.calls)} calls`);
    document.getElementById(`${this.key}-threshold`).textContent = `≥ ${threshold}`;
    const out = (name, text) => {
      this.card.querySelector(`[data-out="${name}"]`).textContent = text;
    };
    out("calls", shown.whole(this.now.calls));
    out("precision", shown.share(this.now.precision));
    out("recall", shown.share(this.now.recall));
    out("f-name", `F${this.beta}`);
    out("f", shown.share(this.now.f));
    const rows = this.classRows();
    out("classes", shown.whole(rows.filter((row) => row.calls > 0).length));
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
    const silent = `${shown.whole(none)} of the classes with members get no call.`;
    if (this.pinned === undefined || this.pinned === this.place) {
      out.textContent = `${silent} Move the threshold to see which classes gain or lose calls.`;
      return;
    }
    const then = shown.short(this.counts.pooled(this.pinned).threshold);
    out.textContent = `Compared with threshold ${then}: ${shown.whole(gain)} classes gain calls, ${shown.whole(lose)} lose some. ${silent}`;
  }

  makeClassTable() {
    const columns = [
      { key: "class", title: "class", show: shown.text, text: true },
      { key: "members", title: "members", show: shown.whole },
      { key: "calls", title: "calls", show: shown.whole },
      { key: "right", title: "right", show: shown.whole },
      { key: "precision", title: "precision", show: shown.share },
      { key: "recall", title: "recall", show: shown.share },
    ];
    if (this.counts.lows) columns.push({ key: "score_from", title: "score from", show: (x) => (x === null ? "–" : x.toPrecision(3)) });
    columns.push({ key: "change", title: "change", show: shown.signed });
    return new DataTable(document.querySelector(`[data-table="${this.key}-live-classes"]`), {
      caption: "Calls of each class at the threshold chosen",
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
    const left = this.now.calls - Math.min(this.now.calls, this.stage.calls.value.length);
    out.textContent = left
      ? `${shown.whole(left)} calls of this threshold are left out of the table and of its CSV.`
      : "All calls of this threshold are in the table.";
  }

  makeCallTable() {
    return new DataTable(document.querySelector(`[data-table="${this.key}-calls"]`), {
      caption: "Calls at the threshold chosen, the surest first",
      columns: [
        { key: "object", title: "object", show: shown.text, text: true },
        { key: "class", title: "class", show: shown.text, text: true },
        { key: "value", title: "value", show: shown.short },
        { key: "member", title: "member", show: shown.yes },
      ],
      rows: [],
      sort: { key: "value", down: true },
      search: "Find an object or class",
      filter: { label: "only calls that are not known members", keep: (row) => !row.member },
      file: "calls.csv",
    });
  }
}

class OneClass {
  constructor(key, stage) {
    Object.assign(this, { key, stage });
    this.lines = stage.per_class.lines;
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
    });
    this.show(largest, false);
  }

  name(line) {
    return this.stage.classes[line.class];
  }

  size(line) {
    return this.stage.class_sizes[line.class];
  }

  show(line, draw = true) {
    const said = document.querySelector(`[data-class-said="${this.key}"]`);
    said.textContent = `${this.name(line)}: ${shown.whole(this.size(line))} members.`;
    this.change("class-curve", (spec) => {
      const points = ([scores, values], ranker) => scores.map((score, i) => ({ ranker, score, value: values[i] }));
      spec.data.values = Object.entries(line.curves).flatMap(([ranker, curve]) => points(curve, ranker));
      spec.layer[1].data.values = line.members.map((member) => ({ member }));
      spec.description = `Value of a score of class ${this.name(line)}`;
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
