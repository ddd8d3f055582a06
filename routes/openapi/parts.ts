/** What the operations of the description share. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

/** A part of the document, as JSON. */
export type Json = { readonly [key: string]: unknown };

/** What each status of a refusal means. */
const REFUSALS = {
  400: "The request is invalid",
  401: "The credential is missing or invalid",
  403: "The credential lacks the privilege, or the gate refuses a file",
  404: "Not found",
  409: "Conflict with what exists, or with the state of the scan",
  412: "A precondition of the request failed",
  413: "The file or the request is too large",
  416: "The range is outside the content",
  423: "Another request is working on the upload",
  429: "Too many requests, or the queue of scans is full; Retry-After says when to try again",
  460: "The content does not have the checksum that the client states",
  500: "Internal error; the log has it under the request id",
  503: "The server is not ready, is stopping, or cannot fetch the keys of the issuer",
} as const;

/** The status of a refusal. */
export type Refusal = keyof typeof REFUSALS;

/** An operation as the table of routes describes it; the privilege is the table's. */
export interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Json;
  /** The refusals of its own, besides those that every privileged route has. */
  readonly refusals?: readonly Refusal[];
}

export const ID: Json = { type: "integer", minimum: 1 };
export const BINARY: Json = { type: "string", format: "binary" };

/** The replies of refusals. */
export function refusalResponses(statuses: readonly Refusal[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, jsonResponse(REFUSALS[status], reference("Error"))]),
  );
}

/** A JSON body of a schema of the components. */
export function jsonRequestBody(schema: string): Json {
  return { required: true, content: { "application/json": { schema: reference(schema) } } };
}

/** The parameters `path` and `paths[]`. */
export function pathParameters(description: string): Json[] {
  return [
    query("path", { type: "string" }, description),
    query("paths[]", { type: "array", items: { type: "string" } }, "More paths"),
  ];
}

/** A query parameter. */
export function query(name: string, schema: Json, description: string): Json {
  return { name, in: "query", schema, description };
}

/** A reply of JSON. */
export function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

/** A reply of JSON in the envelope (C 2). */
export function enveloped(description: string, data: Json): Json {
  return jsonResponse(description, {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  });
}

/** A reply of another type. */
export function contentResponse(description: string, schema: Json, ...types: string[]): Json {
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

/** A schema of the components, by name. */
export function reference(name: string): Json {
  return { $ref: componentPath(name) };
}

/** The pointer to a schema of the components. */
export function componentPath(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The JSON Schema of a valibot schema. */
export function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  return { ...rest };
}
