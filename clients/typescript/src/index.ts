// Client of the API of cuota. It needs fetch alone, and so runs in node and in browsers.
export type { components, paths } from "./api.js";
export { createClient, type Client, type SeriesId } from "./client.js";
export { BatchGoneError, CuotaError, IncompleteChangesError, type Violation } from "./errors.js";
export type { Paged } from "./pages.js";
export type { ClientOptions } from "./transport.js";
export type { ChangeLine, GetPath, JsonPath, PostPath, Reply, Schemas } from "./types.js";
