// The client gives what the server answers, of which each test asks without the client too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "cuota";
import { direct, key, proxy } from "./server.js";

const B = "1161378270"; // RUN 9809, series B
const OTHER = "2322559342"; // RUN 9810, series B
const strategy = { name: "balanced", from: "2024-06-30", to: "2025-06-30", rebalance: "quarterly", sort: "1y", top: 2 };

test("the items of all pages are those of the server", async (t) => {
  const { url, targets } = await proxy(t);
  const items = [];
  for await (const item of createClient({ baseUrl: url, apiKey: key }).screener({ category: "balanced", limit: 60 }))
    items.push(item);
  const want = [];
  for (let offset = 0, total = 1; offset < total; offset += 200) {
    const page = await direct(`/api/screener?category=balanced&limit=200&offset=${offset}`);
    want.push(...page.data);
    total = page.meta.total;
  }
  assert.ok(items.length > 200 && targets.length > 3);
  assert.deepEqual(items, want);
  assert.equal(
    new Set(targets.slice(1).map((target) => new URLSearchParams(target.split("?")[1]).get("batch_id"))).size,
    1,
  );
});

test("iteration asks for the largest pages", async (t) => {
  const { url, targets } = await proxy(t);
  const cuota = createClient({ baseUrl: url, apiKey: key });
  for await (const _ of cuota.screener()) break;
  for await (const _ of cuota.series()) break;
  for await (const _ of cuota.returnsOfDay("2025-07-18")) break;
  for await (const _ of cuota.days({ run: "9809", from_date: "2025-07-01", to_date: "2025-07-20" })) break;
  for await (const _ of cuota.batches()) break;
  assert.equal(targets.length, 5);
  for (const target of targets) {
    const [path, query] = target.split("?");
    const params = new URLSearchParams(query);
    const most = Number(params.get("limit"));
    await direct(`${path}?${params}`);
    params.set("limit", String(most + 1));
    await assert.rejects(direct(`${path}?${params}`), /less_than_equal/);
  }
});

for (const [name, ask, target, body] of [
  [
    "a page of the screener",
    (c) => c.screener({ currency: "PESOS", sort: "1y", order: "desc", limit: 3 }).page(),
    "/api/screener?currency=PESOS&sort=1y&order=desc&limit=3",
  ],
  [
    "chosen fields",
    (c) => c.screener({ fields: "fundName,tac", limit: 2, offset: 4 }).page(),
    "/api/screener?fields=fundName,tac&limit=2&offset=4",
  ],
  [
    "screens",
    (c) =>
      c.screens([
        { category: "equity", limit: 1 },
        { sort: "tac", limit: 2, fields: "tac" },
      ]),
    "/api/screens",
    {
      screens: [
        { category: "equity", limit: 1 },
        { sort: "tac", limit: 2, fields: "tac" },
      ],
    },
  ],
  ["a comparison", (c) => c.compare([Number(B), OTHER]), `/api/compare?series=${B},${OTHER}`],
  [
    "a comparison on a past day",
    (c) => c.compare([B], { as_of_date: "2024-02-29", fields: "price" }),
    `/api/compare?series=${B}&as_of_date=2024-02-29&fields=price`,
  ],
  [
    "returns of a day",
    (c) => c.returnsOfDay("2025-06-30", { series: [B, OTHER] }).page(),
    `/api/returns?date=2025-06-30&series=${B},${OTHER}`,
  ],
  [
    "returns of a period",
    (c) => c.returnsOfPeriod("2025-06-29", "2025-06-30", { limit: 4 }).page(),
    "/api/returns?from_date=2025-06-29&to_date=2025-06-30&limit=4",
  ],
  [
    "returns between two days",
    (c) => c.returnsBetween("2024-01-01", "2025-01-01", { series: [B] }).page(),
    `/api/returns?from=2024-01-01&to=2025-01-01&series=${B}`,
  ],
  [
    "days",
    (c) => c.days({ run: "9809-4", from_date: "2025-07-17", to_date: "2025-07-18" }).page(),
    "/api/days?run=9809-4&from_date=2025-07-17&to_date=2025-07-18",
  ],
  [
    "series",
    (c) => c.series({ q: "gestión", limit: 7 }).page(),
    `/api/series?q=${encodeURIComponent("gestión")}&limit=7`,
  ],
  ["the market", (c) => c.marketSummary({ date: "2025-07-20" }), "/api/market-summary?date=2025-07-20"],
  [
    "the market of days",
    (c) => c.marketSummaries({ from_date: "2025-07-18", to_date: "2025-07-20" }),
    "/api/market-summaries?from_date=2025-07-18&to_date=2025-07-20",
  ],
  ["batches", (c) => c.batches({ limit: 1 }).page(), "/api/batches?limit=1"],
  ["a backtest", (c) => c.backtest(strategy), "/api/backtests", strategy],
  ["files of tables", (c) => c.bulk(), "/api/bulk"],
  [
    "a path with a parameter",
    (c) => c.get("/api/real_assets/{asset_id}/returns", { asset_id: B, as_of_date: "2024-02-29" }),
    `/api/real_assets/${B}/returns?as_of_date=2024-02-29`,
  ],
  ["a path without parameters", (c) => c.get("/api/benchmarks"), "/api/benchmarks"],
]) {
  test(`${name} is the answer of the server`, async (t) => {
    const { url } = await proxy(t);
    const got = await ask(createClient({ baseUrl: url, apiKey: key }));
    assert.deepEqual(got, await direct(target, body));
  });
}

test("other formats come as the reply itself", async (t) => {
  const { url } = await proxy(t);
  const reply = await createClient({ baseUrl: url, apiKey: key }).response("/api/real_assets/{asset_id}/days", {
    asset_id: B,
    from_date: "2025-07-18",
    to_date: "2025-07-18",
    format: "csv",
  });
  assert.match(await reply.text(), /^"series_id","date","quota"\n1161378270,"2025-07-18",[0-9.]+\n$/);
});

test("Spanish text is intact in both directions", async (t) => {
  const { url } = await proxy(t);
  const { data } = await createClient({ baseUrl: url, apiKey: key }).series({ q: "retorno dólar", limit: 1000 }).page();
  assert.ok(data.some(({ attributes }) => attributes.fund_name === "FONDO MUTUO BCI RETORNO DÓLAR IG"));
  assert.ok(data.length < 100);
});

test("fields that the client does not know are kept", async (t) => {
  const { url } = await proxy(t, () => (body) => {
    const page = JSON.parse(body);
    page.meta.novelty = { año: 2026 };
    page.data[0].attributes.novelty = "señal";
    return JSON.stringify(page);
  });
  const page = await createClient({ baseUrl: url, apiKey: key }).screener({ limit: 1 }).page();
  assert.deepEqual([page.meta.novelty, page.data[0].attributes.novelty], [{ año: 2026 }, "señal"]);
  assert.ok(page.data[0].attributes.fundName);
});

test("values in a path cannot lead to another path", async (t) => {
  const { url, targets } = await proxy(t);
  const cuota = createClient({ baseUrl: url, apiKey: key });
  for (const asset_id of ["", "..", ".", undefined]) {
    assert.throws(() => cuota.get("/api/real_assets/{asset_id}", { asset_id }), TypeError);
  }
  await assert.rejects(cuota.get("/api/real_assets/{asset_id}", { asset_id: "../health?x=1" }), { name: "CuotaError" });
  assert.deepEqual(targets, ["/api/real_assets/..%2Fhealth%3Fx%3D1"]);
});
