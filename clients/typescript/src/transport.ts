import { errorOf } from "./errors.js";

export interface ClientOptions {
  /** Address of the service, as in https://cuota.example.org. */
  baseUrl: string;
  /** API key, sent in a header alone. */
  apiKey: string;
  /** Replaces the fetch of the platform. */
  fetch?: typeof globalThis.fetch;
  /** Ends all requests and waits of this client. */
  signal?: AbortSignal;
  /** How often a request is repeated at most; 4 by default. */
  maxRetries?: number;
  /** For how many seconds a request and its repetitions may go on before the next one; 60 by default. */
  maxSeconds?: number;
}

/** Sends a request to a path with its query. It fails with a CuotaError if the service refuses it. */
export type Send = (target: string, body?: unknown) => Promise<Response>;

/**
 * Makes the function that sends requests: with the key in a header, and again after 429 and 503 as Retry-After
 * says. An error without Retry-After will not pass by waiting. Redirects are refused, because a browser or node
 * would send the key to wherever they lead.
 */
export function createSend(options: ClientOptions): Send {
  const { apiKey, signal = null, maxRetries = 4, maxSeconds = 60 } = options;
  const base = baseOf(options.baseUrl);
  // The error that fetch throws for a header that is not valid would show the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError("apiKey is empty, or has a space or a line break in it");
  // Browsers want their fetch to be called as a method of the window.
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));

  return async (target, body) => {
    const headers: Record<string, string> = { "X-Api-Key": apiKey };
    const init: RequestInit = { headers, signal, redirect: "error" };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.method = "POST";
      init.body = JSON.stringify(body);
    }
    const begun = performance.now();
    for (let retry = 0; ; retry++) {
      const response = await fetch(base + target, init);
      if (response.ok) return response;
      const error = await errorOf(response);
      const elapsed = (performance.now() - begun) / 1000;
      if (
        (error.status !== 429 && error.status !== 503) ||
        error.retryAfter === undefined ||
        retry >= maxRetries ||
        elapsed + error.retryAfter > maxSeconds
      ) {
        throw error;
      }
      await pause(error.retryAfter, signal);
    }
  };
}

/** Returns the address without a slash at its end, so that a path can follow. */
function baseOf(text: string): string {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError("baseUrl is no http or https address");
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be an address without a user, a query and a fragment");
  }
  return url.href.replace(/\/+$/, "");
}

function pause(seconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
