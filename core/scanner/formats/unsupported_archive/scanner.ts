import { startsWithBytes } from "../../readers/bytes/bytes.ts";
import type { Content, Scanner } from "../../contract/scanner.ts";

const SIGNATURES: readonly (readonly [string, readonly number[]])[] = [
  ["RAR", [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07, 0x00]],
  ["RAR", [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07, 0x01, 0x00]],
];

/** Reports archives in formats that are not supported, so that they are never reported clean (C 16). */
export const unsupportedArchiveScanner: Scanner = {
  id: "unsupported_archive",
  matches: (content) => formatOf(content) !== undefined,
  *scan(content, context) {
    const format = formatOf(content) ?? "unknown";
    context.addMetadata({ archive_format: format });
    yield {
      name: "Archive Format",
      status: "failed",
      severity: "info",
      message: `${format} archives are not supported`,
      details: { format },
      incomplete: "unsupported_archive",
      position: 0,
    };
  },
};

function formatOf({ source }: Content): string | undefined {
  const head = source.read(0, 8);
  return SIGNATURES.find(([, signature]) => startsWithBytes(head, signature))?.[0];
}
