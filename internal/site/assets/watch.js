// Shows whether the signed-in person watches the series of this page. The page is the same for everybody, so this
// script asks. Without it, and for everybody else, a link leads to the account, where series are watched too. The form
// that also turns alerts on needs no script; this one hides it from whoever has both.
"use strict";
for (const link of document.querySelectorAll("a[data-watch]")) {
  const {watch: id, watching, stop, stopped} = link.dataset, list = "/api/me/watchlist";
  const state = document.createElement("span"), button = document.createElement("button");
  const announcement = document.createElement("span"); // for screen readers
  state.className = "watching";
  button.type = "button";
  button.className = "plain";
  announcement.className = "hidden";
  announcement.setAttribute("role", "status");
  state.hidden = button.hidden = true;
  link.after(state, button, announcement);

  const both = link.parentElement.querySelector("form[data-alerts]"); // watches the series and turns alerts on

  let watched = null; // the id on the person's list, which may be an earlier one of the series
  let alerts = false; // the person gets alerts
  const show = () => {
    both.hidden = watched !== null && alerts;
    state.textContent = watched === null ? "" : watching;
    button.textContent = watched === null ? link.textContent : stop;
  };
  const ask = async () => {
    const reply = await fetch("/account/watching.json?serie_id=" + encodeURIComponent(id));
    if (!reply.ok) return;
    const answer = await reply.json();
    link.hidden = answer.signed_in;
    state.hidden = button.hidden = !answer.signed_in;
    watched = answer.watched;
    alerts = answer.alerts;
    show();
  };
  const change = async () => {
    const reply = watched === null
      ? await fetch(list, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({serie_id: id})})
      : await fetch(list + "/" + encodeURIComponent(watched), {method: "DELETE"});
    if (!reply.ok) throw new Error(reply.statusText);
    watched = watched === null ? id : null;
    show();
    announcement.textContent = watched === null ? stopped : watching;
  };
  button.addEventListener("click", () => {
    button.disabled = true;
    change().catch(() => location.assign(link.href)) // the account says what is wrong
      .finally(() => {
        button.disabled = false;
        button.focus();
      });
  });
  const refresh = () => { ask().catch(() => {}); }; // without an answer the link stays
  addEventListener("pageshow", event => { // back to a page that was kept as it was
    if (event.persisted) refresh();
  });
  refresh();
}
