import * as v from "valibot";
import {
  type FileResult,
  isRuleCode,
  MAX_LIST_CHARS,
  type RuleCode,
  type TensorList,
} from "../../core/scanner/mod.ts";
import { MAX_FACT_LENGTH } from "../../schemas/fact_limits.ts";
import { Facts } from "../../schemas/facts.ts";
import { isObject, type JsonObject } from "../../schemas/json.ts";
import { listOf } from "../../schemas/report/containers.ts";
import { CheckStatus, FileMetadata, Severity } from "../../schemas/report/report.ts";
import { count, finite, hex, text } from "../../schemas/report/values.ts";
import { MIB } from "../../schemas/units.ts";
import type { FrameLimits } from "./frames.ts";
import { MAX_PROBLEM_CHARS } from "./requests.ts";

/** The largest messages that a scanner process may send. */
export const REPLY_LIMITS: FrameLimits = { maxHeaderBytes: 32 * MIB, maxBodyBytes: 0 };

/** Nested deeper than what the engine lets through. */
const MAX_DEPTH = 32;

const problem = v.pipe(text, v.maxLength(MAX_PROBLEM_CHARS));

/** An object that came as JSON. */
const jsonObject = v.custom<JsonObject>((value) =>
  isObject(value) && isWithinDepth(value, MAX_DEPTH)
);

const metadata = v.pipe(
  jsonObject,
  v.check((value) => v.is(FileMetadata, value), "metadata of a file"),
);

const Check = v.object({
  scanner: text,
  name: text,
  status: CheckStatus,
  message: text,
  severity: v.optional(Severity),
  location: text,
  details: v.optional(jsonObject),
  why: v.optional(text),
  ruleCode: v.optional(v.custom<RuleCode>(isRuleCode)),
  incomplete: v.optional(text),
  timestamp: finite,
});

/** The result of a scan, as JSON leaves it. */
const Result = v.object({
  size: count,
  hashes: v.object({
    md5: v.optional(hex(32)),
    sha1: v.optional(hex(40)),
    sha256: hex(64),
    sha256_prefix: hex(64),
    sha512: v.optional(hex(128)),
  }),
  scanners: listOf(text),
  checks: listOf(Check),
  asset: v.object({
    type: text,
    tensors: v.optional(listOf(text)),
    keys: v.optional(listOf(text)),
    contents: v.optional(listOf(jsonObject)),
  }),
  metadata,
  facts: v.optional(Facts),
  inconclusive: listOf(text),
  operationalError: v.optional(text),
  timestamp: finite,
});

/** A list of tensors. Whoever reads its lines checks them. */
const List = v.object({
  format: v.pipe(v.string(), v.maxLength(MAX_FACT_LENGTH)),
  sha256: hex(64),
  lines: v.pipe(v.string(), v.maxLength(MAX_LIST_CHARS)),
  problem: v.optional(problem),
});

const Reply = v.variant("kind", [
  v.object({ kind: v.literal("progress"), bytes: count }),
  v.object({ kind: v.literal("scanned"), scan: Result, residentBytes: count }),
  v.object({ kind: v.literal("listed"), list: List, residentBytes: count }),
  v.object({ kind: v.literal("unreadable"), problem }),
  v.object({ kind: v.literal("late") }),
  v.object({ kind: v.literal("failed"), problem }),
]);

/** A message of a scanner process. */
export type ScannerReply =
  | Exclude<v.InferOutput<typeof Reply>, { kind: "scanned" | "listed" }>
  | { readonly kind: "listed"; readonly list: TensorList; readonly residentBytes: number }
  | { readonly kind: "scanned"; readonly scan: FileResult; readonly residentBytes: number };

/**
 * Checks a message of a scanner process, which hostile content may have taken over.
 *
 * @throws {Error} when it is not one that a scanner sends.
 */
export function parseReply(header: unknown): ScannerReply {
  return v.parse(Reply, header, { abortEarly: true });
}

/** Whether a parsed JSON value has at most this many levels. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((it) => isWithinDepth(it, levels - 1));
}
