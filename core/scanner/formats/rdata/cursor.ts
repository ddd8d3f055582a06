import type { ByteSource } from "../../contract/source.ts";
import { readAhead } from "../../readers/bytes/read_ahead.ts";
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

/** Reads the numbers of a serialized object. Its methods throw a RangeError at the end of the data. */
export class RDataCursor {
  readonly #source: ByteSource;
  readonly #littleEndian: boolean;
  at: number;

  constructor(source: ByteSource, { encoding, start }: RDataHead) {
    this.#source = readAhead(source);
    this.#littleEndian = encoding === "little-endian";
    this.at = start;
  }

  /** Skips to the first item: over the versions and the name of the encoding of texts. */
  skipHeader(): void {
    const version = this.integer();
    this.skip(8);
    if (version === 3) this.skip(this.integer());
  }

  integer(): number {
    const bytes = this.#source.read(this.at, 4);
    if (bytes.length < 4) throw new RangeError(`The data ends at ${this.at}`);
    this.at += 4;
    return viewOf(bytes).getInt32(0, this.#littleEndian);
  }

  /** A number of elements: from 2^31 on, -1 and two halves. */
  length(): number {
    const length = this.integer();
    const whole = length === -1 ? this.integer() * 2 ** 32 + (this.integer() >>> 0) : length;
    if (whole < 0) throw new RangeError(`A length of ${whole} before ${this.at}`);
    return whole;
  }

  skip(bytes: number): void {
    if (bytes < 0 || this.at + bytes > this.#source.size) {
      throw new RangeError(`The data ends before ${this.at + bytes}`);
    }
    this.at += bytes;
  }
}
