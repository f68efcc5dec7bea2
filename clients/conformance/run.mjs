// Runs the cases with the TypeScript client, and prints a line for each: {case, gives} or {case, error}.
// CUOTA_CASES is the file of cases, CUOTA_URL the address before the name of a case, and CUOTA_KEY the key.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { CuotaError, createClient, IncompleteChangesError } from "cuota";

const { CUOTA_CASES, CUOTA_URL, CUOTA_KEY } = process.env;

async function all(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

const named =
  (...names) =>
  ({ id, attributes }) => [id, ...names.map((name) => attributes[name] ?? null)];

const gives = {
  page: async (c, { filters, batch_id }) =>
    (await c.screener({ ...filters, fields: "fundName,tac", batch_id }).page()).data.map(named("fundName", "tac")),
  list: async (c, { filters }) => (await all(c.screener({ ...filters, fields: "fundName" }))).map(named("fundName")),
  search: async (c, { q }) => (await all(c.series({ q }))).map(({ attributes: a }) => [a.series_id, a.fund_name]),
  compare: async (c, { series, as_of_date }) => {
    const chosen = { fields: "fundName,tac,price", ...(as_of_date && { as_of_date }) };
    return (await c.compare(series, chosen)).data.map(named("fundName", "tac", "price"));
  },
  screens: async (c, { screens }) =>
    (await c.screens(screens.map((screen) => ({ ...screen, fields: "fundName" })))).data.map(({ data }) =>
      data.map(named("fundName")),
    ),
  between: async (c, { from, to, series }) =>
    (await all(c.returnsBetween(from, to, { series }))).map(named("value", "reason")),
  market: async (c, { date }) => (await c.marketSummary({ date })).families.map(({ family }) => family).sort(),
  backtest: async (c, { strategy }) => {
    const { date, value } = (await c.backtest(strategy)).curve.at(-1);
    return [date, value];
  },
  get: async (c, { path, params }) => c.get(path, params),
  days: async (c, { run, from, to }) =>
    (await all(c.days({ run, from_date: from, to_date: to }))).map(({ attributes: a }) => [a.asset_id, a.date, a.price]),
  csv: async (c, { run, from, to }) => {
    const reply = await c.response("/api/days", { run, from_date: from, to_date: to, format: "csv" });
    const [head, ...rows] = (await reply.text()).trim().split("\n");
    const names = JSON.parse(`[${head}]`);
    const at = ["series_id", "date", "quota"].map((name) => names.indexOf(name));
    return rows
      .map((row) => JSON.parse(`[${row}]`))
      .map((row) => [String(row[at[0]]), row[at[1]], row[at[2]]]);
  },
  changes: async (c, { since }) =>
    (await all(c.changes(since))).filter((line) => "key" in line).map(({ table, key }) => [table, key]),
  file: async (c, { table }) => {
    const [{ address }] = (await c.bulk()).data.find((one) => one.table === table).files;
    const [batch_id, file] = address.split("/").slice(-2);
    const content = Buffer.from(await (await c.response("/api/bulk/{batch_id}/{file}", { batch_id, file })).arrayBuffer());
    return { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
  },
};

// comparedError returns the parts of an error that the cases compare.
function comparedError(error) {
  if (!(error instanceof CuotaError))
    return { kind: error instanceof IncompleteChangesError ? "incomplete" : "other", text: String(error) };
  const { status, code, requestId, retryAfter, currentBatch, violations, message } = error;
  const fields = violations.map(({ loc }) => loc.at(-1)).sort();
  return { status, code, request_id: requestId, retry_after: retryAfter, current_batch: currentBatch, fields, text: message };
}

for (const { name, ask, not } of JSON.parse(readFileSync(CUOTA_CASES, "utf8")).cases) {
  if (not?.typescript) continue;
  const { what, key = CUOTA_KEY, ...params } = ask;
  const client = createClient({ baseUrl: `${CUOTA_URL}/${name}`, apiKey: key });
  const line = await gives[what](client, params).then(
    (value) => ({ case: name, gives: value }),
    (error) => ({ case: name, error: comparedError(error) }),
  );
  console.log(JSON.stringify(line));
}
