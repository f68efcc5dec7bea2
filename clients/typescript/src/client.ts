import { changeLines } from "./lines.js";
import { paged, type Paged } from "./pages.js";
import { createSend, type ClientOptions } from "./transport.js";
import type {
  Body,
  Chosen,
  ChangeLine,
  GetPath,
  JsonParams,
  JsonPath,
  Optional,
  Page,
  Params,
  Posting,
  PostPath,
  Reply,
  Schemas,
} from "./types.js";

/** Id of a series, decimal. */
export type SeriesId = string | number;

type Query<P extends JsonPath> = JsonParams<P>;
type ReturnsQuery = Omit<Query<"/api/returns">, "date" | "from_date" | "to_date" | "from" | "to" | "series"> & {
  /** Only these series, 500 at most. */
  series?: readonly SeriesId[];
};
type CompareQuery = Omit<Schemas["CompareRequest"], "series"> & { batch_id?: string };
type ChangesQuery = { tables?: readonly string[]; batch_id?: string };

export type Client = ReturnType<typeof createClient>;

/**
 * Makes a client of the service. Days are YYYY-MM-DD, and returns are fractions. A client holds nothing open, so
 * that one with another signal costs nothing.
 */
export function createClient(options: ClientOptions) {
  const send = createSend(options);
  const json = async (target: string, body?: unknown) => (await send(target, body)).json();
  // Iteration asks for the largest pages that the service gives, unless limit says otherwise.
  const list = <P extends Page>(path: string, params: object, largest: number): Paged<P> =>
    paged(send, targetOf(path, params), targetOf(path, { limit: largest, ...params }));
  const returns = (days: object, params: ReturnsQuery): [string, object] => [
    "/api/returns",
    { ...params, ...days, series: params.series?.join(",") },
  ];

  return {
    /** Series with their values and returns, filtered and sorted. */
    screener: <const P extends Query<"/api/screener">>(params?: P) =>
      list<Chosen<P, Schemas["ScreenerResponse"], Schemas["ChosenScreened"]>>("/api/screener", params ?? {}, 200),

    /** Up to 200 requests of the screener at once, answered from one batch. */
    screens: (
      screens: readonly Schemas["Screen"][],
      params: { batch_id?: string } = {},
    ): Promise<Schemas["ScreensResponse"]> => json(targetOf("/api/screens", params), { screens }),

    /** Up to 500 series side by side, in the order asked. */
    compare: <const P extends CompareQuery>(
      series: readonly SeriesId[],
      params?: P,
    ): Promise<Chosen<P, Schemas["ManyCompared"], Schemas["ChosenCompared"]>> => {
      const { batch_id, ...members } = params ?? ({} as CompareQuery);
      return json(targetOf("/api/compare", { batch_id }), { ...members, series: series.map(String) });
    },

    /** Returns of all windows that end on a day. */
    returnsOfDay: (date: string, params: ReturnsQuery = {}) =>
      list<Schemas["ReturnsByDay"]>(...returns({ date }, params), 1000),

    /** Returns of all windows that end on one of these days, at most 31 of them. */
    returnsOfPeriod: (from_date: string, to_date: string, params: ReturnsQuery = {}) =>
      list<Schemas["ReturnsByDay"]>(...returns({ from_date, to_date }, params), 1000),

    /** One return of each series, between two days. */
    returnsBetween: (from: string, to: string, params: ReturnsQuery = {}) =>
      list<Schemas["PeriodReturns"]>(...returns({ from, to }, params), 1000),

    /** Quota values of all series of a fund or a manager. */
    days: (params: Query<"/api/days">) => list<Schemas["DaysOfSeries"]>("/api/days", params, 5000),

    /** Series, current and closed, with their names and ids. */
    series: (params: Query<"/api/series"> = {}) => list<Schemas["Series"]>("/api/series", params, 1000),

    /** The market on a day. */
    marketSummary: (params: Query<"/api/market-summary"> = {}): Promise<Schemas["MarketSummary"]> =>
      json(targetOf("/api/market-summary", params)),

    /** The market on each day of a period. */
    marketSummaries: (params: Query<"/api/market-summaries">): Promise<Schemas["MarketSummaries"]> =>
      json(targetOf("/api/market-summaries", params)),

    /** Batches, the newest first. */
    batches: (params: Query<"/api/batches"> = {}) => list<Schemas["Batches"]>("/api/batches", params, 1000),

    /** Replays a strategy over the history of the market. */
    backtest: (strategy: Schemas["Strategy"], params: { batch_id?: string } = {}): Promise<Schemas["Backtest"]> =>
      json(targetOf("/api/backtests", params), strategy),

    /**
     * Rows that differ from those of an earlier batch, with lines of progress and a last line with end. It fails with
     * an IncompleteChangesError if that line is missing.
     */
    async *changes(since: string, { tables, batch_id }: ChangesQuery = {}): AsyncGenerator<ChangeLine> {
      yield* changeLines(
        await send(targetOf("/api/changes", { since, tables: tables?.join(","), batch_id })),
        options.signal,
      );
    },

    /** Files of whole tables. Download one with response("/api/bulk/{batch_id}/{file}", …). */
    bulk: (): Promise<Schemas["BulkList"]> => json("/api/bulk"),

    /** Any path of the document that answers with JSON. Names in braces and those of the query are in params. */
    get: <P extends JsonPath>(path: P, ...[params]: Optional<JsonParams<P>>): Promise<Reply<P>> =>
      json(targetOf(path, params ?? {})),

    /** POST to any path of the document that answers with JSON. Each of them only reads, and is repeated like a GET. */
    post: <P extends PostPath>(path: P, body: Body<P>, params: { batch_id?: string } = {}): Promise<Posting<P>> =>
      json(targetOf(path, params), body),

    /** The reply itself, for files and other formats than JSON. */
    response: <P extends GetPath>(path: P, ...[params]: Optional<Params<P>>): Promise<Response> =>
      send(targetOf(path, params ?? {})),
  };
}

/**
 * Puts parameters into the braces of a path, and the others behind it as a query, a list once for each value. null and
 * undefined are left out.
 */
function targetOf(path: string, params: object): string {
  const left = new Map(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(left.get(name) ?? "");
    // An address with these segments would lead to another path.
    if (value === "" || value === "." || value === "..")
      throw new TypeError(`${path} needs a ${name}, not ${JSON.stringify(value)}`);
    left.delete(name);
    return encodeURIComponent(value);
  });
  const values = [...left].flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const query = new URLSearchParams(values).toString();
  return query ? `${filled}?${query}` : filled;
}
