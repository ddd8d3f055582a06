import { Buffer } from "node:buffer";
import * as Search from "multipasta/Search";
import type { Chunk } from "../core/content.ts";
import { quoted } from "../core/errors.ts";
import { yieldToEventLoop } from "../core/event_loop.ts";
import type { UploadPart } from "../core/tree/upload.ts";
import { KIB } from "../schemas/units.ts";
import { type BodyLimits, BodyReader, tooLarge, unreadable } from "./body.ts";
import { dispositionOf } from "./part_head.ts";

/** How long a body that has already arrived may keep the event loop, in milliseconds. */
const MAX_TURN_MS = 20;
/** The longest head of a part. */
const MAX_HEAD_BYTES = 16 * KIB;
const HEAD_END = "\r\n\r\n";

/**
 * The files of a multipart form (RFC 7578) as it streams in. Reads only what is asked for. Ending the
 * iteration early lets the server discard the rest of the body.
 *
 * Uses multipasta's boundary search only: its parser of parts drops names outside Latin-1, silently
 * repairs invalid UTF-8, and misses the end of a form whose last boundary arrives in two pieces.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the body is not a complete form, is larger than
 *   `maxBytes` (RS 4.2.2), or stalls.
 */
export async function* uploadParts(
  request: Request,
  limits: BodyLimits,
): AsyncGenerator<UploadPart, void> {
  const boundary = boundaryOf(request.headers.get("Content-Type"));
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > limits.maxBytes) throw tooLarge("form", limits.maxBytes);
  const body = new BodyReader(request.body, "form", limits);
  const form = new FormReader(body, boundary);
  try {
    for (let head = await form.nextPart(); head !== undefined; head = await form.nextPart()) {
      const { name, filename } = dispositionOf(head);
      if ((name !== "files" && name !== "file") || filename === undefined) continue;
      yield { field: name, filename, content: form.content() };
    }
  } finally {
    await body.cancel();
  }
}

/** A piece of the body between two boundaries. Segment 0 precedes the first boundary. */
interface Piece {
  readonly segment: number;
  readonly bytes: Chunk;
}

/** Splits a body at its boundaries and reads one part after the other. */
class FormReader {
  readonly #body: BodyReader;
  readonly #search: ReturnType<typeof Search.make>;
  readonly #pieces: Piece[] = [];
  #turnStarted = performance.now();
  #segment = 0;
  #ended = false;

  constructor(body: BodyReader, boundary: string) {
    this.#body = body;
    this.#search = Search.make(
      `\r\n--${boundary}`,
      (segment, bytes) => this.#pieces.push({ segment, bytes: bytes as Chunk }),
    );
    // A boundary begins with a line break, which the first one in a body need not have.
    this.#search.write(new Uint8Array([0x0d, 0x0a]));
  }

  /** The head of the next part, or undefined after the last one. Skips what was left unread. */
  async nextPart(): Promise<string | undefined> {
    for await (const _ of this.content()) { /* skipped */ }
    this.#segment++;
    let head: Chunk = new Uint8Array();
    while (!startsWith(head, "--")) {
      const piece = await this.#next(this.#segment);
      if (piece === undefined) throw unreadable("form", "a part has no complete head");
      head = head.length === 0 ? piece.bytes : Buffer.concat([head, piece.bytes]);
      const end = Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(HEAD_END);
      if (end > MAX_HEAD_BYTES || (end === -1 && head.length > MAX_HEAD_BYTES)) {
        throw unreadable("form", `the head of a part is longer than ${MAX_HEAD_BYTES} bytes`);
      }
      if (end === -1) continue;
      const rest = head.subarray(end + HEAD_END.length);
      if (rest.length > 0) this.#pieces.unshift({ segment: this.#segment, bytes: rest });
      return latin1(head.subarray(0, end));
    }
    // RFC 2046: what follows the last boundary is ignored.
    while (await this.#read() !== undefined) { /* skipped */ }
    return undefined;
  }

  /** The content of the part whose head was read last. */
  async *content(): AsyncGenerator<Chunk, void> {
    const segment = this.#segment;
    for (;;) {
      const piece = await this.#next(segment);
      if (piece === undefined) return;
      yield piece.bytes;
    }
  }

  /** The next piece of the segment, or undefined if the next segment has begun. */
  async #next(segment: number): Promise<Piece | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#ended) throw unreadable("form", "it ends before its last boundary");
      const chunk = await this.#read();
      if (chunk !== undefined) this.#search.write(chunk);
      // The search holds back what might be the start of a boundary.
      else this.#search.end();
      this.#ended = chunk === undefined;
    }
    return this.#pieces[0]?.segment === segment ? this.#pieces.shift() : undefined;
  }

  async #read(): Promise<Chunk | undefined> {
    // Reading what has already arrived never yields to the event loop by itself.
    if (performance.now() - this.#turnStarted > MAX_TURN_MS) {
      await yieldToEventLoop();
      this.#turnStarted = performance.now();
    }
    return await this.#body.read();
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return latin1(bytes.subarray(0, text.length)) === text;
}

const FORM_TYPE = /^\s*multipart\/form-data\s*;/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/iy;

/** The boundary that a Content-Type names, the last if there are several (RFC 2046, 5.1.1). */
function boundaryOf(contentType: string | null): string {
  const value = contentType ?? "";
  // Position of the first semicolon.
  const start = (FORM_TYPE.exec(value)?.[0].length ?? Infinity) - 1;
  let boundary: string | undefined;
  for (
    let at = value.lastIndexOf(";");
    at >= start && boundary === undefined;
    at = value.lastIndexOf(";", at - 1)
  ) {
    BOUNDARY.lastIndex = at;
    const match = BOUNDARY.exec(value);
    boundary = match?.[1] ?? match?.[2];
  }
  if (boundary === undefined) {
    throw unreadable(
      "form",
      `the Content-Type is ${quoted(value)}, not multipart/form-data with a boundary`,
    );
  }
  return boundary;
}
