import type { AssetParts, Check, Scanner } from "../../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { LIMITS, RecordingContext } from "../../recording_context.ts";

/** Everything that a scan of an archive told. */
export interface ArchiveScan {
  readonly checks: readonly Check[];
  /** Content that was offered to be scanned, by its name, each byte a character. */
  readonly texts: ReadonlyMap<string, string>;
  readonly offers: readonly { name: string; content: Uint8Array }[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly contents: AssetParts["contents"];
  /** Failed checks as `severity rule name`, each once. */
  readonly findings: readonly string[];
  /** The reasons why the content could not be read to its end. */
  readonly reasons: readonly string[];
}

/** Lets a scanner scan bytes, if it claims them. */
export function scanArchive(
  scanner: Scanner,
  bytes: Uint8Array,
  { name = "model.bin", depth = 0, limits = LIMITS, content = memorySource(bytes) } = {},
): ArchiveScan | undefined {
  if (!scanner.matches({ source: content, name, depth })) return undefined;
  const context = new RecordingContext(limits);
  const checks = [...scanner.scan({ source: content, name, depth }, context)];
  const offers = context.members.map(({ name, source }) => ({
    name,
    content: source.read(0, Math.min(source.size, 1 << 27)),
  }));
  const failed = checks.filter(({ status }) => status === "failed");
  return {
    checks,
    offers,
    texts: new Map(
      offers.map(({ name, content }) => [name, new TextDecoder("latin1").decode(content)]),
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

/** As `scanArchive`, of bytes that the scanner is to claim. */
export function scanned(...of: Parameters<typeof scanArchive>): ArchiveScan {
  const scan = scanArchive(...of);
  if (!scan) throw new Error(`The scanner ${of[0].id} does not claim the content`);
  return scan;
}

/** A pickle that calls os.getpid. */
export const PAYLOAD = new TextEncoder().encode("cos\ngetpid\n)R.");
