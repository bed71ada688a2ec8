"use strict";
// A slider that steps through the frames of a picture: paths and texts, laid beside it as JSON.
for (const box of document.querySelectorAll("[data-stepper]")) {
  const frames = JSON.parse(box.querySelector("script").textContent);
  const slider = box.querySelector("input");
  const places = [...box.querySelectorAll("[data-set]")];
  const show = () => {
    const frame = frames[Number(slider.value) - Number(slider.min)];
    const at = frame.at ?? slider.value;
    box.querySelector("output").textContent = at;
    slider.setAttribute("aria-valuetext", at);
    for (const place of places) {
      const value = frame[place.dataset.set];
      if (place.tagName === "path") place.setAttribute("d", value);
      else place.textContent = value;
    }
  };
  slider.addEventListener("input", show);
  for (const button of box.querySelectorAll("[data-by]")) {
    button.addEventListener("click", () => {
      slider.value = String(Number(slider.value) + Number(button.dataset.by));
      show();
    });
  }
  show();
}
