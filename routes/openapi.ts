import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
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
    "/capacity": { get: capacityOperation() },
    "/scans": { get: listScansOperation(), post: postScanOperation() },
    "/scans/{id}": { get: scanOperation("A scan", "scans.view"), delete: deleteScanOperation() },
    "/scans/{id}/report": { get: scanReportOperation() },
    "/reports/schema": { get: reportSchemaOperation() },
    "/reports/validate": { post: validateReportOperation() },
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
    requestBody: jsonBody("MkdirResourceRequest"),
    responses: { 200: json("The directory", envelope(reference("ResourceEntry"))) },
  };
  return operation("Make a directory and all above it", "resources.edit", description, 400, 409);
}

function transferOperation(kind: "Move" | "Copy"): Json {
  const list = envelope(reference("ResourceList"));
  const description = {
    requestBody: jsonBody(`${kind}ResourceRequest`),
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

function capacityOperation(): Json {
  const responses = { 200: json("The overview", envelope(reference("CapacityOverview"))) };
  return operation("How much the host carries now", "capacity.view", { responses });
}

const SCAN_ID: Json = { name: "id", in: "path", required: true, schema: { type: "integer" } };

function postScanOperation(): Json {
  const description = {
    parameters: [
      query("wait", { type: "integer", minimum: 0, maximum: 60 }, "Seconds to wait for its end"),
    ],
    requestBody: jsonBody("ScanRequest"),
    responses: { 202: json("The scan", envelope(reference("Scan"))) },
  };
  return operation("Scan files", "scans.run", description, 400, 404, 429);
}

function listScansOperation(): Json {
  const description = {
    parameters: [
      query("limit", { type: "integer", minimum: 1, maximum: 1000, default: 100 }, "How many"),
      query("before", { type: "integer", minimum: 1 }, "Only scans with a lower id"),
    ],
    responses: { 200: json("The caller's scans", envelope(reference("ScanList"))) },
  };
  return operation("List scans, newest first", "scans.view", description, 400);
}

function scanOperation(summary: string, privilege: string): Json {
  const description = {
    parameters: [SCAN_ID],
    responses: { 200: json("The scan", envelope(reference("Scan"))) },
  };
  return operation(summary, privilege, description, 400, 404);
}

function deleteScanOperation(): Json {
  return scanOperation("Cancel a scan that has not finished, remove one that has", "scans.run");
}

function scanReportOperation(): Json {
  const description = {
    parameters: [SCAN_ID],
    responses: { 200: json("The report, without an envelope", reference("Report")) },
  };
  return operation("The report of a completed scan", "scans.view", description, 400, 404, 409);
}

function reportSchemaOperation(): Json {
  return operation("The JSON Schema of a report", "scans.view", {
    responses: {
      200: {
        description: "The schema, without an envelope",
        content: { "application/schema+json": { schema: { type: "object" } } },
      },
    },
  });
}

function validateReportOperation(): Json {
  const valid = {
    type: "object",
    required: ["valid", "report"],
    properties: { valid: { const: true }, report: reference("Report") },
  };
  const invalid = {
    type: "object",
    required: ["valid", "violations"],
    properties: {
      valid: { const: false },
      violations: { type: "array", items: reference("Violation"), maxItems: 1000 },
      violations_truncated: { const: true, description: "There are more violations" },
    },
  };
  const description = {
    requestBody: { required: true, content: { "application/json": { schema: {} } } },
    responses: { 200: json("The verdict", envelope({ oneOf: [valid, invalid] })) },
  };
  return operation("Find out whether something is a report", "scans.view", description, 400);
}

const ID: Json = { type: "integer", minimum: 1 };
const BINARY: Json = { type: "string", format: "binary" };
const BINARY_CONTENT: Json = {
  "application/octet-stream": { schema: BINARY },
  "application/zip": { schema: BINARY },
};

/** What the statuses of refusals say. */
const REFUSALS = {
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
function operation(
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

function jsonBody(schema: string): Json {
  return { required: true, content: { "application/json": { schema: reference(schema) } } };
}

/** An operation that needs no credential. */
function open(summary: string, schema: Json, ...refusals: (keyof typeof REFUSALS)[]): Json {
  return { summary, responses: { 200: json(summary, schema), ...refused(refusals) } };
}

function refused(statuses: readonly (keyof typeof REFUSALS)[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, json(REFUSALS[status], reference("Error"))]),
  );
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
  return { $ref: pathOfSchema(name) };
}

function pathOfSchema(name: string): string {
  return `#/components/schemas/${name}`;
}

function schemaOf(schema: GenericSchema): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: "ignore" });
  return { ...rest };
}
