// Lists what a text finds while it is typed into the search of a page's head. Without this script the form of the
// search leads to a page with all that is found.
"use strict";
for (const form of document.querySelectorAll("form.find[data-suggestions]")) {
  const input = form.querySelector("input[type=search]"), pause = 150; // milliseconds without a key before it asks
  const list = document.createElement("ul"), told = document.createElement("span");
  list.id = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", form.dataset.label);
  told.className = "hidden";
  told.setAttribute("role", "status");
  form.append(list, told);
  for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id,
    "aria-expanded": "false" })) input.setAttribute(key, value);

  let waiting = 0, asking = null, chosen = -1;
  // choose marks an option, and none for -1.
  const choose = at => {
    chosen = at;
    for (const [i, option] of [...list.children].entries()) option.setAttribute("aria-selected", i === at);
    if (at < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at].scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    clearTimeout(waiting);
    asking?.abort();
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    told.textContent = "";
    choose(-1);
  };
  const line = (kind, text) => {
    const part = document.createElement("span");
    part.className = kind;
    part.textContent = text;
    return part;
  };
  const show = found => {
    list.replaceChildren(...found.items.map((item, i) => {
      const option = document.createElement("li");
      option.id = "suggestion-" + i;
      option.setAttribute("role", "option");
      option.append(line("name", item.name), line("sub", [item.kind, item.sub].filter(Boolean).join(" · ")));
      option.addEventListener("click", () => location.assign(item.link));
      return option;
    }));
    choose(-1);
    list.hidden = !found.items.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    told.textContent = found.count;
  };
  const ask = async () => {
    const texts = new URLSearchParams(new FormData(form));
    asking = new AbortController();
    try {
      const reply = await fetch(form.dataset.suggestions + "?" + texts, { signal: asking.signal });
      if (!reply.ok) return close();
      const found = await reply.json();
      if (document.activeElement === input) show(found);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the form finds the same
    }
  };
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    asking?.abort();
    if (input.value.trim().length < 2) return close();
    waiting = setTimeout(ask, pause);
  });
  input.addEventListener("keydown", event => {
    const last = list.children.length - 1;
    if (list.hidden) return;
    switch (event.key) {
      case "ArrowDown": choose(chosen < last ? chosen + 1 : -1); break;
      case "ArrowUp": choose(chosen < 0 ? last : chosen - 1); break;
      case "Escape": close(); break;
      default: return;
    }
    event.preventDefault();
  });
  list.addEventListener("pointerdown", event => event.preventDefault()); // the field keeps the focus until the click
  input.addEventListener("blur", close);
  form.addEventListener("submit", event => {
    if (chosen >= 0) {
      event.preventDefault();
      list.children[chosen].click();
    }
    close();
  });
}
