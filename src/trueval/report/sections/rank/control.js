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
    this.groups = new Groups(document.querySelector(`[data-groups="${key}"]`), stage);
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
      this.keep("threshold", this.now.threshold);
    });
    for (const input of this.inputs) {
      input.addEventListener("input", () => {
        this.want(input.dataset.target, input.value);
        this.keep(input.dataset.target, input.value);
      });
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

  // Where the address says, or at the saved threshold, or at the best F.
  begin() {
    this.choose(this.stage.choices[0] ?? { target: "beta", wanted: 1 });
    const asked = state.get(`${this.key}.threshold`);
    if (asked !== null && Number.isFinite(Number(asked))) {
      const place = this.stage.grid.thresholds.findLastIndex((value) => value >= Number(asked));
      this.activate(null);
      this.say("");
      this.go(Math.max(place, 0));
    }
    for (const { dataset } of this.inputs) {
      const wanted = state.get(`${this.key}.${dataset.target}`);
      if (wanted !== null) this.want(dataset.target, wanted);
    }
  }

  // One threshold or target at a time is in the address.
  keep(name, value) {
    const names = ["threshold", ...this.inputs.map((input) => input.dataset.target)];
    const none = Object.fromEntries(names.map((one) => [`${this.key}.${one}`, null]));
    state.set({ ...none, [`${this.key}.${name}`]: String(value) });
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
    this.groups.update(rows);
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
    const { classes, class_sizes: sizes, terms, class_measures: measures } = this.stage;
    return classes.map((name, k) => {
      const { calls, hits, low } = this.counts.ofClass(k, this.place);
      const before = this.pinned === undefined ? calls : this.counts.ofClass(k, this.pinned).calls;
      return {
        class: name,
        name: terms?.name[k] ?? "",
        members: sizes[k],
        calls,
        right: hits,
        precision: calls ? hits / calls : null,
        recall: sizes[k] ? hits / sizes[k] : null,
        score_from: low,
        change: calls - before,
        average_precision: measures?.average_precision[k] ?? null,
        auc: measures?.auc[k] ?? null,
        ...Object.fromEntries(this.ends.map((name) => [name, this.stage.resampling.classes[name][k]])),
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

  // The id of a class, linked where its form is known, and its name if there is one.
  classColumns() {
    const id = { key: "class", title: "class", show: show.text, text: true, link: (row) => linkOf("class", row.class) };
    return this.stage.terms ? [id, { key: "name", title: "name", show: show.text, text: true }] : [id];
  }

  // Names of the ends of intervals; none where there are none.
  get ends() {
    return Object.keys(this.stage.resampling?.classes ?? {});
  }

  makeClassTable() {
    const withEnds = (name) => (value, row) => {
      const [low, high] = [row[`${name}_low`] ?? null, row[`${name}_high`] ?? null];
      const text = show.rate(value);
      return low === null ? text : [text, make("small", {}, `${show.rate(low)} to ${show.rate(high)}`)];
    };
    const columns = [
      ...this.classColumns(),
      { key: "members", title: "positives", show: show.whole },
      { key: "calls", title: "predictions", show: show.whole },
      { key: "right", title: "correct", show: show.whole },
      { key: "precision", title: "precision", show: show.rate },
      { key: "recall", title: "recall", show: show.rate },
    ];
    if (this.counts.lows) columns.push({ key: "score_from", title: "lowest score", show: (x) => (x === null ? "–" : x.toPrecision(3)) });
    columns.push({ key: "change", title: "change", show: show.signed });
    if (this.stage.class_measures) {
      columns.push({ key: "average_precision", title: "average precision", show: withEnds("average_precision") });
      columns.push({ key: "auc", title: "AUC", show: withEnds("auc") });
    }
    return new DataTable(document.querySelector(`[data-table="${this.key}-live-classes"]`), {
      caption: "Predictions of each class at the current threshold",
      columns,
      rows: [],
      sort: { key: "calls", down: true },
      search: "Find a class",
      filter: { label: "only classes that change", keep: (row) => row.change !== 0 },
      file: "classes.csv",
      more: this.ends,
    });
  }

  callRows() {
    const { calls, classes, terms } = this.stage;
    const rows = [];
    for (let i = 0; i < calls.value.length && calls.value[i] >= this.now.threshold; i++) {
      const k = calls.class[i];
      rows.push({ object: calls.object[i], class: classes[k], name: terms?.name[k] ?? "", value: calls.value[i], member: calls.member[i] });
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

  // Rows are taken for proteins only where classes are GO terms and all ids have the form.
  get proteins() {
    const { calls, classes } = this.stage;
    this.areProteins ??= classes.some((name) => linkOf("class", name)) && calls.object.every((id) => linkOf("row", id));
    return this.areProteins;
  }

  makeCallTable() {
    return new DataTable(document.querySelector(`[data-table="${this.key}-calls"]`), {
      caption: "Predictions at the current threshold, the highest calibrated score first",
      columns: [
        { key: "object", title: "row", show: show.text, text: true, link: (row) => (this.proteins ? linkOf("row", row.object) : null) },
        ...this.classColumns(),
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

SECTIONS.rank = (key, stage) => {
  TRUEVAL.live = { ...TRUEVAL.live, [key]: new LiveControl(key, stage) };
};
