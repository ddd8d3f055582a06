import { Buffer } from "node:buffer";
import { decodeExtended, parse } from "content-disposition";
import * as Search from "multipasta/Search";
import type { Chunk } from "../core/content.ts";
import { AppError, quoted } from "../core/errors.ts";
import type { UploadPart } from "../core/tree/upload.ts";
import { yieldToEventLoop } from "../core/event_loop.ts";
import { SEND_STALL_MS } from "./stall.ts";

/** After so long, in milliseconds, others get a turn. */
const MAX_TURN_MS = 20;
/** The longest head of a part, in bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = "\r\n\r\n";

export interface FormLimits {
  /** The largest body, in bytes. */
  readonly maxBytes: number;
  /** How long the body may bring nothing, in milliseconds. @default 120000 */
  readonly stallMs?: number;
}

/**
 * The files of a multipart form (RFC 7578) as it streams in, with back-pressure: nothing is read
 * before it is asked for. Ending the iteration early lets the server discard the rest of the body.
 *
 * Of multipasta this takes the search for boundaries. Its own parser of parts drops names outside
 * of Latin-1, repairs invalid UTF-8 in silence, and misses the end of a form whose last boundary
 * arrives in two pieces.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where the body is no complete form, larger than
 *   `maxBytes` (RS 4.2.2), or does not go on.
 */
export async function* uploadParts(
  request: Request,
  limits: FormLimits,
): AsyncGenerator<UploadPart, void> {
  const boundary = boundaryOf(request.headers.get("Content-Type"));
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const form = new FormReader(request.body, boundary, limits);
  try {
    for (let head = await form.nextPart(); head !== undefined; head = await form.nextPart()) {
      const { name, filename } = dispositionOf(head);
      if ((name !== "files" && name !== "file") || filename === undefined) continue;
      yield { field: name, filename, content: form.content() };
    }
  } finally {
    await form.cancel();
  }
}

/** A piece of the body between two boundaries; the segment 0 is what comes before the first one. */
interface Piece {
  readonly segment: number;
  readonly bytes: Chunk;
}

/** Splits a body at its boundaries and reads the parts one after the other. */
class FormReader {
  readonly #reader: ReadableStreamDefaultReader<Chunk> | undefined;
  readonly #search: ReturnType<typeof Search.make>;
  readonly #maxBytes: number;
  readonly #stallMs: number;
  readonly #pieces: Piece[] = [];
  #turn = performance.now();
  #received = 0;
  #segment = 0;
  #ended = false;

