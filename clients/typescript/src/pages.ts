import type { Send } from "./transport.js";
import type { Page } from "./types.js";

/** A list that comes in pages. To iterate over it gives all items, from one batch. */
export interface Paged<P extends Page> extends AsyncIterable<P["data"][number]> {
  /** Returns one page, that of limit and offset. */
  page(): Promise<P>;
}

/**
 * Makes the list behind a path. The first page says which batch answered, and the link to each next page names this
 * batch, so that a publication in between changes nothing. Once the batch is not kept any more, a BatchGoneError ends
 * the iteration.
 */
export function paged<P extends Page>(send: Send, one: string, all: string): Paged<P> {
  return {
    async page() {
      return (await (await send(one)).json()) as P;
    },
    async *[Symbol.asyncIterator]() {
      let batch: string | null | undefined;
      for (let target: string | undefined = all; target !== undefined; ) {
        const response: Response = await send(target);
        const answered = response.headers.get("X-Batch-Id");
        // A body that nobody reads would keep its connection, and a process, open.
        const page = (await response.json()) as P;
        if (batch !== undefined && answered !== batch)
          throw new Error(`the pages are of two batches, ${batch} and ${answered}`);
        batch = answered;
        yield* page.data as P["data"][number][];
        const next: string | undefined = page.links?.next;
        // Anything else than a path could lead to another host.
        if (next !== undefined && (!next.startsWith("/") || next === target))
          throw new Error(`the next page is ${next}`);
        target = next;
      }
    },
  };
}
