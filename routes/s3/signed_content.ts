import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import type { Chunk } from "../../core/content.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { KIB } from "../../schemas/units.ts";
import { requireSignature, sha256, UNSIGNED, type Verified } from "./signature.ts";

/** The longest line before a chunk, and the most that may come after the last one, in bytes. */
const MAX_LINE_BYTES = 8 * KIB;

/** How a body is sent. */
export interface PayloadForm {
  /** Whether it comes in chunks with a line of their own before each. */
  readonly isChunked: boolean;
  /** Whether each chunk is signed. */
  readonly isSigned: boolean;
  /** Whether headers come after the last chunk. */
  readonly hasTrailer: boolean;
  /** The SHA-256 of the whole body in hex, if the signature states it. */
  readonly sha256: string | undefined;
}

const CHUNKED = { isChunked: true, isSigned: true, hasTrailer: false, sha256: undefined };

/**
 * The form of a body, by the header `X-Amz-Content-Sha256`.
 *
 * @throws {S3Error} `InvalidArgument` when that is none that this door knows.
 */
export function payloadForm(payload: string): PayloadForm {
  switch (payload) {
    case UNSIGNED:
      return { ...CHUNKED, isChunked: false, isSigned: false };
    case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
      return CHUNKED;
    case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER":
      return { ...CHUNKED, hasTrailer: true };
    case "STREAMING-UNSIGNED-PAYLOAD-TRAILER":
      return { ...CHUNKED, isSigned: false, hasTrailer: true };
    default:
      if (/^[0-9a-f]{64}$/.test(payload)) {
        return { ...CHUNKED, isChunked: false, isSigned: false, sha256: payload };
      }
      throw new S3Error(
        "InvalidArgument",
        `Unsupported X-Amz-Content-Sha256: expected a SHA-256 in hex, ${UNSIGNED}, or a form of STREAMING-…`,
      );
  }
}

/** What reads a body in chunks. */
export interface ChunkedOptions {
  readonly form: PayloadForm;
  readonly verified: Verified;
  /** The size of the content, as the header `X-Amz-Decoded-Content-Length` states it. */
  readonly size: number;
  /** Receives the headers after the last chunk, by their names in lower case. */
  readonly onTrailer: (trailer: ReadonlyMap<string, string>) => void;
}

/**
 * The content of a body in chunks, whose signatures it verifies. Do not keep anything of the content if it
 * throws.
 *
 * @throws {S3Error} `SignatureDoesNotMatch` when a chunk or the trailer has another signature,
 *   `IncompleteBody` when the body is not what it is stated to be.
 */
export async function* chunkedContent(
  body: AsyncIterable<Chunk>,
  options: ChunkedOptions,
): AsyncGenerator<Chunk, void> {
  const decoder = new ChunkDecoder(options);
  // A byte more than there is, so that only large memory is ever full.
  let memory: Chunk = options.size < LARGE_CHUNK_BYTES
    ? new Uint8Array(options.size + 1)
    : SPARE_MEMORY.take();
  let end = 0;
  try {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length;) {
        const { used, content } = decoder.push(chunk, at, memory.length - end);
        memory.set(content, end);
        end += content.length;
        at += used;
        if (end < memory.length) continue;
        const full = memory;
        memory = SPARE_MEMORY.take();
        end = 0;
        yield full;
      }
      SPARE_MEMORY.keep(chunk);
    }
    decoder.end();
    if (end === 0) return;
    const last = memory.subarray(0, end);
    memory = new Uint8Array();
    yield last;
  } finally {
    SPARE_MEMORY.keep(memory);
  }
}

/** What of a body is read next. */
type State = "line" | "data" | "dataEnd" | "trailer";

class ChunkDecoder {
  readonly #options: ChunkedOptions;
  #state: State = "line";
  #line = "";
  /** The bytes of the chunk that are still to come. */
  #left = 0;
  #received = 0;
  #hash = createHash("sha256");
  /** What the line of the chunk states. */
  #stated = "";
  #former: string;

  constructor(options: ChunkedOptions) {
    this.#options = options;
    this.#former = options.verified.signature;
  }

