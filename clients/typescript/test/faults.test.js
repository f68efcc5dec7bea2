// What the client does when the service is busy, when a batch is published or retired, and when a reply breaks off.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { BatchGoneError, createClient, CuotaError, IncompleteChangesError } from "cuota";
import { busy, cut, direct, key, proxy, publish } from "./server.js";

const client = (url, options) => createClient({ baseUrl: url, apiKey: key, ...options });

/** The waits of these seconds that begin from now on. They end at once. */
function waits(t, seconds) {
  const asked = [];
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (then, ms, ...args) => {
    if (ms !== seconds * 1000) return setTimeout(then, ms, ...args);
    asked.push(ms / 1000);
    return setTimeout(then, 0);
  });
  return asked;
}

for (const status of [429, 503]) {
  test(`after ${status} the request is sent again when Retry-After has passed`, async (t) => {
    const asked = waits(t, 7);
    const { url, targets } = await proxy(t, (n) => (n <= 2 ? busy(status, 7) : undefined));
    const page = await client(url).screener({ limit: 1 }).page();
    assert.equal(page.data.length, 1);
    assert.deepEqual(asked, [7, 7]);
    assert.deepEqual(targets, Array(3).fill("/api/screener?limit=1"));
  });
}

test("a POST is sent again with its body", async (t) => {
  const { url, targets } = await proxy(t, (n) => (n === 1 ? busy(503, 0) : undefined));
  const { data } = await client(url).compare(["1161378270"]);
  assert.deepEqual([data[0].id, targets.length], ["1161378270", 2]);
});

test("the number of repetitions is bounded", async (t) => {
  const { url, targets } = await proxy(t, () => busy(503, 0));
  await assert.rejects(client(url, { maxRetries: 2 }).bulk(), { status: 503, code: "overloaded", retryAfter: 0 });
  assert.equal(targets.length, 3);
});

test("a wait longer than the bound ends the request at once", async (t) => {
  const { url, targets } = await proxy(t, () => busy(429, 61));
  await assert.rejects(client(url).bulk(), { status: 429, retryAfter: 61 });
  assert.equal(targets.length, 1);
});

test("the date that a proxy sends as Retry-After counts", async (t) => {
  const { url, targets } = await proxy(t, (n) => (n === 1 ? busy(503, new Date(0).toUTCString()) : undefined));
  await client(url).marketSummary();
  assert.equal(targets.length, 2);
});

test("503 without Retry-After is an error", async (t) => {
  const { url, targets } = await proxy(t);
  const asked = client(url).get("/api/real_assets/{asset_id}/returns", {
    asset_id: "1161378270",
    return_basis: "total",
  });
  await assert.rejects(asked, { status: 503, code: "valuation_not_enabled", retryAfter: undefined });
  assert.equal(targets.length, 1);
});

test("a wait ends when the signal does", async (t) => {
  const abort = new AbortController();
  const { url, targets } = await proxy(t, () => busy(429, 50));
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (then, ms, ...args) => {
    if (ms === 50_000) queueMicrotask(() => abort.abort(new Error("enough")));
    return setTimeout(then, ms, ...args);
  });
  await assert.rejects(client(url, { signal: abort.signal }).bulk(), { message: "enough" });
  assert.equal(targets.length, 1);
});

test("an error tells what the service says", async (t) => {
  const { url } = await proxy(t);
  const invalid = await client(url)
    .screener({ limit: 0, sort: "none" })
    .page()
    .catch((error) => error);
  assert.ok(invalid instanceof CuotaError);
  assert.deepEqual([invalid.status, invalid.code], [422, "invalid"]);
  assert.deepEqual(invalid.violations.map(({ loc }) => loc.at(-1)).sort(), ["limit", "sort"]);
  assert.match(invalid.detail, /query\.limit: Must be at least 1/);
  assert.match(invalid.requestId, /^[A-Z0-9]{26}$/);

  const missing = await client(url)
    .compare([1])
    .catch((error) => error);
  assert.deepEqual([missing.status, missing.code, missing.violations], [404, "not_found", []]);
  assert.ok(missing.message.includes(missing.detail) && missing.message.includes(missing.requestId));
});

test("a page of another program is an error too", async (t) => {
  const { url } = await proxy(t, () => ({
    status: 502,
    headers: { "Content-Type": "text/html" },
    body: "<h1>Bad gateway",
  }));
  await assert.rejects(client(url).bulk(), { status: 502, code: "http_error" });
});

test("no error and no object shows the key", async (t) => {
  const secret = "cuota_0123456789abcdefghij";
  const { url } = await proxy(t);
  const refused = createClient({ baseUrl: url, apiKey: secret });
  const errors = [await refused.bulk().catch((error) => error)];
  assert.deepEqual([errors[0].status, errors[0].code], [401, "invalid_key"]);
  errors.push(
    await createClient({ baseUrl: "http://127.0.0.1:1", apiKey: secret })
      .bulk()
      .catch((error) => error),
  );
  for (const wrong of [`${secret}\n`, `${secret} `, ""]) {
    try {
      createClient({ baseUrl: url, apiKey: wrong });
      assert.fail("the key was taken");
    } catch (error) {
      assert.ok(error instanceof TypeError, error);
      errors.push(error);
    }
  }
  for (const shown of [...errors, refused]) {
    assert.ok(!inspect(shown, { depth: 9, showHidden: true }).includes(secret));
    assert.ok(!JSON.stringify(shown).includes(secret));
  }
});

