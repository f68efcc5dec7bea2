import type { components } from "./api.js";

/** A parameter that the service refused: where it stands, and what to do. */
export type Violation = components["schemas"]["ValidationError"];

/** What an error of the service says. */
export interface ErrorFacts {
  readonly status: number;
  /** Stable word for the kind of failure, such as not_found. */
  readonly code: string;
  /** What happened and what to do, one sentence. */
  readonly detail: string;
  /** Id of the request, to quote when reporting. */
  readonly requestId: string | undefined;
  /** Only with the code invalid: all parameters that are wrong. */
  readonly violations: readonly Violation[];
  /** After how many seconds the service says to try again. */
  readonly retryAfter: number | undefined;
}

/** The service refused a request. It never holds the key. */
export class CuotaError extends Error implements ErrorFacts {
  override readonly name: string = "CuotaError";
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly violations: readonly Violation[];
  readonly retryAfter: number | undefined;

  constructor(facts: ErrorFacts) {
    super(`${facts.status} ${facts.code}: ${facts.detail}${facts.requestId ? ` (request ${facts.requestId})` : ""}`);
    this.status = facts.status;
    this.code = facts.code;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.violations = facts.violations;
    this.retryAfter = facts.retryAfter;
  }
}

/** 410: the batch of the request is not kept any more. Begin again from currentBatch. */
export class BatchGoneError extends CuotaError {
  override readonly name = "BatchGoneError";
  /** Id of the batch that answers now. */
  readonly currentBatch: string;
  /** Only with the code known_at_gone: the earliest known_at that is answered. */
  readonly knownSince: string | undefined;

  constructor(facts: ErrorFacts, currentBatch: string, knownSince: string | undefined) {
    super(facts);
    this.currentBatch = currentBatch;
    this.knownSince = knownSince;
  }
}

/** A feed of changes broke off, so that its rows are not all that differ. */
export class IncompleteChangesError extends Error {
  override readonly name = "IncompleteChangesError";
}

/** Reads the error that a reply tells of. A reply of another program, such as a proxy, has the code http_error. */
export async function errorOf(response: Response): Promise<CuotaError> {
  const body = await bodyOf(response);
  const text = (name: string) => (typeof body[name] === "string" ? body[name] : undefined);
  const violations = Array.isArray(body["detail"]) ? (body["detail"] as Violation[]) : [];
  const facts: ErrorFacts = {
    status: response.status,
    code: text("code") ?? (violations.length > 0 ? "invalid" : "http_error"),
    detail: text("detail") ?? (violations.map(sentence).join("; ") || "The reply has no detail."),
    requestId: text("request_id") ?? response.headers.get("X-Request-Id") ?? undefined,
    violations,
    retryAfter: secondsOf(response.headers.get("Retry-After")),
  };
  const current = text("current_batch_id");
  return response.status === 410 && current !== undefined
    ? new BatchGoneError(facts, current, text("known_since"))
    : new CuotaError(facts);
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function sentence({ loc, msg }: Violation): string {
  return `${loc.join(".")}: ${msg}`;
}

/** Reads Retry-After: seconds, or the date that some proxies send. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
