"use strict";
// Light or dark: as the system says, or as chosen with the button; loaded in the head, so that no wrong colour flashes.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const read = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* private windows may refuse */ } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const now = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      const other = now() === "dark" ? "light" : "dark";
      button.textContent = other === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `Change to the ${other} theme`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = now() === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    button.hidden = false;
    show();
  });
})();
