// What the client does with signals, keys and addresses. What every client must do is in clients/conformance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createClient } from "cuota";
import { busy, direct, key, proxy, url } from "./server.js";

const client = (url, options) => createClient({ baseUrl: url, apiKey: key, ...options });

test("the number of repetitions and the seconds are bounded as the caller says", async (t) => {
  for (const [bounds, requests] of [
    [{ maxRetries: 2 }, 3],
    [{ maxSeconds: -1 }, 1],
  ]) {
    const { url, targets } = await proxy(t, () => busy(503, 0));
    await assert.rejects(client(url, bounds).bulk(), { status: 503, code: "overloaded", retryAfter: 0 });
    assert.equal(targets.length, requests);
  }
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

test("a next page that is no path is an error", async (t) => {
  for (const next of ["@127.0.0.1/", ".127.0.0.1/"]) {
    const leading = await proxy(t, () => (body) => JSON.stringify({ ...JSON.parse(body), links: { next } }));
    await assert.rejects(async () => {
      for await (const _ of client(leading.url).screener({ limit: 1 }));
    }, /the next page is/);
    assert.equal(leading.targets.length, 1);
  }
});

test("an address with another protocol, a user or none is refused", () => {
  for (const wrong of ["ftp://127.0.0.1", "http://me:secret@127.0.0.1", "here"])
    assert.throws(() => client(wrong), TypeError);
});

test("a feed ends when the signal does", async () => {
  const batches = (await direct("/api/batches?limit=10")).data.map(({ id }) => id);
  const abort = new AbortController();
  const aborted = client(url, { signal: abort.signal });
  await assert.rejects(
    async () => {
      for await (const _ of aborted.changes(batches.at(-1))) abort.abort(new Error("enough"));
    },
    { message: "enough" },
  );
});
