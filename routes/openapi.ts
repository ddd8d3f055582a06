import {
  BINARY,
  BINARY_CONTENT,
  envelope,
  ID,
  type Json,
  json,
  jsonRequestBody,
  metrics,
  open,
  operation,
  pathOfSchema,
  pathParameters,
  query,
  reference,
  schemaOf,
} from "./openapi/parts.ts";
import { scanPaths } from "./openapi/scans.ts";
import { CapacityOverview } from "../schemas/capacity.ts";
import { reportJsonSchemas } from "../schemas/report.ts";
import { ScanEntry, ScanRequest } from "../schemas/scans.ts";
import {
  Compression,
  MkdirResourceRequest,
  ResourceEntry,
  ResourceList,
  TransferResourceRequest,
} from "../schemas/resources.ts";

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
      "/readyz": { get: open("A file could be taken in now", envelope({ type: "object" }), 503) },
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
        CapacityOverview: schemaOf(CapacityOverview),
        Scan: schemaOf(ScanEntry),
        ScanList: {
          type: "object",
          required: ["items", "total"],
          properties: {
            items: { type: "array", items: reference("Scan") },
            total: { type: "integer", minimum: 0 },
          },
        },
        ScanRequest: schemaOf(ScanRequest),
        ...reportJsonSchemas(pathOfSchema),
        Violation: {
          type: "object",
          required: ["path", "message"],
          properties: {
            path: { type: "string", description: "Where, such as issues[3].severity" },
            message: { type: "string", description: "What is allowed there, and what there is" },
          },
        },
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
  return {
    "/resources": { get: listOperation(), post: uploadOperation(), delete: deleteOperation() },
    "/resources/mkdir": { post: mkdirOperation() },
    "/resources/move": { put: transferOperation("Move") },
    "/resources/copy": { post: transferOperation("Copy") },
    "/resources/download": { get: downloadOperation() },
    "/events": { get: eventsOperation() },
    ...scanPaths(),
  };
}

function listOperation(): Json {
  return operation("List directories", "resources.view", {
    parameters: [
      ...pathParameters("A directory; left out, the root"),
      query("recursive", { type: "boolean", default: false }, "Whether to list all descendants"),
    ],
    responses: { 200: json("The records", envelope(reference("ResourceList"))) },
  }, 400);
}

function uploadOperation(): Json {
  const form = {
    type: "object",
    properties: { files: { type: "array", items: BINARY }, file: BINARY },
  };
  const description = {
    parameters: [query("dir", { type: "string" }, "The directory; left out, the root")],
    requestBody: { required: true, content: { "multipart/form-data": { schema: form } } },
    responses: { 200: json("The records of the files", envelope(reference("ResourceList"))) },
  };
  return operation("Upload files, all or none", "resources.upload", description, 400, 409);
}

function deleteOperation(): Json {
  const summary = "Delete records with all below them, all or none";
  const description = {
    parameters: pathParameters("A path to delete"),
    responses: { 200: json("The records that were deleted", envelope(reference("ResourceList"))) },
  };
  return operation(summary, "resources.delete", description, 400, 404);
}

function mkdirOperation(): Json {
  const description = {
    requestBody: jsonRequestBody("MkdirResourceRequest"),
    responses: { 200: json("The directory", envelope(reference("ResourceEntry"))) },
  };
  return operation("Make a directory and all above it", "resources.edit", description, 400, 409);
}

function transferOperation(kind: "Move" | "Copy"): Json {
  const list = envelope(reference("ResourceList"));
  const description = {
    requestBody: jsonRequestBody(`${kind}ResourceRequest`),
    responses: { 200: json("What was added, then what was updated", list) },
  };
  const summary = `${kind} records with all below them, all or none`;
  return operation(summary, "resources.edit", description, 400, 404, 409);
}

function downloadOperation(): Json {
  const description = {
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
  };
  const summary = "Download a file, or several as a ZIP";
  return operation(summary, "resources.download", description, 400, 404, 416);
}

function eventsOperation(): Json {
  const stream = {
    description: "resource.added, resource.updated, resource.deleted and reset events",
    content: { "text/event-stream": { schema: { type: "string" } } },
  };
  return operation("Changes as Server-Sent Events", "resources.view", {
    parameters: [
      query("scope", { enum: ["own", "all"], default: "own" }, "Whose records"),
      query("last_event_id", { type: "string" }, "Where to go on"),
      { name: "Last-Event-ID", in: "header", schema: { type: "string" } },
    ],
    responses: { 200: stream },
  }, 400);
}
