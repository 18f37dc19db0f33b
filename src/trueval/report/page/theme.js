"use strict";
// Light or dark: what the reader's system says, until the button says otherwise.

const TRUEVAL = JSON.parse(document.getElementById("trueval-data").textContent);
// What each kind of section does with its data; its script registers itself here.
const SECTIONS = {};

const theme = {
  key: "trueval-theme",
  listeners: [],

  current() {
    return document.documentElement.dataset.theme;
  },

  set(name) {
    document.documentElement.dataset.theme = name;
    const button = document.getElementById("theme");
    button.textContent = name === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${name === "dark" ? "light" : "dark"} theme`);
    button.setAttribute("aria-pressed", String(name === "dark"));
    this.listeners.forEach((listener) => listener(name));
  },

  // A page opened from a mail may have no storage at all.
  stored() {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  },

  store(name) {
    try {
      localStorage.setItem(this.key, name);
    } catch {
      // The choice then lasts as long as the page.
    }
  },

  start() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const wanted = () => this.stored() ?? (system.matches ? "dark" : "light");
    this.set(wanted());
    system.addEventListener("change", () => this.set(wanted()));
    document.getElementById("theme").addEventListener("click", () => {
      const next = this.current() === "dark" ? "light" : "dark";
      this.store(next);
      this.set(next);
    });
    // Paper is white.
    addEventListener("beforeprint", () => drawing.all("light"));
    addEventListener("afterprint", () => drawing.all(this.current()));
  },
};
