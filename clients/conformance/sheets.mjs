// Runs the cases with the function of Google Sheets, and prints a line for each: {case, gives} or {case, error}.
// CUOTA_CASES is the file of cases, CUOTA_URL the address before the name of a case, and CUOTA_KEY the key.
import { readFileSync } from "node:fs";
import { appsScript } from "../sheets/test/apps-script.mjs";

const { CUOTA_CASES, CUOTA_URL, CUOTA_KEY } = process.env;

/** Asks for a range, and throws what stands in a cell instead of a value. */
function column(CUOTA, series, ...what) {
  if (series.length === 1) return [CUOTA(series[0], ...what)];
  return CUOTA(
    series.map((id) => [id]),
    ...what,
  ).map(([value]) => value);
}

// A cell shows a text where there is no value.
const orNull = (value) => (typeof value === "string" && value.startsWith("Sin dato") ? null : value);

const gives = {
  compare: (CUOTA, { series }) => {
    const [names, tac, price] = ["nombre", "tac", "precio"].map((what) => column(CUOTA, series, what));
    return series.map((id, i) => [id, names[i], orNull(tac[i]), orNull(price[i])]);
  },
  between: (CUOTA, { series, from, to }) => {
    const values = column(CUOTA, series, from, to);
    return series.map((id, i) => [id, values[i], null]);
  },
};

for (const { name, ask, not } of JSON.parse(readFileSync(CUOTA_CASES, "utf8")).cases) {
  if (not?.sheets) continue;
  const { what, key = CUOTA_KEY, ...params } = ask;
  const { CUOTA } = appsScript({ CUOTA_URL: `${CUOTA_URL}/${name}`, CUOTA_KEY: key }, undefined, waiting);
  let line;
  try {
    line = { case: name, gives: gives[what](CUOTA, params) };
  } catch (error) {
    line = { case: name, error: { text: error.message } };
  }
  console.log(JSON.stringify(line));
}

/** Waits as Utilities.sleep of Apps Script does. */
function waiting(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
