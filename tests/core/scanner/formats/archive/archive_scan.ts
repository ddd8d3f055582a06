import type { AssetParts, Check, Scanner } from "../../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { LIMITS, RecordingContext } from "../../recording_context.ts";

/** The results of scanning an archive. */
export interface ArchiveScan {
  readonly checks: readonly Check[];
  /** Submitted members by name, decoded as Latin-1. */
  readonly texts: ReadonlyMap<string, string>;
  /** Members that the scanner submitted for scanning. */
  readonly submitted: readonly { name: string; content: Uint8Array }[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly contents: AssetParts["contents"];
  /** Distinct failed checks as `severity rule name`. */
  readonly findings: readonly string[];
  /** Distinct reasons why content was not read completely. */
  readonly reasons: readonly string[];
}

/** Scans bytes with a scanner. Returns undefined if the scanner does not match them. */
export function scanArchive(
  scanner: Scanner,
  bytes: Uint8Array,
  { name = "model.bin", depth = 0, limits = LIMITS, content = memorySource(bytes) } = {},
): ArchiveScan | undefined {
  if (!scanner.matches({ source: content, name, depth })) return undefined;
  const context = new RecordingContext(limits);
  const checks = [...scanner.scan({ source: content, name, depth }, context)];
  const submitted = context.members.map(({ name, source }) => ({
    name,
    content: source.read(0, Math.min(source.size, 1 << 27)),
  }));
  const failed = checks.filter(({ status }) => status === "failed");
  return {
    checks,
    submitted,
    texts: new Map(
      submitted.map(({ name, content }) => [name, new TextDecoder("latin1").decode(content)]),
    ),
    facts: context.facts,
    contents: context.assets.findLast(({ contents }) => contents)?.contents,
    findings: [
      ...new Set(
        failed.map(({ severity, ruleCode, name }) => `${severity} ${ruleCode ?? "-"} ${name}`),
      ),
    ],
    reasons: [...new Set(checks.flatMap(({ incomplete }) => incomplete ?? []))],
  };
}

/**
 * Scans bytes that must match the scanner.
 *
 * @throws {Error} when they do not match.
 */
export function scanMatching(...args: Parameters<typeof scanArchive>): ArchiveScan {
  const scan = scanArchive(...args);
  if (!scan) throw new Error(`Scanner ${args[0].id} does not match the content`);
  return scan;
}

/** A pickle that calls `os.getpid`. */
export const GETPID_PICKLE = new TextEncoder().encode("cos\ngetpid\n)R.");
