/** What the operations of the description share. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";

/** A part of the document, as JSON. */
export type Json = { readonly [key: string]: unknown };

export const ID: Json = { type: "integer", minimum: 1 };
export const BINARY: Json = { type: "string", format: "binary" };
export const BINARY_CONTENT: Json = {
  "application/octet-stream": { schema: BINARY },
  "application/zip": { schema: BINARY },
};

/** What the statuses of refusals say. */
export const REFUSALS = {
  400: "The request is not as it should be",
  401: "No valid credential",
  403: "The privilege is missing",
  404: "Something is not found",
  409: "Something is in the way",
  429: "Too many scans wait; the header Retry-After says when to come again",
  416: "The range lies outside of the content",
  500: "Something failed, and was logged under the request id",
  503: "The server is not ready",
} as const;

/** An operation that needs a credential with the privilege; `refusals` are statuses of its own. */
export function operation(
  summary: string,
  privilege: string,
  { responses, ...rest }: { responses: Json } & Json,
  ...refusals: (keyof typeof REFUSALS)[]
): Json {
  return {
    summary,
    description: `Needs the privilege ${privilege}.`,
    security: [{ bearer: [] }],
    ...rest,
    responses: { ...responses, ...refused([...refusals, 401, 403, 500]) },
  };
}

/** A JSON body of the schema. */
export function jsonRequestBody(schema: string): Json {
  return { required: true, content: { "application/json": { schema: reference(schema) } } };
}

/** An operation that needs no credential. */
export function open(summary: string, schema: Json, ...refusals: (keyof typeof REFUSALS)[]): Json {
  return { summary, responses: { 200: json(summary, schema), ...refused(refusals) } };
}

/** The replies of refusals. */
export function refused(statuses: readonly (keyof typeof REFUSALS)[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, json(REFUSALS[status], reference("Error"))]),
  );
}

/** `GET /metrics`, which is no JSON. */
export function metrics(): Json {
  return operation("Measures in Prometheus's text format", "resources.admin", {
    responses: {
      200: {
        description: "The measures",
        content: { "text/plain": { schema: { type: "string" } } },
      },
    },
  });
}

/** `path` and `paths[]`. */
export function pathParameters(description: string): Json[] {
  return [
    query("path", { type: "string" }, description),
    query("paths[]", { type: "array", items: { type: "string" } }, "Further ones"),
  ];
}

/** A parameter of the query. */
export function query(name: string, schema: Json, description: string): Json {
  return { name, in: "query", schema, description };
}

/** A payload in the envelope (C 2). */
export function envelope(data: Json): Json {
  return {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  };
}

/** A reply in JSON. */
export function json(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

/** A schema of the components, by its name. */
export function reference(name: string): Json {
  return { $ref: pathOfSchema(name) };
}

/** Where a schema of the components is. */
export function pathOfSchema(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The JSON Schema of a valibot schema. */
export function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  return { ...rest };
}
