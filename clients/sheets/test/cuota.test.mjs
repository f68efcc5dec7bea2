// The function in a stand-in for Apps Script, against a running server with the demo market.
import assert from "node:assert/strict";
import { test } from "node:test";
import { appsScript } from "./apps-script.mjs";

const { CUOTA_URL: url = "http://127.0.0.1:8080", CUOTA_KEY: key = "" } = process.env;
const properties = { CUOTA_URL: url, CUOTA_KEY: key };
const B = "1161378270"; // RUN 9809, series B
const OTHER = "2322559342"; // RUN 9810, series B

let callers = 0;
async function direct(path) {
  const response = await fetch(url + path, { headers: { "X-Api-Key": key, "X-Forwarded-For": `10.2.0.${++callers}` } });
  assert.equal(response.status, 200, path);
  return response.json();
}

/** Asks the API about a series in another way than the function does. */
async function attributesOf(id) {
  return (await direct(`/api/compare?series=${id}`)).data[0].attributes;
}

test("each word gives what the API has", async () => {
  const { CUOTA, requests } = appsScript(properties);
  const want = await attributesOf(B);
  for (const [word, value] of [
    ["1m", want.returns.periods["1m"].value],
    ["3m", want.returns.periods["3m"].value],
    ["6m", want.returns.periods["6m"].value],
    ["1y", want.returns.periods["1y"].value],
    ["1a", want.returns.periods["1y"].value],
    ["ytd", want.returns.periods.ytd.value],
    ["3y_ann", want.returns.periods["3y_ann"].value],
    ["3a", want.returns.periods["3y_ann"].value],
    ["5y_ann", want.returns.periods["5y_ann"].value],
    ["5a", want.returns.periods["5y_ann"].value],
    ["last_closed_month", want.returns.periods.last_closed_month.value],
    ["mes", want.returns.periods.last_closed_month.value],
    ["tac", want.tac],
    ["precio", want.price],
    ["quota", want.price],
    ["cuota", want.price],
    ["nombre", want.fundName],
    [" TAC ", want.tac],
  ]) {
    assert.notEqual(value ?? null, null, word);
    assert.strictEqual(CUOTA(B, word), value, word);
    assert.strictEqual(CUOTA(Number(B), word), value, word);
  }
  assert.equal(requests.length, 2); // the batch and the series, and then the cache
});

test("two days give the return between them", async () => {
  const { CUOTA, requests } = appsScript(properties);
  const want = (await direct(`/api/returns?from=2024-01-01&to=2025-01-01&series=${B}`)).data[0].attributes.value;
  assert.equal(typeof want, "number");
  assert.equal(CUOTA(B, "2024-01-01", "2025-01-01"), want);
  // A cell with a date holds an instant. In Santiago this one is still in the day before.
  assert.equal(CUOTA(B, new Date("2024-01-02T01:00:00Z"), new Date("2025-01-01T12:00:00Z")), want);
  assert.equal(requests.length, 2);
});

test("a range gives a row for each id, with one request", async () => {
  const { CUOTA, requests } = appsScript(properties);
  const [one, two] = [await attributesOf(B), await attributesOf(OTHER)];
  const rows = CUOTA([[B], [""], [Number(OTHER)], ["nada"], ["77"], [`0${B}`]], "tac");
  assert.deepEqual(rows, [
    [one.tac],
    [""],
    [two.tac],
    ['"nada" no es el id de una serie, que es un número, como 1161378270.'],
    ["No hay una serie vigente con el id 77."],
    [one.tac],
  ]);
  assert.deepEqual(
    CUOTA(
      [
        [B, OTHER],
        ["", B],
      ],
      "nombre",
    ),
    [
      [one.fundName, two.fundName],
      ["", one.fundName],
    ],
  );
  // The batch, all ids, and all without the unknown one.
  assert.deepEqual(
    requests.map(({ url }) => new URL(url).pathname),
    ["/api/batches", "/api/compare", "/api/compare"],
  );
});

test("a large range is asked in parts, and equals the API", async () => {
  const { CUOTA, requests } = appsScript(properties);
  const items = [];
  for (let offset = 0; offset < 600; offset += 200)
    items.push(...(await direct(`/api/screener?limit=200&offset=${offset}`)).data);
  const ids = items.map(({ id }) => [id]);
  assert.deepEqual(
    CUOTA(ids, "nombre"),
    items.map(({ attributes }) => [attributes.fundName]),
  );
  assert.ok(items.some(({ attributes }) => /[ÁÉÍÓÚÑ]/.test(attributes.fundName)));
  assert.equal(requests.length, 3);

  const values = CUOTA(ids, "2025-07-19", "2025-07-20");
  assert.equal(requests.length, 7);
  for (const at of [0, 149, 150, 599]) {
    const [{ attributes }] = (await direct(`/api/returns?from=2025-07-19&to=2025-07-20&series=${ids[at][0]}`)).data;
    if (attributes.value === null) assert.match(values[at][0], /^Sin dato: [a-záéíóúñ ]+\.$/, attributes.reason);
    else assert.equal(values[at][0], attributes.value);
  }
});

