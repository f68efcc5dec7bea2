import { IncompleteChangesError } from "./errors.js";
import type { ChangeLine } from "./types.js";

/** Characters of a line at most. Rows have some thousands. */
const LONGEST_LINE = 4 << 20;

/** Reads a feed of changes, and fails unless it is complete. */
export async function* changeLines(response: Response, signal: AbortSignal | undefined): AsyncGenerator<ChangeLine> {
  let rows = 0;
  let complete = false;
  for await (const text of lines(response, signal)) {
    signal?.throwIfAborted(); // the rest may have arrived already
    const line = JSON.parse(text) as ChangeLine;
    if (complete) throw new IncompleteChangesError("the feed of changes goes on after its end");
    if ("end" in line) {
      if (line.end.rows !== rows)
        throw new IncompleteChangesError(`the feed of changes has ${rows} of ${line.end.rows} rows`);
      complete = true;
    } else if (!("progress" in line)) {
      rows++;
    }
    yield line;
  }
  if (!complete) throw new IncompleteChangesError(`the feed of changes broke off after ${rows} rows`);
}

/** Gives the complete lines of a reply. What follows the last line break is none. */
async function* lines(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const chunk = await reader?.read().catch((cause: unknown) => {
        if (signal?.aborted) throw cause;
        throw new IncompleteChangesError("the connection broke off during the feed of changes", { cause });
      });
      if (!chunk || chunk.done) return;
      const parts = (rest + decoder.decode(chunk.value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      if (rest.length > LONGEST_LINE) throw new IncompleteChangesError("the feed of changes has a line without an end");
      yield* parts;
    }
  } finally {
    // It may have failed already. Nobody waits for it, because node never ends it after an abort.
    void reader?.cancel().catch(() => undefined);
  }
}