  /** Reads from a position on, at most so much content. Returns how many bytes it has read. */
  push(
    bytes: Chunk,
    at: number,
    maxContent: number,
  ): { readonly used: number; readonly content: Uint8Array } {
    if (this.#state !== "data") return { used: this.#readText(bytes, at), content: EMPTY };
    const used = Math.min(this.#left, bytes.length - at, maxContent);
    const content = bytes.subarray(at, at + used);
    if (this.#options.form.isSigned) this.#hash.update(content);
    this.#left -= used;
    if (this.#left === 0) this.#state = "dataEnd";
    return { used, content };
  }

  /** @throws {S3Error} when the body has ended too early. */
  end(): void {
    const { form, size, onTrailer } = this.#options;
    if (this.#state !== "trailer") throw incomplete("it ends before its last chunk");
    if (this.#received !== size) {
      throw incomplete(
        `it has ${this.#received} bytes, and X-Amz-Decoded-Content-Length is ${size}`,
      );
    }
    const trailer = trailerOf(this.#line);
    if (!form.hasTrailer && trailer.size > 0) throw incomplete("it has an unexpected trailer");
    if (form.isSigned && form.hasTrailer) this.#verifyTrailer(trailer);
    trailer.delete("x-amz-trailer-signature");
    onTrailer(trailer);
  }

  /** Reads up to the end of a line, or all that comes after the last chunk. */
  #readText(bytes: Chunk, at: number): number {
    const found = this.#state === "trailer" ? -1 : bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found + 1;
    this.#line += Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString("latin1");
    if (this.#line.length > MAX_LINE_BYTES) throw incomplete("a line of it is too long");
    if (found >= 0) this.#endLine();
    return end - at;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = "";
    if (this.#state === "dataEnd") {
      if (line !== "\r\n") throw incomplete("a chunk does not end where it should");
      if (this.#options.form.isSigned) this.#verifyChunk();
      this.#state = "line";
      return;
    }
    const [, size, signature = ""] = LINE.exec(line) ?? [];
    const { isSigned } = this.#options.form;
    if (size === undefined || isSigned !== (signature !== "")) {
      throw incomplete("the line of a chunk is malformed");
    }
    this.#left = parseInt(size, 16);
    this.#received += this.#left;
    if (this.#received > this.#options.size) {
      throw incomplete("it has more bytes than X-Amz-Decoded-Content-Length states");
    }
    this.#stated = signature;
    this.#hash = createHash("sha256");
    this.#state = this.#left > 0 ? "data" : "trailer";
    if (this.#left === 0 && isSigned) this.#verifyChunk();
  }

  #verifyChunk(): void {
    const { signer, time, scope } = this.#options.verified;
    const text = [
      "AWS4-HMAC-SHA256-PAYLOAD",
      time,
      scope,
      this.#former,
      sha256(""),
      this.#hash.digest("hex"),
    ].join("\n");
    requireSignature(signer.sign(text), this.#stated);
    this.#former = this.#stated;
  }

  #verifyTrailer(trailer: ReadonlyMap<string, string>): void {
    const { signer, time, scope } = this.#options.verified;
    const lines = [...trailer].filter(([name]) => name !== "x-amz-trailer-signature")
      .map(([name, value]) => `${name}:${value}\n`);
    const text = ["AWS4-HMAC-SHA256-TRAILER", time, scope, this.#former, sha256(lines.join(""))]
      .join("\n");
    requireSignature(signer.sign(text), trailer.get("x-amz-trailer-signature") ?? "");
  }
}

const EMPTY = new Uint8Array();
const NEWLINE = 0x0a;
/** Sizes up to 4 GiB. */
const LINE = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?\r\n$/;

/** Headers, and an empty line, which some clients leave out. */
function trailerOf(text: string): Map<string, string> {
  const trailer = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === "") continue;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name === "" || trailer.has(name)) throw incomplete("its trailer is malformed");
    trailer.set(name, line.slice(colon + 1).trim());
  }
  return trailer;
}

function incomplete(why: string): S3Error {
  return new S3Error("IncompleteBody", `Cannot read the body: ${why}`);
}
