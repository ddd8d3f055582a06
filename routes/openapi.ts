import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import {
  Compression,
  MkdirResourceRequest,
  ResourceEntry,
  ResourceList,
  TransferResourceRequest,
} from "../schemas/resources.ts";

/** A part of the document, as JSON. */
type Json = { readonly [key: string]: unknown };

/** The description of the API (OpenAPI 3.1), for clients and their generators (C 1). */
export function openApi(basePath: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "strongroom",
      version: "1",
      description: "A file strongroom for people who work with model files.",
      license: { name: "MIT", identifier: "MIT" },
    },
    paths: {
      "/healthz": { get: open("The process answers", envelope({ type: "object" })) },
      "/readyz": { get: open("A file could be taken in now", envelope({ type: "object" })) },
      "/openapi.json": { get: open("This description", { type: "object" }) },
      "/metrics": { get: metrics() },
      ...Object.fromEntries(
        Object.entries(apiPaths()).map(([path, operations]) => [basePath + path, operations]),
      ),
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      schemas: {
        ResourceEntry: schemaOf(ResourceEntry),
        ResourceList: {
          ...schemaOf(ResourceList),
          properties: {
            items: { type: "array", items: { $ref: "#/components/schemas/ResourceEntry" } },
            total: { type: "integer", minimum: 0 },
          },
        },
        MkdirResourceRequest: schemaOf(MkdirResourceRequest),
        MoveResourceRequest: schemaOf(TransferResourceRequest),
        CopyResourceRequest: schemaOf(TransferResourceRequest),
        Error: {
          type: "object",
          required: ["status", "code", "msg"],
          properties: {
            status: { const: "error" },
            code: { type: "string", description: "The kind of the error, such as ErrNotPermitted" },
            msg: { type: "string", description: "What was wrong, for a person" },
          },
        },
      },
    },
  };
}

function apiPaths(): Record<string, Json> {
  const list = envelope(reference("ResourceList"));
  return {
    "/resources": {
      get: operation("List directories", "resources.view", {
        parameters: [
          ...pathParameters("A directory; left out, the root"),
          query(
            "recursive",
            { type: "boolean", default: false },
            "Whether to list all descendants",
          ),
        ],
        responses: { 200: json("The records", list) },
      }, 400),
      post: operation(
        "Upload files, all or none",
        "resources.upload",
        {
          parameters: [query("dir", { type: "string" }, "The directory; left out, the root")],
          requestBody: {
            required: true,
            content: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  properties: { files: { type: "array", items: BINARY }, file: BINARY },
                },
              },
            },
          },
          responses: { 200: json("The records of the files", list) },
        },
        400,
        409,
      ),
      delete: operation(
        "Delete records with all below them, all or none",
        "resources.delete",
        {
          parameters: pathParameters("A path to delete"),
          responses: { 200: json("The records that were deleted", list) },
        },
        400,
        404,
      ),
    },
    "/resources/mkdir": {
      post: operation(
        "Make a directory and all above it",
        "resources.edit",
        {
          requestBody: jsonBody("MkdirResourceRequest"),
          responses: { 200: json("The directory", envelope(reference("ResourceEntry"))) },
        },
        400,
        409,
      ),
    },
    "/resources/move": { put: transfer("Move records with all below them", "Move") },
    "/resources/copy": { post: transfer("Copy records with all below them", "Copy") },
    "/resources/download": {
      get: operation(
        "Download a file, or several as a ZIP",
        "resources.download",
        {
          parameters: [
            ...pathParameters("A path to download"),
            query("id", ID, "The id of a record"),
            query("ids[]", { type: "array", items: ID }, "Ids of records"),
            query("compression", schemaOf(Compression), "How the entries of a ZIP are packed"),
            { name: "Range", in: "header", schema: { type: "string" } },
          ],
          responses: {
            200: { description: "The content", content: BINARY_CONTENT },
            206: { description: "A range of the content", content: BINARY_CONTENT },
            304: { description: "The content is the one that the client has" },
          },
        },
        400,
        404,
        416,
      ),
    },
    "/events": {
      get: operation("Changes as Server-Sent Events", "resources.view", {
        parameters: [
          query("scope", { enum: ["own", "all"], default: "own" }, "Whose records"),
          query("last_event_id", { type: "string" }, "Where to go on"),
          { name: "Last-Event-ID", in: "header", schema: { type: "string" } },
        ],
        responses: {
          200: {
            description: "resource.added, resource.updated, resource.deleted and reset events",
            content: { "text/event-stream": { schema: { type: "string" } } },
          },
        },
      }, 400),
    },
  };
}

const ID: Json = { type: "integer", minimum: 1 };
const BINARY: Json = { type: "string", format: "binary" };
const BINARY_CONTENT: Json = {
  "application/octet-stream": { schema: BINARY },
  "application/zip": { schema: BINARY },
};

/** An operation that needs a credential with the privilege; `refusals` are statuses of its own. */
function operation(
  summary: string,
  privilege: string,
  { responses, ...rest }: { responses: Json } & Json,
  ...refusals: number[]
): Json {
  const errors = [...refusals, 401, 403, 500].map((status) => [
    status,
    json("A refusal", reference("Error")),
  ]);
  return {
    summary,
    description: `Needs the privilege ${privilege}.`,
    security: [{ bearer: [] }],
    ...rest,
    responses: { ...responses, ...Object.fromEntries(errors) },
  };
}

function transfer(summary: string, kind: "Move" | "Copy"): Json {
  return operation(
    `${summary}, all or none`,
    "resources.edit",
    {
      requestBody: jsonBody(`${kind}ResourceRequest`),
      responses: {
        200: json("What was added, then what was updated", envelope(reference("ResourceList"))),
      },
    },
    400,
    404,
    409,
  );
}

function jsonBody(schema: string): Json {
  return { required: true, content: { "application/json": { schema: reference(schema) } } };
}

/** An operation that needs no credential. */
function open(summary: string, schema: Json): Json {
  return { summary, responses: { 200: json("As it says", schema) } };
}

function metrics(): Json {
  return operation("Measures in Prometheus's text format", "resources.admin", {
    responses: {
      200: {
        description: "The measures",
        content: { "text/plain": { schema: { type: "string" } } },
      },
    },
  });
}

function pathParameters(description: string): Json[] {
  return [
    query("path", { type: "string" }, description),
    query("paths[]", { type: "array", items: { type: "string" } }, "Further ones"),
  ];
}

function query(name: string, schema: Json, description: string): Json {
  return { name, in: "query", schema, description };
}

function envelope(data: Json): Json {
  return {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  };
}

function json(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  return { ...rest };
}
