import {
  envelope,
  type Json,
  json,
  jsonRequestBody,
  operation,
  query,
  reference,
} from "./parts.ts";

/** The operations on scans, reports and the capacity that they run on, by their paths. */
export function scanPaths(): Record<string, Json> {
  return {
    "/scans": { get: listScansOperation(), post: postScanOperation() },
    "/scans/{id}": { get: scanOperation("A scan", "scans.view"), delete: deleteScanOperation() },
    "/scans/{id}/report": { get: scanReportOperation() },
    "/reports/schema": { get: reportSchemaOperation() },
    "/reports/validate": { post: validateReportOperation() },
    "/capacity": { get: capacityOperation() },
  };
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
    requestBody: jsonRequestBody("ScanRequest"),
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
