import { isObject } from "../../../schemas/json.ts";
import type { Asset, FileMetadata } from "../../../schemas/report/report.ts";
import { ruleOf } from "../contract/rules.ts";
import { type Severity, severityOf } from "../contract/severity.ts";
import { adviceOf } from "./advice.ts";
import { locationOf } from "./location.ts";
import type { MarkedIssue, MarkedReport } from "./marks.ts";
import { utc } from "./sarif.ts";
import { sha256Of } from "./sha256.ts";

/** A bill of materials in CycloneDX 1.6 (ECMA-424). */
export type CycloneDxBom = Readonly<Record<string, unknown>>;

/**
 * Converts a report to a bill of materials for machine learning: a component for each file, and a
 * vulnerability for each issue.
 *
 * @param version The version of this program.
 */
export function reportCycloneDx(report: MarkedReport, version: string): CycloneDxBom {
  const time = utc(report.start_time);
  const assets = [...new Map(report.assets.map((asset) => [asset.path, asset])).values()];
  const paths = new Set(assets.map(({ path }) => path));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([report.content_hash, time, [...paths]]))}`,
    version: 1,
    metadata: {
      ...(time !== undefined && { timestamp: time }),
      tools: { components: [{ type: "application", name: "strongroom", version }] },
      ...(report.excluded && {
        properties: report.excluded.map((path) => property("excluded", path.toWellFormed())),
      }),
    },
    components: assets.map((asset) => componentOf(asset, report.file_metadata[asset.path] ?? {})),
    vulnerabilities: report.issues.map((issue, index) => vulnerabilityOf(issue, index, paths)),
  };
}

/** A reference to a file within the bill. */
function refOf(path: string): string {
  return `file:${path.toWellFormed()}`;
}

function componentOf({ path, type, size }: Asset, metadata: FileMetadata): CycloneDxBom {
  const isModel = metadata.is_model === true;
  const hashes = hashesOf(metadata);
  const licenses = licensesOf(metadata);
  const copyright = metadata.copyright_notices?.map(({ text, holder }) => text ?? holder);
  return {
    type: isModel ? "machine-learning-model" : metadata.is_dataset === true ? "data" : "file",
    "bom-ref": refOf(path),
    name: path.toWellFormed(),
    ...(hashes.length > 0 && { hashes }),
    ...(licenses.length > 0 && { licenses }),
    ...(copyright && copyright.length > 0 && { copyright: copyright.join("\n") }),
    ...(isModel && { modelCard: modelCardOf(metadata) }),
    properties: [
      property("format", type),
      ...(typeof size === "number" ? [property("size", String(size))] : []),
      property("risk_score", String(metadata.risk_score ?? 0)),
      property("outcome", String(metadata["scan_outcome"] ?? "complete")),
    ],
  };
}

function property(name: string, value: string): { name: string; value: string } {
  return { name: `strongroom:${name}`, value };
}

/** Lengths of digests by algorithm; others are not those of the file. */
const ALGORITHMS = [["MD5", "md5", 32], ["SHA-1", "sha1", 40], ["SHA-256", "sha256", 64], [
  "SHA-512",
  "sha512",
  128,
]] as const;

function hashesOf({ file_hashes: hashes }: FileMetadata): { alg: string; content: string }[] {
  return ALGORITHMS.flatMap(([alg, key, length]) => {
    const content = hashes?.[key];
    return content?.length === length ? [{ alg, content }] : [];
  });
}

function licensesOf({ license_info: licenses = [] }: FileMetadata): CycloneDxBom[] {
  const byName = new Map<string, CycloneDxBom>();
  for (const { spdx_id, name, url } of licenses) {
    const id = spdx_id ?? undefined;
    const known = id === undefined ? { name: name ?? "unknown" } : { id };
    byName.set(id ?? name ?? "unknown", { license: { ...known, ...(url && { url }) } });
  }
  return [...byName.values()];
}

/** What is known of the model (SR 2.8). */
function modelCardOf({ ml_context: context }: FileMetadata): CycloneDxBom {
  const { model_type, parameter_count_estimate, layer_count_estimate } = context ?? {};
  const frameworks = Object.keys(context?.frameworks ?? {});
  const facts: Record<string, unknown> = {
    frameworks: frameworks.length > 0 ? frameworks.join(", ") : undefined,
    training_framework: context?.training_framework,
    precision: context?.precision_type,
    parameters: parameter_count_estimate,
    layers: layer_count_estimate,
  };
  const properties = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [property(name, String(value))]
  );
  return {
    modelParameters: { ...(model_type && { modelArchitecture: model_type }) },
    properties,
  };
}

const RATINGS: Readonly<Record<Severity, string>> = {
  critical: "critical",
  warning: "medium",
  info: "info",
  debug: "none",
};

function vulnerabilityOf(
  issue: MarkedIssue,
  index: number,
  paths: ReadonlySet<string>,
): CycloneDxBom {
  const rule = ruleOf(issue.rule_code);
  const { path } = locationOf(issue.location ?? "", paths);
  const detail = issue.why ?? rule?.why;
  return {
    "bom-ref": `issue:${index + 1}`,
    id: issue.rule_code ?? issue.type ?? "check",
    source: { name: "strongroom" },
    ratings: [{ severity: RATINGS[severityOf(issue)], method: "other" }],
    description: issue.message.toWellFormed(),
    ...(detail !== undefined && { detail }),
    ...(rule !== undefined && { recommendation: adviceOf(issue) }),
    ...(issue.waiver && {
      analysis: { response: ["will_not_fix"], detail: issue.waiver.reason.toWellFormed() },
    }),
    ...(paths.has(path) && { affects: [{ ref: refOf(path) }] }),
    properties: [
      property("location", (issue.location ?? "").toWellFormed()),
      ...(isObject(issue.details)
        ? [property("details", JSON.stringify(issue.details).toWellFormed())]
        : []),
      ...(issue.baseline_state ? [property("baseline_state", issue.baseline_state)] : []),
    ],
  };
}

/** A UUID of version 8, which is made from any data (RFC 9562): the same for the same report. */
function uuidOf(text: string): string {
  const hex = sha256Of(text);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
