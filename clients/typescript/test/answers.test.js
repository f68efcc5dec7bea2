// The client gives what the server answers, of which each test asks without the client too. What clients have in common
// is in clients/conformance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "cuota";
import { direct, key, proxy } from "./server.js";

const B = "1161378270"; // RUN 9809, series B
const OTHER = "2322559342"; // RUN 9810, series B

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

for (const [name, ask, target] of [
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
    "the market of days",
    (c) => c.marketSummaries({ from_date: "2025-07-18", to_date: "2025-07-20" }),
    "/api/market-summaries?from_date=2025-07-18&to_date=2025-07-20",
  ],
  ["batches", (c) => c.batches({ limit: 1 }).page(), "/api/batches?limit=1"],
  ["the list of files", (c) => c.bulk(), "/api/bulk"],
  ["a path without parameters", (c) => c.get("/api/benchmarks"), "/api/benchmarks"],
]) {
  test(`${name} is the answer of the server`, async (t) => {
    const { url } = await proxy(t);
    const got = await ask(createClient({ baseUrl: url, apiKey: key }));
    assert.deepEqual(got, await direct(target));
  });
}

test("values in a path cannot lead to another path", async (t) => {
  const { url, targets } = await proxy(t);
  const cuota = createClient({ baseUrl: url, apiKey: key });
  for (const asset_id of ["", "..", ".", undefined]) {
    assert.throws(() => cuota.get("/api/real_assets/{asset_id}", { asset_id }), TypeError);
  }
  await assert.rejects(cuota.get("/api/real_assets/{asset_id}", { asset_id: "../health?x=1" }), { name: "CuotaError" });
  assert.deepEqual(targets, ["/api/real_assets/..%2Fhealth%3Fx%3D1"]);
});
