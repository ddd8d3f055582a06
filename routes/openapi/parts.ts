/** What the operations of the description share. */

import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { type IntegerRange, PAGE } from "../../schemas/queries.ts";

/** A part of the document, as JSON. */
export type Json = { readonly [key: string]: unknown };

export const ID: Json = { type: "integer", minimum: 1, format: "uint64", examples: [2] };
export const BINARY: Json = { type: "string", format: "binary" };

/** The body of a request as JSON of a schema of the components, with an example. */
export function jsonRequestBody(schema: string, example: Json): Json {
  return {
    required: true,
    content: { "application/json": { schema: reference(schema), example } },
  };
}

/** The parameters `path` and `paths[]`. */
export function pathParameters(description: string): Json[] {
  return [
    query("path", { type: "string" }, description, "models/llama"),
    query("paths[]", { type: "array", items: { type: "string" } }, "More paths, at most 1000"),
  ];
}

/** A query parameter. */
export function query(name: string, schema: Json, description: string, example?: unknown): Json {
  return { name, in: "query", schema, description, ...(example !== undefined && { example }) };
}

/** A query parameter that is an integer. */
export function integerQuery(name: string, range: IntegerRange, description: string): Json {
  const { min, max, ...rest } = range;
  return query(name, { type: "integer", minimum: min, maximum: max, ...rest }, description);
}

/** The parameter `purge` of a deletion (C 26). */
export const PURGE: Json = query(
  "purge",
  { type: "string", default: "false" },
  "`true` or `1`: no earlier version of the tree has the content any more",
);

/** The parameter `at` (C 26). */
export const AT: Json = query(
  "at",
  { type: "string" },
  "The version to read, an RFC 3339 time, or a tag: the tree as it was then. The reply has X-Version",
  "2026-11-22T09:00:00Z",
);

/** The parameters of a page of `things`. */
export function pageParameters(things: string): Json[] {
  return [
    integerQuery("limit", PAGE.limit, `How many ${things} to list`),
    integerQuery("before", PAGE.before, `Only ${things} with a lower id: the last id of a page`),
  ];
}

/** A header of a request. */
export function requestHeader(name: string, description: string, example: string): Json {
  return { name, in: "header", schema: { type: "string" }, description, example };
}

/** The parameter `id` of an address. */
export function idInPath(description: string): Json {
  return { name: "id", in: "path", required: true, schema: ID, description };
}

/** A reply of JSON. */
export function jsonResponse(description: string, schema: Json): Json {
  return contentResponse(description, schema, "application/json");
}

/** A reply of JSON in the envelope (C 2). */
export function enveloped(description: string, data: Json): Json {
  return jsonResponse(description, {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  });
}

/** A reply of JSON in the envelope whose `id` is that of other operations, by their names. */
export function envelopedWithId(description: string, data: Json, operations: string[]): Json {
  const link = (operationId: string) => ({
    operationId,
    parameters: { id: "$response.body#/data/id" },
  });
  return {
    ...enveloped(description, data),
    links: Object.fromEntries(operations.map((name) => [name, link(name)])),
  };
}

/** A reply of other types. */
export function contentResponse(description: string, schema: Json, ...types: string[]): Json {
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

/** A schema of the components, by name. */
export function reference(name: string): Json {
  return { $ref: componentPath("schemas", name) };
}

/** The pointer to a component. */
export function componentPath(kind: "schemas" | "responses" | "headers", name: string): string {
  return `#/components/${kind}/${name}`;
}

/**
 * The JSON Schema of a request, without defaults: generators of clients take a property that has one as
 * required.
 */
export function requestSchemaOf(schema: GenericSchema): Json {
  const { properties, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  const stated = Object.entries({ ...properties }).map(([name, property]) => {
    const { default: _, ...kept } = Object(property);
    return [name, kept];
  });
  return { ...withoutDialect(rest), properties: Object.fromEntries(stated) };
}

/** The JSON Schema of a valibot schema. */
export function schemaOf(schema: GenericSchema): Json {
  return withoutDialect(toJsonSchema(schema, { errorMode: "ignore" }));
}

function withoutDialect({ $schema: _, ...rest }: JsonSchema): Json {
  return { ...rest };
}
