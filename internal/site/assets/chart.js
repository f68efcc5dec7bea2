// The values of the days of line charts: under the pointer, and by the arrow keys. Buttons in the legend switch
// lines on and off. Without this script a chart has its legend and the table of its values.
"use strict";
{
  const files = new Map(); // by address
  // valuesOf returns the values of the charts of a page, which are fetched once.
  const valuesOf = address => {
    if (!files.has(address)) {
      files.set(address, fetch(address).then(reply => {
        if (!reply.ok) throw new Error(reply.status);
        return reply.json();
      }).catch(error => {
        setTimeout(() => files.delete(address), 10000); // a retry is possible after 10 s
        throw error;
      }));
    }
    return files.get(address);
  };
  const newShape = (name, attributes) => {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
    return shape;
  };
  // written is a number as the page writes numbers.
  const written = (value, decimals, file) => {
    const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, file.group) + (part ? file.point + part : "");
    return (value < 0 ? "−" : "") + grouped;
  };
  const day = 86400000;

  const readerOf = figure => {
    const data = figure.dataset, out = figure.querySelector(".pointed"), drawings = [...figure.querySelectorAll("svg.lines")];
    const first = Date.parse(data.first), span = Math.round((Date.parse(data.last) - first) / day);
    const low = Number(data.low), high = Number(data.high), log = "log" in data, off = new Set();
    // days with values of a line that is on; the least that may be between two of a line; the one that is read
    let file = null, chart = null, days = [], longest = Infinity, at = null;

    // reading fetches the values, and reports whether they are those of the drawing.
    const reading = async () => {
      try {
        file = await valuesOf(data.values);
      } catch {
        out.textContent = data.failed;
        return false;
      }
      if (file.batch !== data.batch || !file.charts[data.chart]) {
        out.textContent = data.stale;
        return false;
      }
      if (!chart) {
        chart = file.charts[data.chart];
        for (const line of chart.lines) line.of = new Map(line.days.map((on, i) => [on, line.values[i]]));
        gather();
      }
      return true;
    };
    const gather = () => {
      const lines = chart.lines.filter(line => !off.has(line.class));
      days = [...new Set(lines.flatMap(line => line.days))].sort((a, b) => a - b);
      longest = Math.min(...lines.map(line => line.longest || Infinity));
    };
    const dateOf = on => {
      const date = new Date(first + on * day), month = file.months[date.getUTCMonth()] + "\u00a0" + date.getUTCFullYear();
      return chart.monthly ? month : date.getUTCDate() + "\u00a0" + month;
    };
    // near returns the day with values that is nearest to a day, and the day itself where values are missing.
    const near = on => {
      const best = days.reduce((best, of) => Math.abs(of - on) < Math.abs(best - on) ? of : best, days[0]);
      return 2 * Math.abs(best - on) > longest ? on : best;
    };
    const clear = () => {
      at = null;
      out.replaceChildren();
      for (const drawing of drawings) drawing.querySelector(".cursor")?.remove();
    };
    const show = on => {
      if (!days.length) return clear();
      at = on;
      const lines = chart.lines.filter(line => !off.has(line.class));
      const date = document.createElement("strong");
      date.textContent = dateOf(on);
      out.replaceChildren(date, ...lines.flatMap((line, i) => {
        const read = document.createElement("span"), value = line.of.get(on);
        read.textContent = line.name + " " + (value === undefined ? file.none : written(value, chart.decimals, file) + chart.unit);
        return [i ? "; " : ": ", read];
      }));
      knob.setAttribute("aria-valuenow", on);
      knob.setAttribute("aria-valuetext", dateOf(on));
      for (const drawing of drawings) {
        const [left, right, top, bottom] = ["left", "right", "top", "bottom"].map(edge => Number(drawing.dataset[edge]));
        const x = left + (right - left) * on / Math.max(1, span), cursor = newShape("g", { class: "cursor" });
        cursor.append(newShape("path", { class: "rule", d: `M${x} ${top}V${bottom}` }));
        for (const line of lines) {
          const value = line.of.get(on);
          if (value === undefined) continue;
          const part = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
          cursor.append(newShape("circle", { class: "dot " + line.class, cx: x, cy: bottom - (bottom - top) * part, r: 4 }));
        }
        drawing.querySelector(".cursor")?.remove();
        drawing.append(cursor);
      }
    };

    const knob = document.createElement("div");
    knob.className = "knob";
    knob.tabIndex = 0;
    for (const [name, value] of Object.entries({ role: "slider", "aria-label": figure.querySelector("figcaption strong").textContent + ": " + data.reader,
      "aria-valuemin": 0, "aria-valuemax": span, "aria-valuenow": span, "aria-valuetext": data.last })) knob.setAttribute(name, value);
    const points = async event => {
      const shown = drawings.find(drawing => drawing.getBoundingClientRect().width), box = shown.getBoundingClientRect();
      const left = Number(shown.dataset.left), right = Number(shown.dataset.right);
      const x = (event.clientX - box.left) * shown.viewBox.baseVal.width / box.width;
      const on = Math.round(span * Math.min(1, Math.max(0, (x - left) / (right - left))));
      inside = true;
      if (await reading() && inside) show(near(on));
    };
    let inside = false; // the pointer, while values are fetched
    knob.addEventListener("pointermove", points);
    knob.addEventListener("pointerdown", points);
    knob.addEventListener("pointerleave", event => {
      if (event.pointerType === "touch") return; // what was touched stays to be read
      inside = false;
      if (document.activeElement !== knob) clear();
    });
    knob.addEventListener("focus", async () => {
      if (knob.matches(":focus-visible") && await reading() && at === null) show(days.at(-1));
    });
    knob.addEventListener("blur", clear);
    knob.addEventListener("keydown", async event => {
      if (event.key === "Escape") return clear();
      if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (!await reading() || !days.length) return;
      const from = at ?? days.at(-1);
      switch (event.key) {
      case "ArrowLeft": return show(days.findLast(on => on < from) ?? days[0]);
      case "ArrowRight": return show(days.find(on => on > from) ?? days.at(-1));
      case "Home": return show(days[0]);
      default: return show(days.at(-1));
      }
    });
    figure.querySelector(".plot").append(knob);

    for (const named of figure.querySelectorAll(".legend [data-line]")) {
      const name = named.dataset.line, button = document.createElement("button");
      button.type = "button";
      button.className = "named";
      button.setAttribute("aria-pressed", "true");
      button.append(...named.childNodes);
      named.replaceWith(button);
      button.addEventListener("click", () => {
        const on = off.delete(name);
        if (!on) off.add(name);
        button.setAttribute("aria-pressed", on);
        for (const shape of figure.querySelectorAll(`svg.lines .${name}`)) {
          if (on) shape.removeAttribute("display");
          else shape.setAttribute("display", "none");
        }
        if (chart) gather();
        clear();
      });
    }
  };
  for (const figure of document.querySelectorAll("figure.chart")) readerOf(figure);
}
