import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../../readers/bytes/bytes.ts";

/** The start of a workspace, before that of the object in it. */
const WORKSPACE = /^RD[XAB][23]\n/;

const WORKSPACE_BYTES = 5;
/** The letter of the encoding and a line feed, and the versions: of the format, of R, and required. */
const HEADER_BYTES = 14;

/** How the numbers of a serialized object are written. */
export type REncoding = "big-endian" | "little-endian" | "text";

/** The head of a file of R: `.rds` with one object, `.rda` with a workspace. */
export interface RDataHead {
  readonly encoding: REncoding;
  /** The offset after the encoding. */
  readonly start: number;
}

/** Recognizes a file of R by its first bytes. */
export function rDataHead(source: ByteSource): RDataHead | undefined {
  const head = source.read(0, WORKSPACE_BYTES + HEADER_BYTES);
  const text = String.fromCharCode(...head);
  const before = WORKSPACE.test(text) ? WORKSPACE_BYTES : 0;
  const start = before + 2;
  switch (text.slice(before, start)) {
    case "X\n":
      return isVersion(head, start, false) ? { encoding: "big-endian", start } : undefined;
    case "B\n":
      return isVersion(head, start, true) ? { encoding: "little-endian", start } : undefined;
    case "A\n":
      return /^[23]\n\d{5,7}\n/.test(text.slice(start)) ? { encoding: "text", start } : undefined;
    default:
      return undefined;
  }
}

function isVersion(head: Uint8Array, start: number, littleEndian: boolean): boolean {
  if (head.length < start + 4) return false;
  const version = viewOf(head).getInt32(start, littleEndian);
  return version === 2 || version === 3;
}