  constructor(body: ReadableStream<Chunk> | null, boundary: string, limits: FormLimits) {
    this.#reader = body?.getReader();
    this.#maxBytes = limits.maxBytes;
    this.#stallMs = limits.stallMs ?? SEND_STALL_MS;
    this.#search = Search.make(
      `\r\n--${boundary}`,
      (segment, bytes) => this.#pieces.push({ segment, bytes: bytes as Chunk }),
    );
    // A boundary has a line of its own, which the very first one gets here.
    this.#search.write(new Uint8Array([0x0d, 0x0a]));
  }

  /** The head of the next part, or undefined behind the last one. Skips what was left unread. */
  async nextPart(): Promise<string | undefined> {
    for await (const _ of this.content()) { /* skipped */ }
    this.#segment++;
    let head: Chunk = new Uint8Array();
    while (!startsWith(head, "--")) {
      const piece = await this.#next(this.#segment);
      if (piece === undefined) throw malformed("a part has no complete head");
      head = head.length === 0 ? piece.bytes : Buffer.concat([head, piece.bytes]);
      const end = Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(HEAD_END);
      if (end > MAX_HEAD_BYTES || (end === -1 && head.length > MAX_HEAD_BYTES)) {
        throw malformed(`the head of a part is longer than ${MAX_HEAD_BYTES} bytes`);
      }
      if (end === -1) continue;
      const rest = head.subarray(end + HEAD_END.length);
      if (rest.length > 0) this.#pieces.unshift({ segment: this.#segment, bytes: rest });
      return latin1(head.subarray(0, end));
    }
    // What follows the last boundary means nothing.
    while (await this.#read() !== undefined) { /* skipped */ }
    return undefined;
  }

  /** The content of the part whose head came last. */
  async *content(): AsyncGenerator<Chunk, void> {
    const segment = this.#segment;
    for (;;) {
      const piece = await this.#next(segment);
      if (piece === undefined) return;
      yield piece.bytes;
    }
  }

  /** Gives up the rest of the body; the server then discards it and the client sees the reply. */
  async cancel(): Promise<void> {
    await this.#reader?.cancel().catch(() => {
      // The client is gone, which is as good.
    });
  }

  /** The next piece of the segment, or undefined where the following one has begun. */
  async #next(segment: number): Promise<Piece | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#ended) throw malformed("it ends before its last boundary");
      const chunk = await this.#read();
      if (chunk !== undefined) this.#search.write(chunk);
      // The search keeps back what might be the start of a boundary.
      else this.#search.end();
      this.#ended = chunk === undefined;
    }
    return this.#pieces[0]?.segment === segment ? this.#pieces.shift() : undefined;
  }

  async #read(): Promise<Chunk | undefined> {
    // What has arrived already comes without a turn of the event loop, however much of it there is.
    if (performance.now() - this.#turn > MAX_TURN_MS) {
      await yieldToEventLoop();
      this.#turn = performance.now();
    }
    let stalled = false;
    const timer = setTimeout(() => {
      stalled = true;
      this.cancel();
    }, this.#stallMs);
    try {
      const result = await this.#reader?.read();
      if (stalled) throw malformed(`nothing of it came for ${this.#stallMs / 1000} s`);
      if (result === undefined || result.done) return undefined;
      this.#received += result.value.length;
      if (this.#received > this.#maxBytes) throw tooLarge(this.#maxBytes);
      return result.value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw malformed("its transfer was broken off", error);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Disposition {
  readonly name: string | undefined;
  readonly filename: string | undefined;
}

/** A header value whose parameters are all well-formed: a quoted one ends at the next quote (RFC 7578). */
const WELL_FORMED = /^[^;"]*(?:;[ \t]*[^\s=;"]+[ \t]*=[ \t]*(?:"[^"]*"|[^\s;"]*)[ \t]*)*;?[ \t]*$/;
/** Stands for a file name that is there and can't be read: no name may hold it (C 4). */
const UNREADABLE_NAME = '"';

/** What a part says of itself, from its head: the rest of the boundary's line, then the headers. */
function dispositionOf(head: string): Disposition {
  const [line, ...headers] = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  if (line?.trim() !== "") throw malformed("a boundary does not end its line");
  for (const header of headers) {
    const [, value] = /^content-disposition[ \t]*:(.*)$/is.exec(header) ?? [];
    if (value === undefined) continue;
    const { type, parameters } = parse(value, { multipart: true, extended: false });
    if (type !== "form-data") throw malformed(`a part is of the kind ${quoted(type)}`);
    return { name: utf8(parameters.name), filename: fileNameOf(value, parameters) };
  }
  throw malformed("a part has no Content-Disposition");
}

/** The file name as it was sent; undefined where the part is no file. */
function fileNameOf(
  value: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // The parser takes what comes before the flaw, which is another name or none.
  if (!WELL_FORMED.test(value)) return /filename/i.test(value) ? UNREADABLE_NAME : undefined;
  const plain = utf8(parameters.filename);
  // Not allowed in forms by RFC 7578, part 4.2, but the only name that some clients send.
  const extended = parameters["filename*"];
  if (extended === undefined) return plain;
  return decodeExtended(extended) ?? plain ?? UNREADABLE_NAME;
}

/**
 * The text whose UTF-8 bytes were read as Latin-1. Where they are no UTF-8 it ends in an unpaired
 * surrogate, which no name may hold (C 4).
 */
function utf8(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const intact = Buffer.compare(Buffer.from(decoded), bytes) === 0;
  return intact ? decoded : `${decoded}\ud800`;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return latin1(bytes.subarray(0, text.length)) === text;
}

/** RFC 2046, part 5.1.1. */
function boundaryOf(contentType: string | null): string {
  const match =
    /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i
      .exec(contentType ?? "");
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    throw malformed(
      `the Content-Type is ${quoted(contentType ?? "")}, not multipart/form-data with a boundary`,
    );
  }
  return boundary;
}

function malformed(why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the form: ${why}`, { cause });
}

function tooLarge(maxBytes: number): AppError {
  return malformed(`it is larger than ${maxBytes} bytes`);
}
