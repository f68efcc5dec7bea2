// Nothing on a page depends on this script. It sends the form of filters as soon as one changes,
// and shows the value of a chart under the pointer.
"use strict";
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}
// Empty fields stay out of the address.
for (const form of document.querySelectorAll("form[method=get]")) {
  form.addEventListener("formdata", (event) => {
    for (const [name, value] of [...event.formData]) {
      if (value === "") event.formData.delete(name);
    }
  });
}
// The row of the table behind a chart that is nearest to the pointer.
for (const figure of document.querySelectorAll("figure.chart")) {
  const out = figure.querySelector(".pointed"), table = figure.querySelector("table");
  if (!out || !table) continue;
  const first = Date.parse(figure.dataset.first), last = Date.parse(figure.dataset.last);
  const titles = [...table.tHead.rows[0].cells].map(cell => cell.firstChild.textContent.trim());
  const rows = [...table.tBodies[0].rows].map(row => ({ row, at: Date.parse(row.dataset.day) })).filter(of => !Number.isNaN(of.at));
  if (!rows.length) continue;
  for (const drawing of figure.querySelectorAll("svg.lines")) {
    drawing.addEventListener("pointermove", event => {
      const box = drawing.getBoundingClientRect(), left = Number(drawing.dataset.left), right = Number(drawing.dataset.right);
      const x = (event.clientX - box.left) * drawing.viewBox.baseVal.width / box.width;
      const at = first + (last - first) * (x - left) / (right - left);
      const near = rows.reduce((best, of) => Math.abs(of.at - at) < Math.abs(best.at - at) ? of : best);
      out.textContent = [...near.row.cells].map((cell, i) => i ? titles[i] + " " + cell.textContent.trim() : cell.textContent.trim()).join(" · ");
    });
    drawing.addEventListener("pointerleave", () => { out.textContent = ""; });
  }
}
