"use strict";
// The board that can be marked: expected rolls and the best cell for every roll, looked up in the table laid beside it.
(() => {
  const box = document.getElementById("explorer");
  const table = JSON.parse(box.querySelector("script").textContent);
  const cells = [...box.querySelectorAll(".grid button")];
  const rows = document.getElementById("marks");
  let mask = 0;
  const row = (...texts) => {
    const line = document.createElement("tr");
    texts.forEach((text, place) => {
      const cell = document.createElement(place ? "td" : "th");
      if (!place) cell.scope = "row";
      if (place === 3) cell.className = "right";
      cell.textContent = text;
      line.append(cell);
    });
    return line;
  };
  const show = () => {
    const over = table.expected[mask] === 0;
    const chosen = table.choice[mask];
    document.getElementById("left").textContent = over ? "A line is complete: no" : table.expected[mask].toFixed(4);
    cells.forEach((cell, place) => {
      const marked = Boolean(mask >> place & 1);
      cell.setAttribute("aria-pressed", String(marked));
      cell.classList.toggle("chosen", chosen.includes(place));
      const state = marked ? "marked" : chosen.includes(place) ? "best for its number" : "unmarked";
      cell.setAttribute("aria-label", `${table.values[place]}, ${table.places[place]}, ${state}`);
    });
    rows.replaceChildren(...table.rolls.map((roll, k) => {
      const cell = chosen[k];
      const after = cell < 0 ? table.expected[mask] : table.expected[mask | 1 << cell];
      return row(roll, `${6 - Math.abs(7 - roll)}/36`, cell < 0 ? "nothing" : table.places[cell], after.toFixed(4));
    }));
  };
  cells.forEach((cell, place) => {
    cell.disabled = false;
    cell.addEventListener("click", () => { mask ^= 1 << place; show(); });
  });
  document.getElementById("clear").addEventListener("click", () => { mask = 0; show(); });
  show();
})();
