/** What the scanner uses of `node:buffer`: that of the runtime, or this. */

import { builtin } from "./builtin.ts";

/** Characters that one call of `fromCharCode` takes: engines limit the number of arguments. */
const PIECE = 8192;

class Bytes extends Uint8Array {
  override indexOf(needle: string | Uint8Array | number, from = 0): number {
    if (typeof needle === "number") return super.indexOf(needle, from);
    const bytes = typeof needle === "string" ? new TextEncoder().encode(needle) : needle;
    const last = this.length - bytes.length;
    for (let at = from;; at++) {
      at = super.indexOf(bytes[0] ?? 0, at);
      if (at < 0 || at > last) return -1;
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    }
  }

  /** @param _encoding The only one that the scanner uses. */
  override toString(_encoding = "latin1"): string {
    let text = "";
    for (let at = 0; at < this.length; at += PIECE) {
      text += String.fromCharCode(...this.subarray(at, at + PIECE));
    }
    return text;
  }
}

function bytesFrom(
  content: ArrayBuffer | Uint8Array | string,
  start?: number | "base64",
  length?: number,
): Bytes {
  if (typeof content === "string") return fromBase64(content);
  if (content instanceof ArrayBuffer) return new Bytes(content, Number(start ?? 0), length);
  return new Bytes(content);
}

export const Buffer = builtin("node:buffer")?.Buffer ?? { from: bytesFrom };

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SEXTETS = new Map([...ALPHABET].map((character, sextet) => [character, sextet]));
// The alphabet of addresses.
SEXTETS.set("-", 62).set("_", 63);

/** Decodes up to the padding, and ignores what is not in the alphabet. */
function fromBase64(text: string): Bytes {
  const bytes = new Bytes(Math.floor(text.length * 3 / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  for (const character of text) {
    if (character === "=") break;
    const sextet = SEXTETS.get(character);
    if (sextet === undefined) continue;
    bits = (bits << 6 | sextet) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[length++] = bits >> count;
  }
  return new Bytes(bytes.buffer, 0, length);
}
