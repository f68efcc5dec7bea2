import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];

/** Paths that answer GET. */
export type GetPath = { [P in keyof paths]: paths[P]["get"] extends { responses: unknown } ? P : never }[keyof paths];

type Operation<P extends GetPath> = NonNullable<paths[P]["get"]>;
type Content<P extends GetPath> = Operation<P> extends { responses: { 200: { content: infer C } } } ? C : never;
type JsonType = "application/json" | `application/${string}+json`;

/** Paths that answer GET with JSON. */
export type JsonPath = { [P in GetPath]: "application/json" extends keyof Content<P> ? P : never }[GetPath];

/** What GET of a path answers as JSON. */
export type Reply<P extends JsonPath> = Content<P>[keyof Content<P> & JsonType];

type Posted = { requestBody: { content: { "application/json": unknown } }; responses: { 200: unknown } };

/** Paths that answer POST. */
export type PostPath = { [P in keyof paths]: paths[P]["post"] extends Posted ? P : never }[keyof paths];

/** The body of POST of a path. */
export type Body<P extends PostPath> =
  NonNullable<paths[P]["post"]> extends { requestBody: { content: { "application/json": infer B } } } ? B : never;

/** What POST of a path answers as JSON. */
export type Posting<P extends PostPath> =
  NonNullable<paths[P]["post"]> extends { responses: { 200: { content: { "application/json": infer R } } } } ? R : never;

// A kind of parameter that an operation does not have is declared as never.
type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Parameters<P extends GetPath> = Operation<P>["parameters"];

/** The parameters of GET of a path: those in the path, and those in the query. */
export type Params<P extends GetPath> = Given<Parameters<P>["path"]> & Given<Parameters<P>["query"]>;

/** The same for JSON alone. */
export type JsonParams<P extends JsonPath> = Given<Parameters<P>["path"]> &
  Omit<Given<Parameters<P>["query"]>, "format">;

/** A last argument that may be left out if all its members may. */
export type Optional<T> = Record<never, never> extends T ? [params?: T] : [params: T];

/** The type of an answer, which depends on whether fields chooses attributes. */
export type Chosen<P, All, Some> = P extends { fields: string } ? Some : All;

/** A page of a list. */
export interface Page {
  data: readonly unknown[];
  links?: Schemas["PageLinks"];
}

/** Rows of the table for people, by the names of its columns. */
export type Row = Record<string, unknown>;

/** A line of the feed of changes: a row that differs, how far the feed is, or its end. */
export type ChangeLine =
  | { table: string; key: Row; was: Row | null; is: Row | null }
  | { progress: NonNullable<Schemas["ChangedRow"]["progress"]> }
  | { end: NonNullable<Schemas["ChangedRow"]["end"]> };
