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

export function jsonBody(schema: string): Json {
  return { required: true, content: { "application/json": { schema: reference(schema) } } };
}

/** An operation that needs no credential. */
export function open(summary: string, schema: Json, ...refusals: (keyof typeof REFUSALS)[]): Json {
  return { summary, responses: { 200: json(summary, schema), ...refused(refusals) } };
}

export function refused(statuses: readonly (keyof typeof REFUSALS)[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, json(REFUSALS[status], reference("Error"))]),
  );
}

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

export function pathParameters(description: string): Json[] {
  return [
    query("path", { type: "string" }, description),
    query("paths[]", { type: "array", items: { type: "string" } }, "Further ones"),
  ];
}

export function query(name: string, schema: Json, description: string): Json {
  return { name, in: "query", schema, description };
}

export function envelope(data: Json): Json {
  return {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  };
}

export function json(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

export function reference(name: string): Json {
  return { $ref: pathOfSchema(name) };
}

export function pathOfSchema(name: string): string {
  return `#/components/schemas/${name}`;
}

export function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  return { ...rest };
}
