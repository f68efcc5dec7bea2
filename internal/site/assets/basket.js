// The comparison that survives pages: buttons beside series put them into it and take them out, and a bar leads to
// them. This browser keeps the ids; nothing is sent until the reader compares. What is removed on the page of the
// comparison is taken out as well. Without this script, series are added on that page.
"use strict";
{
  const bar = document.querySelector(".basket"), name = "cuota.comparar", most = 10;
  const read = () => {
    let text;
    try {
      text = localStorage.getItem(name) ?? "[]";
    } catch {
      return null; // the browser keeps nothing
    }
    try {
      const ids = JSON.parse(text);
      return Array.isArray(ids) ? ids.filter(id => /^\d{1,10}$/.test(id)).slice(0, most) : [];
    } catch {
      return []; // not written by this script
    }
  };
  const buttons = new Map(); // by id, those of the page
  const show = ids => {
    const link = bar.querySelector("a"), address = new URL(bar.dataset.link, location.href);
    address.searchParams.set("series", ids.join(","));
    link.href = address.pathname + address.search;
    link.textContent = (ids.length === 1 ? bar.dataset.single : bar.dataset.many).replace("{}", ids.length);
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
  const say = text => { document.querySelector(".basket-told").textContent = text; };
  // keep stores the ids, and then says what was done.
  const keep = (ids, done) => {
    try {
      localStorage.setItem(name, JSON.stringify(ids));
    } catch {
      return say(bar.dataset.unkept); // the browser's room is full
    }
    show(ids);
    say(done);
  };
  const change = (id, named) => {
    const ids = read() ?? [];
    if (ids.includes(id)) return keep(ids.filter(other => other !== id), named + ": " + bar.dataset.removed);
    if (ids.length === most) return say(bar.dataset.full);
    keep([...ids, id], named + ": " + bar.dataset.added);
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
    for (const of of document.querySelectorAll("[data-picks]")) of.hidden = false;
    bar.querySelector("button").addEventListener("click", () => {
      keep([], bar.dataset.emptied);
      if (bar.hidden) document.querySelector("main").focus({preventScroll: true}); // the button had the focus
    });
    for (const link of document.querySelectorAll("[data-unpick]")) {
      link.addEventListener("click", () => {
        const ids = read() ?? [], id = link.dataset.unpick;
        if (ids.includes(id)) keep(ids.filter(other => other !== id), "");
      });
    }
    addEventListener("storage", event => {
      if (event.key === name || event.key === null) show(read() ?? []);
    });
    addEventListener("pageshow", event => { // back to a page that was kept as it was
      if (event.persisted) show(read() ?? []);
    });
    show(read());
  }
}
