// A stand-in for what Apps Script gives to a custom function. It keeps the limits of Apps Script that Cuota.gs
// depends on, and sends requests to a real server.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const source = readFileSync(new URL("../Cuota.gs", import.meta.url), "utf8");

// Fetch of Apps Script is synchronous, and so another process sends the request.
const sender = `
  let text = "";
  process.stdin.setEncoding("utf8").on("data", (some) => (text += some)).on("end", async () => {
    const { url, init } = JSON.parse(text);
    const response = await fetch(url, init);
    const headers = Object.fromEntries(response.headers);
    process.stdout.write(JSON.stringify({ status: response.status, headers, text: await response.text() }));
  });`;

// The server lets one address ask 10 times a second. The tests are a proxy that it trusts, and name another address
// each time.
let callers = 0;

/**
 * Loads Cuota.gs into an Apps Script of its own. answer may give the answer to a request, by its number from 1. wait
 * waits for so many milliseconds, if the answers are those of a service that tells when to ask again.
 */
export function appsScript(properties, answer = () => undefined, wait = () => undefined) {
  const requests = [];
  const sleeps = [];
  const cache = new Map();
  const put = (name, value, seconds) => {
    if (typeof value !== "string" || value.length > 100_000 || name.length > 250 || seconds > 21_600)
      throw new Error("Argument too large");
    cache.set(name, value);
  };
  const context = createContext({
    PropertiesService: { getScriptProperties: () => ({ getProperty: (name) => properties[name] ?? null }) },
    CacheService: {
      getScriptCache: () => ({
        get: (name) => cache.get(name) ?? null,
        put,
        getAll: (names) =>
          Object.fromEntries(names.filter((name) => cache.has(name)).map((name) => [name, cache.get(name)])),
        putAll: (values, seconds) => Object.entries(values).forEach(([name, value]) => put(name, value, seconds)),
      }),
    },
    Utilities: {
      sleep: (ms) => {
        sleeps.push(ms);
        wait(ms);
      },
      formatDate: (date, timeZone) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(date),
    },
    SpreadsheetApp: { getActive: () => ({ getSpreadsheetTimeZone: () => "America/Santiago" }) },
    UrlFetchApp: {
      fetch(url, options) {
        if (url.length > 2082) throw new Error("Limit Exceeded: URLFetch URL Length.");
        if (!options.muteHttpExceptions || options.followRedirects !== false)
          throw new Error("the options allow what they must not");
        requests.push({ url, options });
        const { status, headers, text } = answer(requests.length) ?? send(url, options);
        return { getResponseCode: () => status, getAllHeaders: () => headers, getContentText: () => text };
      },
    },
  });
  runInContext(source, context);
  // Arrays of the other context are equal to those here in JSON alone.
  const CUOTA = (...args) => {
    const value = context.CUOTA(...args);
    return Array.isArray(value) ? JSON.parse(JSON.stringify(value)) : value;
  };
  return { CUOTA, requests, sleeps, cache };
}

function send(url, { method = "get", headers, contentType, payload }) {
  callers++;
  const init = {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      "X-Forwarded-For": `10.1.${callers >> 8}.${callers & 255}`,
      ...(contentType && { "Content-Type": contentType }),
    },
    redirect: "manual",
    body: payload,
  };
  return JSON.parse(
    execFileSync(process.execPath, ["-e", sender], { input: JSON.stringify({ url, init }), maxBuffer: 64 << 20 }),
  );
}
