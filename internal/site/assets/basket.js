// The comparison that survives pages: buttons beside series put them into it and take them out, and a bar leads to
// them. This browser keeps the ids; nothing is sent until the reader compares. Without this script, series are added
// on the page of the comparison.
"use strict";
{
  const bar = document.querySelector(".basket"), name = "cuota.comparar", most = 10;
  const read = () => {
    try {
      const ids = JSON.parse(localStorage.getItem(name) ?? "[]");
      return Array.isArray(ids) ? ids.filter(id => /^\d{1,10}$/.test(id)).slice(0, most) : [];
    } catch {
      return null; // the browser keeps nothing
    }
  };
  const buttons = new Map(); // by id, those of the page
  const show = ids => {
    const link = bar.querySelector("a"), address = new URL(bar.dataset.link, location.href);
    address.searchParams.set("series", ids.join(","));
    link.href = address.pathname + address.search;
    link.textContent = (ids.length === 1 ? bar.dataset.one : bar.dataset.many).replace("{}", ids.length);
    bar.hidden = !ids.length;
    document.body.classList.toggle("with-basket", !bar.hidden);
    for (const [id, list] of buttons) {
      const chosen = ids.includes(id);
      for (const button of list) {
        button.setAttribute("aria-pressed", chosen);
        button.textContent = (chosen ? "✓" : "+") + (button.dataset.said ?? "");
      }
    }
  };
  const keep = ids => {
    try {
      localStorage.setItem(name, JSON.stringify(ids));
    } catch {
      return false; // the browser's room is full
    }
    show(ids);
    return true;
  };
  const say = text => { document.querySelector(".basket-told").textContent = text; };
  const change = (id, named) => {
    const ids = read() ?? [];
    if (ids.includes(id)) {
      if (keep(ids.filter(other => other !== id))) say(named + ": " + bar.dataset.removed);
      return;
    }
    if (ids.length === most) return say(bar.dataset.full);
    if (keep([...ids, id])) say(named + ": " + bar.dataset.added);
  };
  // nameOf is the name of a series: that of the element, after that of its row.
  const nameOf = of => of.dataset.name ?? [of.closest("tr")?.querySelector("th a"), of].filter((part, i, all) =>
    part && all.indexOf(part) === i).map(part => part.title || part.textContent).join(" · ");

  if (bar && read()) {
    for (const of of document.querySelectorAll("[data-series]")) {
      const id = of.dataset.series, button = document.createElement("button"), named = nameOf(of);
      button.type = "button";
      button.className = "pick";
      button.setAttribute("aria-label", bar.dataset.compare + " " + named);
      button.title = bar.dataset.compare;
      button.addEventListener("click", () => change(id, named));
      buttons.set(id, [...buttons.get(id) ?? [], button]);
      if (of.matches("a")) of.after(button);
      else {
        button.dataset.said = " " + bar.dataset.compare;
        of.append(button);
      }
    }
    bar.querySelector("button").addEventListener("click", () => {
      if (keep([])) say(bar.dataset.emptied);
    });
    addEventListener("storage", event => {
      if (event.key === name || event.key === null) show(read() ?? []);
    });
    addEventListener("pageshow", event => { // back to a page that was kept as it was
      if (event.persisted) show(read() ?? []);
    });
    show(read());
  }
}
