// What the tests share: the running server, a way to it without the client, and a proxy that changes answers.
import { createServer, request } from "node:http";

export const { CUOTA_URL: url = "http://127.0.0.1:8080", CUOTA_KEY: key = "" } = process.env;

// The server lets one address ask 10 times a second. The tests are a proxy that it trusts, and name another address
// each time.
let callers = 0;
const caller = () => ({ "X-Forwarded-For": `10.${(++callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}` });

/** Asks the server without the client. */
export async function direct(target, body) {
  const response = await fetch(url + target, {
    headers: { "X-Api-Key": key, "Content-Type": "application/json", ...caller() },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return response.json();
}

/**
 * Starts a proxy before the server until the test ends. answer may return the answer to a request, of which it gets
 * the number, from 1: {status, headers, body}. Or it returns a function that changes the body of the server's answer.
 */
export async function proxy(t, answer = () => undefined) {
  const targets = [];
  const server = createServer(async (incoming, outgoing) => {
    targets.push(incoming.url);
    const given = answer(targets.length, incoming);
    if (typeof given === "object") {
      outgoing.writeHead(given.status, { "Content-Type": "application/json", ...given.headers }).end(given.body);
      return;
    }
    const { "accept-encoding": _, ...headers } = incoming.headers;
    const asked = request(
      url + incoming.url,
      { method: incoming.method, headers: { ...headers, ...caller() } },
      async (reply) => {
        const { "content-length": _, "transfer-encoding": __, ...kept } = reply.headers;
        let body = Buffer.concat(await reply.toArray()).toString();
        outgoing.writeHead(reply.statusCode, kept);
        if (given) body = given(body);
        outgoing.end(body);
      },
    );
    incoming.pipe(asked);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${server.address().port}`, targets };
}

/** The answer of a service that is busy. */
export const busy = (status, seconds) => ({
  status,
  headers: seconds === undefined ? {} : { "Retry-After": String(seconds) },
  body: JSON.stringify({
    code: status === 429 ? "too_many_requests" : "overloaded",
    detail: "Wait.",
    request_id: "R1",
  }),
});