test("the key goes to no other host", async (t) => {
  const seen = [];
  const elsewhere = createServer((incoming, outgoing) => {
    seen.push(incoming.headers);
    outgoing.end("{}");
  });
  await new Promise((listening) => elsewhere.listen(0, "127.0.0.1", listening));
  t.after(() => elsewhere.close());
  const there = `127.0.0.1:${elsewhere.address().port}`;

  const redirecting = await proxy(t, () => ({ status: 302, headers: { Location: `http://${there}/` } }));
  await assert.rejects(client(redirecting.url).bulk(), TypeError);
  for (const next of [`http://${there}/`, `@${there}/`, `.${there}/`]) {
    const leading = await proxy(t, () => (body) => JSON.stringify({ ...JSON.parse(body), links: { next } }));
    await assert.rejects(async () => {
      for await (const _ of client(leading.url).screener({ limit: 1 }));
    }, /the next page is/);
    assert.equal(leading.targets.length, 1);
  }
  assert.deepEqual(seen, []);
  for (const wrong of ["ftp://127.0.0.1", `http://me:secret@${there}`, "here"])
    assert.throws(() => client(wrong), TypeError);
});

test("a batch that is gone is an error that names the current one", async (t) => {
  const { url } = await proxy(t);
  const current = (await direct("/api/screener?limit=1")).meta.batch_id;
  const gone = await client(url)
    .screener({ batch_id: "20200101-1-000000000000" })
    .page()
    .catch((error) => error);
  assert.ok(gone instanceof BatchGoneError && gone instanceof CuotaError);
  assert.deepEqual([gone.status, gone.code, gone.currentBatch], [410, "batch_gone", current]);
});

test("an iteration ends with an error if its batch goes", async (t) => {
  const body = JSON.stringify({
    code: "batch_gone",
    detail: "Begin again.",
    request_id: "R1",
    current_batch_id: "20990101-9-a",
  });
  const { url } = await proxy(t, (n) => (n === 3 ? { status: 410, body } : undefined));
  let items = 0;
  await assert.rejects(
    async () => {
      for await (const _ of client(url).series({ limit: 10 })) items++;
    },
    { name: "BatchGoneError", currentBatch: "20990101-9-a" },
  );
  assert.equal(items, 20);
});

test("pages of two batches are never mixed", async (t) => {
  const other = { status: 200, headers: { "X-Batch-Id": "another" }, body: '{"data":[{"id":"1"}]}' };
  const { url } = await proxy(t, (n) => (n === 2 ? other : undefined));
  let items = 0;
  await assert.rejects(async () => {
    for await (const _ of client(url).series({ limit: 10 })) items++;
  }, /two batches/);
  assert.equal(items, 10);
});

test("a publication between two pages changes neither", async (t) => {
  const { url } = await proxy(t);
  const cuota = client(url);
  const before = await direct("/api/returns?from_date=2025-07-18&to_date=2025-07-19&limit=1000");
  const { batch_id: earlier } = (await direct("/api/screener?limit=1")).meta;
  const items = [];
  for await (const item of cuota.returnsOfPeriod("2025-07-18", "2025-07-19", { limit: 5 })) {
    if (items.push(item) === 1) await publish();
  }
  assert.ok(items.length > 5);
  assert.deepEqual(items, before.data);

  const { batch_id: later } = (await direct("/api/screener?limit=1")).meta;
  assert.notEqual(later, earlier);
  const after = [];
  for await (const item of cuota.returnsOfPeriod("2025-07-18", "2025-07-19")) after.push(item);
  assert.equal(after.length, items.length);
  assert.notDeepEqual(after, items);

  await t.test("the feed has the rows that differ, and its end", async () => {
    const lines = [];
    for await (const line of cuota.changes(earlier)) lines.push(line);
    const rows = lines.filter((line) => "key" in line);
    assert.deepEqual(lines[0], { progress: { table: null, rows: 0 } });
    assert.deepEqual(lines.at(-1), { end: { since: earlier, batch_id: later, rows: rows.length } });
    const quota = rows.find(({ table, key }) => table === "daily" && key.date === "2025-07-18");
    assert.equal(quota.is.quota - quota.was.quota, 1.5);
  });

  await t.test("chosen tables alone", async () => {
    const tables = new Set();
    for await (const line of cuota.changes(earlier, { tables: ["daily", "funds"] }))
      if ("key" in line) tables.add(line.table);
    assert.deepEqual([...tables], ["daily"]);
  });

  for (const [where, change] of [
    ["before its end", (body) => body.slice(0, body.lastIndexOf('{"end"'))],
    ["in the middle of its end", (body) => body.slice(0, -10)],
    ["in the middle of a row", (body) => body.slice(0, body.indexOf('"was"'))],
    ["with its connection", (body) => body.slice(0, body.indexOf('"was"')) + cut],
    ["after a row is lost", (body) => body.replace(/^\{"table".*\n/m, "")],
  ]) {
    await t.test(`a feed that breaks off ${where} is an error`, async (t) => {
      const { url } = await proxy(t, () => change);
      await assert.rejects(async () => {
        for await (const _ of client(url).changes(earlier));
      }, IncompleteChangesError);
    });
  }

  await t.test("a feed ends when the signal does", async () => {
    const abort = new AbortController();
    await assert.rejects(
      async () => {
        for await (const _ of client(url, { signal: abort.signal }).changes(earlier)) abort.abort(new Error("enough"));
      },
      { message: "enough" },
    );
  });
});
