import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { SmallContent } from "../../core/content_changes.ts";

/** Text as content that is kept in a row. */
export function smallContent(text: string): SmallContent {
  const bytes = new TextEncoder().encode(text);
  return {
    hash: createHash("md5").update(bytes).digest("hex"),
    size: bytes.length,
    crc32: crc32(bytes),
    sha256: new Uint8Array(createHash("sha256").update(bytes).digest()),
    bytes,
  };
}
