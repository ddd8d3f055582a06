import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import type { Content } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

/** Magics of the formats that preceded GGUF, in either byte order. */
const LEGACY_MAGICS: ReadonlySet<string> = new Set([
  "ggml",
  "ggmf",
  "ggjt",
  "ggla",
  "ggsa",
  "ggsn",
]);

/** Whether content is GGUF or a legacy GGML format, by its name or its first bytes. */
export function isGguf({ name, source }: Content): boolean {
  return /\.gguf$/i.test(name) ||
    (hasGgufMagic(source) || legacyFormat(source) !== undefined) && hasBinaryVersion(source);
}

/** Whether content begins with the magic of GGUF. */
export function hasGgufMagic(source: ByteSource): boolean {
  return decodeLatin1(source.read(0, 4)) === "GGUF";
}

/** The name of the legacy GGML format, by its magic; undefined if the content is in none of them. */
export function legacyFormat(source: ByteSource): string | undefined {
  const letters = decodeLatin1(source.read(0, 4)).toLowerCase();
  const names = [letters, [...letters].reverse().join("")];
  return names.find((name) => LEGACY_MAGICS.has(name));
}

/** Whether a binary number follows the magic. Rejects text that starts with the same letters. */
function hasBinaryVersion(source: ByteSource): boolean {
  return source.read(4, 4).includes(0);
}
