import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from "@valibot/to-json-schema";
import * as v from "valibot";
import { listOf, mapOf, openObject } from "./containers.ts";
import { FileHashes, FileMetadata, MemberFileIntegrity } from "./file_metadata.ts";
import { Asset, Issue, ReportCheck } from "./findings.ts";
import { CopyrightNotice, LicenseInfo } from "./licenses.ts";
import { MLContext, MLFrameworkInfo, WeightAnalysis } from "./ml_context.ts";
import { finite, flag, integer, orNull, text, type Written } from "./values.ts";

export * from "./file_metadata.ts";
export * from "./findings.ts";
export * from "./licenses.ts";
export * from "./ml_context.ts";

/** The result of a scan (SR 2.1). Parsing fills in all defaults (C 16). */
export const Report = openObject({
  bytes_scanned: integer,
  files_scanned: integer,
  /** Whether the scan itself failed. Findings are not errors (C 16). */
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
  /** By path. */
  file_metadata: v.optional(mapOf(FileMetadata), {}),
  content_hash: orNull(text),
  success: v.optional(flag, true),
});
/** A report as a scan writes it. Within its parts, properties with a default may be omitted. */
export type Report = Required<Written<typeof Report>>;

/** The parts of a report, by their names in SR. */
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
  // Objects are a pipe of two schemas, of which only the second lists the properties.
  typeMode: "output",
  // JSON numbers are always finite.
  ignoreActions: ["finite"],
};

/** Returns the JSON Schema (draft 2020-12) of a report. */
export function reportJsonSchema(): JsonSchema {
  return toJsonSchema(Report, { ...CONVERSION, definitions: PARTS });
}

/**
 * Returns the JSON Schemas of a report and its parts by name, to be embedded in another document.
 *
 * @param refersTo Returns the reference to a name in that document.
 */
export function reportJsonSchemas(refersTo: (name: string) => string): Record<string, JsonSchema> {
  return toJsonSchemaDefs({ Report, ...PARTS }, {
    ...CONVERSION,
    overrideRef: ({ referenceId }) => refersTo(referenceId),
  });
}
