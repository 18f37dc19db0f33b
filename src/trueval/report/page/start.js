"use strict";
// Puts the page to work.

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
  document.querySelectorAll("main > section").forEach((section) => seen.observe(section));
}

// Long lists come compressed. A browser that cannot unpack them shows the page without.
async function unpack(stage) {
  if (!stage.packed || typeof DecompressionStream === "undefined") return;
  const bytes = Uint8Array.from(atob(stage.packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  Object.assign(stage, JSON.parse(await new Response(stream).text()));
}

// Definitions are open where a link leads to one of them, and on paper.
function openMeasures() {
  const details = document.querySelector(".measures details");
  if (!details) return;
  const open = () => (details.open = true);
  document.querySelectorAll("a.defined").forEach((link) => link.addEventListener("click", open));
  addEventListener("beforeprint", open);
  if (location.hash.startsWith("#measure-")) open();
}

theme.start();
openMeasures();
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copyText(button));
}
markCurrent();
(async () => {
  await Promise.all(Object.values(TRUEVAL.stages).map(unpack));
  for (const [key, stage] of Object.entries(TRUEVAL.stages)) SECTIONS[stage.kind]?.(key, stage);
  await drawing.all();
  state.scroll();
  document.documentElement.dataset.drawn = "yes";
  theme.listeners.push((name) => drawing.all(name));
})();
