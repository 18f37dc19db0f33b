"use strict";
// A table that is searched, sorted and paged; a real <table>, filled with text only.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

class DataTable {
  // columns: {key, title, show, text, link}; rows: objects; filter: {label, keep}; more: keys of
  // the rows that the file has beyond the columns
  constructor(place, { caption, columns, rows, sort, search, filter, file, more = [] }) {
    Object.assign(this, { place, columns, rows, search, filter, file, more });
    this.sort = sort; // {key, down}
    this.page = 0;
    this.size = 15;
    this.name = place.dataset.table;
    this.query = (state.get(`${this.name}.find`) ?? "").toLowerCase();
    const [, falls, by] = /^(-?)(.*)$/s.exec(state.get(`${this.name}.sort`) ?? "");
    if (columns.some((column) => column.key === by)) this.sort = { key: by, down: falls === "-" };
    this.kept = false;
    this.build(caption);
    this.refresh();
  }

  build(caption) {
    const tools = make("div", { class: "toolbar" });
    const id = `${this.name}-search`;
    const input = make("input", { type: "search", id, autocomplete: "off", value: state.get(`${this.name}.find`) ?? "" });
    input.addEventListener("input", () => {
      this.query = input.value.trim().toLowerCase();
      state.set({ [`${this.name}.find`]: input.value.trim() });
      this.page = 0;
      this.refresh();
    });
    tools.append(make("label", { class: "field", for: id }, this.search, input));
    if (this.filter) {
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", () => {
        this.kept = box.checked;
        this.page = 0;
        this.refresh();
      });
      tools.append(make("label", { class: "check" }, box, this.filter.label));
    }
    if (this.file) {
      const save = () => saveCsv(this.file, [...this.columns, ...this.more.map((key) => ({ key }))], this.selected());
      tools.append(make("button", { type: "button", class: "quiet", onclick: save }, "Download CSV"));
    }
    this.head = make("tr");
    for (const column of this.columns) {
      const button = make("button", { type: "button" }, column.title);
      button.addEventListener("click", () => this.sortBy(column));
      const cell = make("th", { scope: "col", class: column.text ? "name" : "" }, button);
      cell.dataset.key = column.key;
      this.head.append(cell);
    }
    this.body = make("tbody");
    const table = make("table", {}, make("caption", {}, caption), make("thead", {}, this.head), this.body);
    const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": caption };
    this.back = make("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.next = make("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.count = make("span", { role: "status" });
    const pager = make("div", { class: "pager" }, this.back, this.next, this.count);
    this.place.replaceChildren(tools, make("div", region, table), pager);
  }

  sortBy(column) {
    const again = this.sort.key === column.key;
    // Numbers first fall, names first rise.
    this.sort = { key: column.key, down: again ? !this.sort.down : !column.text };
    state.set({ [`${this.name}.sort`]: `${this.sort.down ? "-" : ""}${column.key}` });
    this.page = 0;
    this.refresh();
  }

  turn(by) {
    this.page += by;
    this.refresh();
  }

  setRows(rows) {
    this.rows = rows;
    this.refresh();
  }

  // Rows that pass the search and the filter, in order.
  selected() {
    let rows = this.rows;
    if (this.kept) rows = rows.filter(this.filter.keep);
    if (this.query) {
      const named = this.columns.filter((column) => column.text);
      rows = rows.filter((row) => named.some((c) => String(row[c.key]).toLowerCase().includes(this.query)));
    }
    const { key, down } = this.sort;
    const text = this.columns.find((column) => column.key === key).text;
    const order = text
      ? (a, b) => String(a[key]).localeCompare(String(b[key]), "en", { numeric: true })
      : (a, b) => (a[key] ?? -Infinity) - (b[key] ?? -Infinity);
    return [...rows].sort((a, b) => (down ? order(b, a) : order(a, b)));
  }

  refresh() {
    const rows = this.selected();
    const pages = Math.max(1, Math.ceil(rows.length / this.size));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const start = this.page * this.size;
    const lines = rows.slice(start, start + this.size).map((row) =>
      make(
        "tr",
        {},
        ...this.columns.map((column, place) => {
          const attributes = { class: column.text ? "name" : "" };
          if (place === 0) attributes.scope = "row";
          const shown = column.show(row[column.key], row);
          const parts = column.link ? [linked(shown, column.link(row))] : [shown].flat();
          return make(place === 0 ? "th" : "td", attributes, ...parts);
        }),
      ),
    );
    if (!lines.length) {
      lines.push(make("tr", {}, make("td", { class: "empty", colspan: this.columns.length }, "Nothing to show.")));
    }
    this.body.replaceChildren(...lines);
    for (const cell of this.head.children) {
      const mine = cell.dataset.key === this.sort.key;
      cell.setAttribute("aria-sort", mine ? (this.sort.down ? "descending" : "ascending") : "none");
    }
    const end = Math.min(start + this.size, rows.length);
    this.count.textContent = rows.length
      ? `${show.whole(start + 1)} to ${show.whole(end)} of ${show.whole(rows.length)}`
      : "none";
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page >= pages - 1;
  }
}

// Quoted as RFC 4180 says; a cell that a spreadsheet would run as a formula gets a quote mark.
function csvCell(value) {
  let text = value === null ? "" : String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveCsv(file, columns, rows) {
  const lines = [columns.map((column) => csvCell(column.key)).join(",")];
  for (const row of rows) lines.push(columns.map((column) => csvCell(row[column.key])).join(","));
  const blob = new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv;charset=utf-8" });
  const link = make("a", { href: URL.createObjectURL(blob), download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
