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

theme.start();
for (const [key, stage] of Object.entries(TRUEVAL.stages)) SECTIONS[stage.kind]?.(key, stage);
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copyText(button));
}
markCurrent();
drawing.all().then(() => {
  document.documentElement.dataset.drawn = "yes";
  theme.listeners.push((name) => drawing.all(name));
});
