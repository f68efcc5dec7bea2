// Sends the request of the console from the browser of the reader. The key is read from its field
// when a request is sent, and goes into a header and nowhere else.
"use strict";
(() => {
  const shownHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-batch-id", "x-ignored-parameters", "x-request-id"];
  const most = 200000; // characters of a body that are shown
  const form = document.getElementById("console");
  const result = document.getElementById("result");
  const curl = document.getElementById("curl");
  const at = (id) => document.getElementById(id);

  // target gives the path and the query of the request.
  const target = () => {
    let path = form.dataset.path;
    const query = new URLSearchParams();
    for (const field of form.querySelectorAll("[data-name]")) {
      if (field.dataset.in === "path") {
        path = path.replace("{" + field.dataset.name + "}", encodeURIComponent(field.value));
      } else if (field.value !== "") {
        query.append(field.dataset.name, field.value);
      }
    }
    const text = query.toString();
    return text === "" ? path : path + "?" + text;
  };

  const show = (status, headers, body) => {
    result.hidden = false;
    at("status").textContent = status;
    at("headers").replaceChildren(...headers.flatMap(([name, value]) => {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      return [term, text];
    }));
    at("reply").textContent = body.length > most ? body.slice(0, most) + "\n… " + result.dataset.cut : body;
  };

  const readable = (text, type) => {
    if (!type.includes("json") || type.includes("ndjson") || text.length > most) return text;
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  // The command on the page has the address of the fields as they are now, without the key.
  const first = curl.textContent;
  const end = first.lastIndexOf("'", first.length - 2);
  const address = first.slice(end + 1, -1);
  const origin = address.slice(0, address.indexOf("/", address.indexOf("//") + 2));
  form.addEventListener("input", () => {
    curl.textContent = first.slice(0, end + 1) + (origin + target()).replaceAll("'", "%27") + "'";
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    show(result.dataset.sending, [], "");
    const headers = {};
    const key = at("key");
    if (key && key.value.trim() !== "") headers["X-Api-Key"] = key.value.trim();
    const body = at("body");
    if (body) headers["Content-Type"] = "application/json";
    try {
      const reply = await fetch(target(), {
        method: form.dataset.method, headers, body: body ? body.value : undefined, credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
      });
      const seen = shownHeaders.filter((name) => reply.headers.has(name)).map((name) => [name, reply.headers.get(name)]);
      show(reply.status + " " + reply.statusText, seen, readable(await reply.text(), reply.headers.get("content-type") || ""));
    } catch {
      show(result.dataset.failed, [], "");
    }
  });

  for (const part of form.querySelectorAll(".with-script")) part.hidden = false;
  for (const part of form.querySelectorAll(".without-script")) part.hidden = true;
})();
