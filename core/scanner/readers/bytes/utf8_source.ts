import { type ByteSource, memorySource, sourceSlice } from "../../contract/source.ts";
import { MIB } from "../../../../schemas/units.ts";

/** How much UTF-16 text is transcoded. */
const MAX_UTF16_BYTES = 16 * MIB;

/** A text as UTF-8, and how much of it could be decoded. */
export interface Utf8Source {
  readonly source: ByteSource;
  /** The offset of the text in the content; undefined if it was transcoded, which moves positions. */
  readonly start: number | undefined;
  /** Why the text is missing, or is only the beginning. */
  readonly incomplete?: string;
}

/**
 * The text of a content as UTF-8, without a byte order mark. UTF-16 is recognized by its mark or by the
 * zero bytes of ASCII characters and transcoded, since parsers of JSON, YAML, XML and PowerShell accept
 * it. UTF-32 is recognized, but not decoded.
 */
export function utf8Source(source: ByteSource): Utf8Source {
  const head = source.read(0, 4);
  const [a = 1, b = 1, c = 1, d = 1] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) {
    return { source: sourceSlice(source, 3, source.size), start: 3 };
  }
  const isUtf32 = (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0) ||
    (b === 0 && c === 0 && d === 0);
  if (isUtf32 && head.length === 4) {
    return { source: memorySource(new Uint8Array()), start: undefined, incomplete: "utf_32" };
  }
  if (head.length < 4 && a !== 0xff && a !== 0xfe) return { source, start: 0 };
  if ((a === 0xff && b === 0xfe) || (b === 0 && d === 0)) return fromUtf16(source, "utf-16le");
  if ((a === 0xfe && b === 0xff) || (a === 0 && c === 0)) return fromUtf16(source, "utf-16be");
  return { source, start: 0 };
}

function fromUtf16(source: ByteSource, encoding: "utf-16le" | "utf-16be"): Utf8Source {
  const text = new TextDecoder(encoding).decode(source.read(0, MAX_UTF16_BYTES));
  return {
    source: memorySource(new TextEncoder().encode(text)),
    start: undefined,
    ...source.size > MAX_UTF16_BYTES && { incomplete: "text_too_large" },
  };
}

/** Whether the first bytes of a content can be text: layout and escape are the only control characters. */
export function looksLikeText(head: Uint8Array): boolean {
  return head.every((byte) =>
    byte >= 0x20 && byte !== 0x7f || byte === 0x09 || byte === 0x0a || byte === 0x0d ||
    byte === 0x0c || byte === 0x1b
  );
}
