"use strict";
// What the reader chose, kept in the address behind the anchor: #s2?s2.class=GO:0004672
// A link to the page then shows the same, and a reload loses nothing.

const state = {
  anchor: "",
  values: new URLSearchParams(),
  timer: null,

  read() {
    const [anchor, text = ""] = location.hash.slice(1).split("?");
    this.anchor = anchor;
    return new URLSearchParams(text);
  },

  get(key) {
    return this.values.get(key);
  },

  // An empty value is forgotten. Browsers limit how often the address may change.
  set(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === "") this.values.delete(key);
      else this.values.set(key, value);
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 200);
  },

  write() {
    const text = this.values.toString().replaceAll("%3A", ":");
    this.written = `#${this.anchor}${text ? `?${text}` : ""}`;
    history.replaceState(null, "", this.written);
  },

  start() {
    this.values = this.read();
    addEventListener("hashchange", () => {
      if (location.hash === this.written) return;
      if (location.hash.includes("?")) location.reload();
      else {
        this.read(); // another section, the same choices
        this.write();
      }
    });
  },

  // The browser finds an anchor by itself only where nothing stands behind it.
  scroll() {
    if (location.hash.includes("?")) document.getElementById(this.anchor)?.scrollIntoView({ behavior: "instant" });
  },
};
state.start();
