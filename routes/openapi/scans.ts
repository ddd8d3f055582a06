/** The operations on scans, reports and the capacity of the host (C 14, C 15). */

import {
  contentResponse,
  enveloped,
  type Json,
  jsonRequestBody,
  jsonResponse,
  type Operation,
  query,
  reference,
} from "./parts.ts";

const SCAN: Json = enveloped("The scan", reference("Scan"));
const SCAN_ID: Json = { name: "id", in: "path", required: true, schema: { type: "integer" } };

export const START: Operation = {
  summary: "Scan files",
  parameters: [
    query("wait", { type: "integer", minimum: 0, maximum: 60 }, "Seconds to wait for the end"),
  ],
  requestBody: jsonRequestBody("ScanRequest"),
  responses: { 202: SCAN },
  refusals: [400, 404, 429],
};

export const LIST: Operation = {
  summary: "List the caller's scans, newest first",
  parameters: [
    query("limit", { type: "integer", minimum: 1, maximum: 1000, default: 100 }, "How many"),
    query("before", { type: "integer", minimum: 1 }, "Only scans with a lower id"),
  ],
  responses: {
    200: enveloped(
      "The scans, with the first 16 KiB of the paths of each, which paths_total counts. The list ends " +
        "early where they reach 256 KiB; an empty one is the end",
      reference("ScanList"),
    ),
  },
  refusals: [400],
};

export const FIND: Operation = {
  summary: "Show a scan",
  parameters: [SCAN_ID],
  responses: { 200: SCAN },
  refusals: [400, 404],
};

export const REMOVE: Operation = {
  summary: "Cancel an unfinished scan, or remove a finished one",
  parameters: [SCAN_ID],
  responses: { 200: SCAN },
  refusals: [400, 404],
};

export const REPORT: Operation = {
  summary: "Show the report of a completed scan",
  parameters: [SCAN_ID],
  responses: { 200: jsonResponse("The report, without an envelope", reference("Report")) },
  refusals: [400, 404, 409],
};

export const REPORT_SCHEMA: Operation = {
  summary: "Show the JSON Schema of a report",
  responses: {
    200: contentResponse(
      "The schema, without an envelope",
      { type: "object" },
      "application/schema+json",
    ),
  },
};

const VALID: Json = {
  type: "object",
  required: ["valid", "report"],
  properties: { valid: { const: true }, report: reference("Report") },
};
const INVALID: Json = {
  type: "object",
  required: ["valid", "violations"],
  properties: {
    valid: { const: false },
    violations: { type: "array", items: reference("Violation"), maxItems: 1000 },
    violations_truncated: { const: true, description: "There are more violations" },
  },
};

export const VALIDATE_REPORT: Operation = {
  summary: "Check that a document is a valid report",
  requestBody: { required: true, content: { "application/json": { schema: {} } } },
  responses: { 200: enveloped("The verdict", { oneOf: [VALID, INVALID] }) },
  refusals: [400],
};

export const CAPACITY: Operation = {
  summary: "Show how much the host can carry now",
  responses: { 200: enveloped("The overview", reference("CapacityOverview")) },
};
