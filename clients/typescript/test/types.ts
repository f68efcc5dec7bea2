// Checked by the compiler alone: what the types allow, and what they refuse.
import { createClient, BatchGoneError } from "cuota";

const cuota = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "cuota_key" });

export async function allowed(): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { attributes } of cuota.screener({ currency: "PESOS", sort: "1y" })) {
    const year: number | null = attributes.returns.periods["1y"].value;
    found.push(year, attributes.fundName.length);
  }
  const chosen = await cuota.screener({ fields: "tac" }).page();
  const tac: unknown = chosen.data[0]?.attributes["tac"];
  const between = await cuota.returnsBetween("2024-01-01", "2025-01-01", { series: ["1161378270"] }).page();
  const value: number | null | undefined = between.data[0]?.attributes.value;
  const fund = await cuota.get("/api/real_assets/{asset_id}", { asset_id: 1161378270 });
  for await (const line of cuota.changes("20250720-1-000000000001")) {
    if ("end" in line) found.push(line.end.rows);
    else if ("key" in line) found.push(line.is?.["quota"]);
  }
  const result = await cuota.backtest({ name: "n", from: "2024-01-01", to: "2025-01-01", sort: "tac", top: 2 });
  return [...found, tac, value, fund.data.id, result, await cuota.get("/api/benchmarks")];
}

export const gone = (error: unknown) => (error instanceof BatchGoneError ? error.currentBatch : undefined);

export function refused() {
  // @ts-expect-error There is no such window.
  void cuota.screener({ sort: "2y" });
  // @ts-expect-error There is no such parameter.
  void cuota.series({ name: "x" });
  // @ts-expect-error Days need a period.
  void cuota.days({ run: "9809" });
  // @ts-expect-error The path needs its id.
  void cuota.get("/api/real_assets/{asset_id}");
  // @ts-expect-error A client returns JSON alone.
  void cuota.marketSummary({ format: "csv" });
  // @ts-expect-error There is no such path.
  void cuota.get("/api/nothing");
  // @ts-expect-error The body has no such field.
  void cuota.post("/api/portfolio", { movement: [] });
  // @ts-expect-error A file is no JSON.
  void cuota.get("/api/bulk/{batch_id}/{file}", { batch_id: "b", file: "f" });
}
