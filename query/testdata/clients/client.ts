// Reads the API with the types that were generated from its document, as a
// user's program would, and prints what it read.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";
import { examples } from "./examples.js";

declare const process: { argv: string[]; env: Record<string, string | undefined> };

const [address = "", series = "", day = ""] = process.argv.slice(2);
// JSON only: the document also has the media types of tables.
const client = createClient<paths, "application/json">({ baseUrl: address, headers: { "X-Api-Key": process.env["CUOTA_KEY"] ?? "" } });

const page = await client.GET("/api/screener", { params: { query: { currency: "PESOS", sort: "1y", order: "desc", limit: 3 } } });
if (!page.data) throw new Error(JSON.stringify(page.error));

const days = await client.GET("/api/real_assets/{asset_id}/days", { params: { path: { asset_id: Number(series) }, query: { from_date: day } } });
if (!days.data) throw new Error(JSON.stringify(days.error));

const unknown = await client.GET("/api/conceptual_assets/{concept_id}/real_assets", { params: { path: { concept_id: 1 } } });
if (!unknown.error || !("code" in unknown.error)) throw new Error("an unknown fund was found");

const invalid = await client.GET("/api/screener", { params: { query: { limit: -1 } } });
if (!invalid.error || !("detail" in invalid.error) || typeof invalid.error.detail === "string") throw new Error("a negative limit was taken");

// @ts-expect-error The types know no such window.
void ({ sort: "2y" } satisfies paths["/api/screener"]["get"]["parameters"]["query"]);
// @ts-expect-error The types know no such field.
void page.data.meta.totals;

console.log(JSON.stringify({
  total: page.data.meta.total,
  best: page.data.data.map((row) => [row.attributes.run, row.attributes.serie, row.attributes.returns.periods["1y"].value]),
  days: days.data.data.map((row) => [row.attributes.date, row.attributes.price]),
  unknown: [unknown.response.status, unknown.error.code],
  invalid: [invalid.response.status, invalid.error.detail[0]?.loc.at(-1)],
  examples: examples.length,
}));
