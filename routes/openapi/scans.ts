/** The operations on scans, reports and verdicts (C 14, C 15). */

import { ReportDownload, SCAN_WAIT_S } from "../../schemas/queries.ts";
import { headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import {
  contentResponse,
  enveloped,
  envelopedWithId,
  idInPath,
  integerQuery,
  type Json,
  jsonRequestBody,
  pageParameters,
  query,
  reference,
  schemaOf,
} from "./parts.ts";
import { LIST as LIST_RESOURCES } from "./resources.ts";

const SCAN: Json = enveloped("The scan", reference("Scan"));
const SCAN_ID: Json = idInPath("The id of the scan");

export const START: Operation = {
  id: "startScan",
  tag: "scans",
  summary: "Scan files",
  description: "Scans the files at and below the records, with their present content.",
  parameters: [integerQuery("wait", SCAN_WAIT_S, "Seconds to wait for the end")],
  requestBody: jsonRequestBody("ScanRequest", { path: "models/llama" }),
  responses: {
    202: envelopedWithId("The scan", reference("Scan"), ["getScan", "getScanReport", "removeScan"]),
  },
  refusals: ["ErrResourcesNotFound", "ErrResourcesSharedPath", "ErrScansQueueFull"],
};

export const LIST: Operation = {
  id: "listScans",
  tag: "scans",
  summary: "List the caller's scans, newest first",
  description:
    "Each scan has the first 16 KiB of its paths, which paths_total counts. A page ends " +
    "early where they reach 256 KiB; an empty one is the end.",
  parameters: pageParameters("scans"),
  responses: { 200: enveloped("The scans", reference("ScanList")) },
};

export const FIND: Operation = {
  id: "getScan",
  tag: "scans",
  summary: "Show a scan",
  parameters: [SCAN_ID],
  responses: { 200: SCAN },
  refusals: ["ErrScansNotFound"],
};

export const REMOVE: Operation = {
  id: "removeScan",
  tag: "scans",
  summary: "Cancel an unfinished scan, or remove a finished one",
  parameters: [SCAN_ID],
  responses: { 200: enveloped("The scan as it is then, or was", reference("Scan")) },
  refusals: ["ErrScansNotFound"],
};

export const REPORT: Operation = {
  id: "getScanReport",
  tag: "scans",
  summary: "Show the report of a completed scan",
  parameters: [
    SCAN_ID,
    query(
      "format",
      { ...schemaOf(ReportDownload), default: "json" },
      "sarif for a SARIF 2.1.0 log",
    ),
  ],
  responses: {
    200: {
      description: "The report, without an envelope",
      content: {
        "application/json": { schema: reference("Report") },
        "application/sarif+json": { schema: { type: "object" } },
      },
    },
  },
  refusals: ["ErrScansNotFound", "ErrScansConflict"],
};

export const REPORT_SCHEMA: Operation = {
  id: "getReportSchema",
  tag: "scans",
  summary: "Show the JSON Schema of a report",
  responses: {
    200: contentResponse(
      "The schema, without an envelope",
      { type: "object" },
      "application/schema+json",
    ),
  },
};

export const VALIDATE_REPORT: Operation = {
  id: "validateReport",
  tag: "scans",
  summary: "Check that a document is a valid report",
  description:
    "A valid report is returned with all defaults filled in. The document may have 64 MiB.",
  requestBody: {
    required: true,
    content: {
      "application/json": { schema: {}, example: { bytes_scanned: 5, files_scanned: 1 } },
    },
  },
  responses: { 200: enveloped("The outcome", reference("ReportValidation")) },
};

export const VERDICTS: Operation = {
  id: "listVerdicts",
  tag: "verdicts",
  summary: "List the verdicts on the files of directories",
  parameters: LIST_RESOURCES.parameters ?? [],
  responses: {
    200: {
      ...enveloped("The verdicts, in the order of a listing", reference("VerdictList")),
      headers: headersOf([], ["X-Version"]),
    },
  },
  refusals: ["ErrVersionsNotFound"],
};

export const VERDICT_DAYS: Operation = {
  id: "listVerdictDays",
  tag: "verdicts",
  summary: "Count the verdicts on the files of a tree by the days of their scans",
  description: "Of today and the 29 days before, in UTC. What the newest scan of a content found " +
    "counts, once for each name that it has, while the tree has the content. Without `tree`, it is about the " +
    "caller's own tree.",
  responses: { 200: enveloped("The days, oldest first", reference("VerdictDays")) },
};
