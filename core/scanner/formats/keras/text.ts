import { viewOf } from "../../readers/bytes/bytes.ts";

/**
 * Decodes JSON in the encoding that Python's `json.loads` detects: UTF-8, or UTF-16 or UTF-32 by a byte
 * order mark or the position of zeros. Invalid bytes are replaced.
 */
export function decodeJson(bytes: Uint8Array): string {
  const { encoding, mark } = encodingOf(bytes);
  const content = bytes.subarray(mark);
  if (encoding === "utf-32le" || encoding === "utf-32be") {
    return decodeUtf32(content, encoding === "utf-32le");
  }
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(content);
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

function encodingOf([a, b, c, d]: Uint8Array): { encoding: Encoding; mark: number } {
  if (a === 0xff && b === 0xfe) {
    return c === 0 && d === 0
      ? { encoding: "utf-32le", mark: 4 }
      : { encoding: "utf-16le", mark: 2 };
  }
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", mark: 2 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: "utf-32be", mark: 4 };
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", mark: 3 };
  if (a === 0) return { encoding: b === 0 ? "utf-32be" : "utf-16be", mark: 0 };
  if (b === 0) return { encoding: c === 0 && d === 0 ? "utf-32le" : "utf-16le", mark: 0 };
  return { encoding: "utf-8", mark: 0 };
}

const CHUNK_CHARACTERS = 4096;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = viewOf(bytes);
  const parts: string[] = [];
  let points: number[] = [];
  for (let offset = 0; offset + 4 <= bytes.length; offset += 4) {
    const point = view.getUint32(offset, littleEndian);
    points.push(point > 0x10ffff ? 0xfffd : point);
    if (points.length < CHUNK_CHARACTERS) continue;
    parts.push(String.fromCodePoint(...points));
    points = [];
  }
  return parts.join("") + String.fromCodePoint(...points);
}

/** JSON text without the escapes that can hide a word or a URL. */
export function withoutEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\u([0-9a-f]{4})|\\\//gi,
    (_, hex?: string) => hex === undefined ? "/" : String.fromCharCode(parseInt(hex, 16)),
  );
}
