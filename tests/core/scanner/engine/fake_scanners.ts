import type { FileCheck, FileResult } from "../../../../core/scanner/contract/file_result.ts";
import type {
  Check,
  Content,
  ScanContext,
  Scanner,
} from "../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import { scanFile } from "../../../../core/scanner/engine/scan.ts";
import { LIMITS } from "../recording_context.ts";

export const PASSED: Check = { name: "Structure", status: "passed", message: "Structure is sound" };
export const PICKLE = "\x80\x04N.";

type Scan = (content: Content, context: ScanContext) => Generator<Check, void, void>;

/** A scanner that matches any content. */
export function scanner(
  id: string,
  scan: Scan,
  matches: Scanner["matches"] = () => true,
): Scanner {
  return { id, scan, matches };
}

/** A scanner that emits the same checks for any content. */
export function emitting(id: string, ...checks: readonly Check[]): Scanner {
  return scanner(id, function* () {
    yield* checks;
  });
}

/** A source of text in Latin-1. */
export function source(text: string): ByteSource {
  return memorySource(Uint8Array.from(text, (it) => it.charCodeAt(0)));
}

/** Scans content with the scanners given; the time is always 7.5. */
export function scan(
  content: string | ByteSource,
  scanners: readonly Scanner[],
  options: Partial<Parameters<typeof scanFile>[0]> = {},
): FileResult {
  return scanFile({
    source: typeof content === "string" ? source(content) : content,
    name: "file.dat",
    scanners,
    limits: LIMITS,
    now: () => 7.5,
    ...options,
  });
}

export function checksNamed(result: FileResult, name: string): FileCheck[] {
  return result.checks.filter((it) => it.name === name);
}

/** A scanner of nested containers: each byte but the last is a container with one member, `in`. */
export const NESTED = scanner("nested", function* (content, context) {
  const inner = content.source.read(1, content.source.size);
  if (inner.length > 0) context.scanMember("in", memorySource(inner));
  yield { ...PASSED, position: content.depth };
});
