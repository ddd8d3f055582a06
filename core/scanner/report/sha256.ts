import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * The SHA-256 of a text in UTF-8, in lower-case hexadecimal. In JavaScript: to load the runtime's own takes
 * longer than all that a command hashes here.
 */
export function sha256Of(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
