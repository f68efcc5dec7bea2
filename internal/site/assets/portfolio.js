// Keeps the movements of /mi-cartera in this browser if the reader asks for it, puts them back, and reads a file
// into the form. Nothing on the page depends on it.
"use strict";
for (const form of document.querySelectorAll("form[data-portfolio]")) {
  const text = form.elements.movimientos, tools = form.querySelector("[data-kept]");
  const box = tools.querySelector("input[type=checkbox]"), file = tools.querySelector("input[type=file]");
  const name = "cuota.mi-cartera";
  let stored = null;
  try {
    stored = localStorage.getItem(name);
  } catch {
    continue; // the browser keeps nothing
  }
  const keep = () => {
    if (box.checked) localStorage.setItem(name, text.value);
    else localStorage.removeItem(name);
  };
  box.checked = stored !== null;
  if (stored !== null && text.value === "") text.value = stored;
  keep();
  box.addEventListener("change", keep);
  text.addEventListener("input", keep);
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    text.value = await file.files[0].text();
    keep();
  });
  tools.hidden = false;
}