test("what is missing is told in Spanish", async () => {
  const { CUOTA } = appsScript(properties);
  const { data } = await direct("/api/screener?limit=50");
  const young = data.find(({ attributes }) => attributes.returns.periods["5y_ann"].reason === "missing_start_quote");
  assert.throws(() => CUOTA(young.id, "5y_ann"), { message: "Sin dato: no hay valor cuota al inicio." });
  for (const [args, message] of [
    [["77", "tac"], /^No hay una serie vigente con el id 77\.$/],
    [["77", "2024-01-01", "2025-01-01"], /^No hay una serie con el id 77\.$/],
    [["B", "tac"], /^"B" no es el id/],
    [["4294967296", "tac"], /no es el id/],
    [[B, "valor"], /^No existe el dato "valor"\. Use 1m, /],
    [[B], /^No existe el dato/],
    [[B, "constructor"], /^No existe el dato/],
    [[B, "2024-01-01"], /^Falta el último día/],
    [[B, "1y", "2024-01-01"], /^El primer día/],
    [[B, "2025-01-01", "2024-01-01"], /^El servicio no acepta la consulta/],
    [[B, "2024-02-31", "2024-03-01"], /^El servicio no acepta la consulta/],
    [[Array.from({ length: 1001 }, (_, i) => [i]), "tac"], /^Un rango puede tener 1000 series/],
  ]) {
    assert.throws(() => CUOTA(...args), { message }, String(args.slice(1)));
  }
});

/** The function, where the service answers with this series. */
function answering(series) {
  const { CUOTA, cache } = appsScript(properties, () => ({
    status: 200,
    headers: {},
    text: JSON.stringify({ data: [series] }),
  }));
  cache.set("batch", "20250720-1-000000000000");
  return CUOTA;
}

test("every reason of the API has its words", async () => {
  const { components } = await direct("/openapi.json");
  const reasons = components.schemas.ReturnPeriod.properties.reason.enum.filter(Boolean);
  assert.ok(reasons.length > 10);
  for (const reason of reasons) {
    const CUOTA = answering({ id: "1", attributes: { returns: { periods: { "1y": { value: null, reason } } } } });
    assert.throws(
      () => CUOTA("1", "1y"),
      ({ message }) => /^Sin dato: /.test(message) && !message.includes("_"),
      reason,
    );
  }
});

test("any id of a renamed series finds it", () => {
  const attributes = { tac: 0.01, seriesContinuity: { aliasIds: ["5", "6", "7"] } };
  const CUOTA = answering({ id: "5", attributes });
  assert.deepEqual(CUOTA([["7"], ["6"], ["5"]], "tac"), [[0.01], [0.01], [0.01]]);
});

test("an earlier id finds the return between two days", () => {
  const reply = (...data) => ({ status: 200, headers: {}, text: JSON.stringify({ data }) });
  const attributes = { serieId: "5", value: 0.25 };
  const { CUOTA } = appsScript(
    properties,
    (n) =>
      [
        reply({ id: "20250720-1-000000000000" }),
        reply({ id: "5", attributes }),
        reply({ id: "5", attributes: { serieId: "5", seriesContinuity: { aliasIds: ["5", "7"] } } }),
      ][n - 1],
  );
  assert.equal(CUOTA("7", "2024-01-01", "2025-01-01"), 0.25);
});

test("a formula waits for seconds, and not longer", () => {
  const busy = (status, headers, code) => ({ status, headers, text: JSON.stringify({ code }) });
  for (const [answer, requests, message] of [
    [busy(503, { "retry-after": "5" }), 4, /^El servicio no está disponible todavía/],
    [busy(429, { "Retry-After": "6" }), 1, /^Demasiadas consultas/],
  ]) {
    const script = appsScript(properties, () => answer);
    assert.throws(() => script.CUOTA(B, "tac"), { message });
    assert.equal(script.requests.length, requests);
    assert.deepEqual(script.sleeps, Array(requests - 1).fill(5000));
  }
});

test("a batch that is gone is replaced by the current one", async () => {
  const { CUOTA, cache, requests } = appsScript(properties);
  cache.set("batch", "20200101-1-000000000000");
  assert.equal(CUOTA(B, "tac"), (await attributesOf(B)).tac);
  assert.equal(requests.length, 2);
  assert.equal(cache.get("batch"), (await direct("/api/batches?limit=1")).data[0].id);
});

test("the key comes from the properties, goes into a header, and into no message", () => {
  const secret = "cuota_0123456789abcdefghij";
  const wrong = appsScript({ ...properties, CUOTA_KEY: secret });
  assert.throws(() => wrong.CUOTA(B, "tac"), {
    message: "La clave no es válida: revise la propiedad CUOTA_KEY del script.",
  });
  for (const { url, options } of wrong.requests) {
    assert.ok(!url.includes(secret) && !String(options.payload).includes(secret));
    assert.equal(options.headers["X-Api-Key"], secret);
  }
  assert.ok(!JSON.stringify([...wrong.cache]).includes(secret));
  const broken = appsScript({ ...properties, CUOTA_KEY: secret }, () => {
    throw new Error(`invalid header ${secret}`);
  });
  assert.throws(() => broken.CUOTA(B, "tac"), {
    message: "No se pudo conectar con CUOTA_URL, o Google ya no permite más consultas por hoy.",
  });
  for (const [set, message] of [
    [{ CUOTA_URL: url }, /^Falta la propiedad CUOTA_KEY/],
    [{ CUOTA_KEY: key }, /^Falta la propiedad CUOTA_URL/],
    [{ ...properties, CUOTA_URL: "http://cuota.example.org" }, /https/],
  ]) {
    const script = appsScript(set);
    assert.throws(() => script.CUOTA(B, "tac"), { message });
    assert.equal(script.requests.length, 0);
  }
});
