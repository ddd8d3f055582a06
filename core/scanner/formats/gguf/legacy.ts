import { decodeLatin1, viewOf } from "../../readers/bytes/bytes.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";

const CHECK = "GGML Header";

/** Magics of the formats before GGUF, as they are named; files have them in either byte order. */
const MAGICS: ReadonlySet<string> = new Set(["ggml", "ggmf", "ggjt", "ggla", "ggsa", "ggsn"]);

/** Bytes of the smallest file. */
const SMALLEST = 32;
/** The highest version that is believable; they are at most 3. */
const VERSION = 10_000;

/** The legacy format of a file, by its first four bytes. */
export function legacyFormat(source: ByteSource): string | undefined {
  const letters = decodeLatin1(source.read(0, 4)).toLowerCase();
  const names = [letters, [...letters].reverse().join("")];
  return names.find((name) => MAGICS.has(name));
}

/** Whether a binary number follows the magic, and no text that begins with the same letters. */
export function hasBinaryHead(source: ByteSource): boolean {
  return source.read(4, 4).includes(0);
}

/** Checks the header of a file of a legacy format, whose tensors are not read. */
export function checkLegacy(format: string, source: ByteSource, checks: Checklist): void {
  checks.begin(CHECK, "The header is of a known format");
  const head = source.read(0, 8);
  if (source.size < SMALLEST || head.length < 8) {
    const message = `A file of ${source.size} bytes is too short`;
    return checks.add(CHECK, { message, severity: "info", incomplete: "truncated" });
  }
  const version = viewOf(head).getUint32(4, true);
  if (format !== "ggml" && version > VERSION) {
    const message = `The version ${version} is unknown`;
    checks.add(CHECK, { message, severity: "warning", ruleCode: "S902" });
  }
  checks.add("GGML Tensors", {
    message: `The tensors of the format ${format} are not read`,
    severity: "info",
    incomplete: "legacy_ggml",
  });
}
