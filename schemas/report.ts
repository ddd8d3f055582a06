import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from "@valibot/to-json-schema";
import * as v from "valibot";
import { listOf, mapOf, openObject } from "./report/containers.ts";
import { FileHashes, FileMetadata, MemberFileIntegrity } from "./report/file_metadata.ts";
import { Asset, Issue, ReportCheck } from "./report/findings.ts";
import { CopyrightNotice, LicenseInfo } from "./report/licenses.ts";
import { MLContext, MLFrameworkInfo, WeightAnalysis } from "./report/ml_context.ts";
import { finite, flag, integer, orNull, text, type Written } from "./report/values.ts";

export * from "./report/file_metadata.ts";
export * from "./report/findings.ts";
export * from "./report/licenses.ts";
export * from "./report/ml_context.ts";

/** The outcome of a scan (SR 2.1). What it gives out has all defaults filled in (C 16). */
export const Report = openObject({
  bytes_scanned: integer,
  files_scanned: integer,
  /** Whether something kept the scan from its work; never for findings (C 16). */
  has_errors: flag,
  /** Seconds since the Unix epoch (C 16). */
  start_time: finite,
  /** Seconds. */
  duration: finite,
  total_checks: integer,
  passed_checks: integer,
  failed_checks: integer,
  issues: v.optional(listOf(Issue), []),
  checks: v.optional(listOf(ReportCheck), []),
  assets: v.optional(listOf(Asset), []),
  scanner_names: v.optional(listOf(text), []),
  scanner_selection: orNull(mapOf(v.unknown())),
  /** By file. */
  file_metadata: v.optional(mapOf(FileMetadata), {}),
  content_hash: orNull(text),
  success: v.optional(flag, true),
});
/** A report as a scan writes it. In its parts, properties with a default may be left out. */
export type Report = Required<Written<typeof Report>>;

/** What a report is made of, by the names of SR. */
const PARTS = {
  Asset,
  Check: ReportCheck,
  Issue,
  FileMetadata,
  FileHashes,
  MemberFileIntegrity,
  MLContext,
  MLFrameworkInfo,
  WeightAnalysis,
  LicenseInfo,
  CopyrightNotice,
};

const CONVERSION: ConversionConfig = {
  target: "draft-2020-12",
  // Of an object that may be no array, the second schema says what it holds.
  typeMode: "output",
  // JSON has no other numbers.
  ignoreActions: ["finite"],
};

/** The schema of a report as a JSON Schema (draft 2020-12), for other programs. */
export function reportJsonSchema(): JsonSchema {
  return toJsonSchema(Report, { ...CONVERSION, definitions: PARTS });
}

/**
 * The JSON Schemas of a report and its parts by name, for a document that holds them side by side.
 *
 * @param refersTo How a name is referred to there.
 */
export function reportJsonSchemas(refersTo: (name: string) => string): Record<string, JsonSchema> {
  return toJsonSchemaDefs({ Report, ...PARTS }, {
    ...CONVERSION,
    overrideRef: ({ referenceId }) => refersTo(referenceId),
  });
}
