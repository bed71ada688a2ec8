"use strict";
// Forms that the page answers itself: read the fields, look chances up in the table laid beside, say which choice is best.
const asking = (() => {
  class Refusal extends Error {
    constructor(field, sentence) { super(sentence); this.field = field; }
  }
  const element = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const percent = (chance) => `${(100 * chance).toFixed(6)} %`;
  const short = (text) => text.length <= 40 ? text : `${text.slice(0, 40)}…`;

  // Numbers of four bytes, the lowest first, as chances.
  const unpack = ({chances, scale}) => {
    const bytes = Uint8Array.from(atob(chances), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Float64Array.from({length: bytes.length / 4}, (_, k) => view.getUint32(4 * k, true) / scale);
  };

  const whole = (text) => /^[-+]?[0-9]{1,9}$/.test(text.trim()) ? Number(text) : null;
  // The whole number in a field, from 0 to `most`.
  const number = (field, name, most) => {
    const value = whole(field.value);
    if (value === null) throw new Refusal(field, `${name} '${short(field.value)}': write a whole number`);
    if (value < 0 || value > most) throw new Refusal(field, `${name} ${value}: must lie between 0 and ${most}`);
    return value;
  };

  // Which option is best, and by how much. A packed chance is off by half a unit, so one unit of difference says nothing.
  const verdict = ([first, second], scale) => {
    const line = element("p", "", {class: "lead"});
    const lead = second && first.chance - second.chance;
    line.append(element("strong", `Best: ${first.name}`), !second ? ", the only choice."
      : lead * scale > 1.5 ? `, ahead of ${second.name} by ${(100 * lead).toFixed(6)} percentage points.`
      : `, but the numbers on this page cannot tell it from ${second.name}.`);
    return line;
  };
  const table = (caption, head, options) => {
    const made = element("table", "");
    const row = (cell, scope, ...texts) => {
      const line = element("tr", "");
      line.append(element("th", texts[0], {scope}), ...texts.slice(1).map((text) => element(...cell(text))));
      return line;
    };
    const [top, body] = [element("thead", ""), element("tbody", "")];
    top.append(row((text) => ["th", text, {scope: "col"}], "col", head, "Chance to win"));
    body.append(...options.map(({name, chance}) => row((text) => ["td", text, {class: "number"}], "row", name, percent(chance))));
    made.append(element("caption", caption), top, body);
    const box = element("div", "", {class: "scroll"});
    box.append(made);
    return box;
  };

  // `answer(fields, data, chances)` returns what is shown: `title`, `note`, and `options` under `head`, if there are any.
  const start = (game, answer) => {
    const form = document.querySelector(`[data-ask=${game}]`);
    const data = JSON.parse(form.querySelector("script").textContent);
    const chances = unpack(data);
    const told = form.querySelector("[data-answer]");
    const show = () => {
      for (const field of form.elements) field.removeAttribute("aria-invalid");
      try {
        const {title, note, head, options} = answer(form.elements, data, chances);
        const shown = [element("h3", title)];
        if (options) {
          const sorted = options.toSorted((a, b) => b.chance - a.chance);
          shown.push(verdict(sorted, data.scale), table("Your chance to win after each choice", head, sorted));
        }
        if (note) shown.push(element("p", note));
        told.replaceChildren(...shown);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        refusal.field.setAttribute("aria-invalid", "true");
        told.replaceChildren(element("p", refusal.message, {class: "error"}));
        return refusal.field;
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show()?.focus();
    });
    show();
  };
  return {Refusal, number, percent, short, start, whole};
})();
