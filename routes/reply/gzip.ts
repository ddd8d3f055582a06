/**
 * Compressed replies. Only those that have no secret: the length of one that has could tell it to somebody who
 * makes a part of the reply, and sees its length again and again (BREACH).
 */

import { constants, crc32, deflateRawSync } from "node:zlib";
import type { Context } from "hono";
import { type Chunk, joinChunks } from "../../core/content.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** A smaller reply takes one packet in any case. */
const MIN_BYTES = 1400;
/** What a reply says whose encoding depends on the request. */
const VARY = { Vary: "Accept-Encoding" };
const GZIPPED = { ...VARY, "Content-Encoding": "gzip" };
/** The beginning of a file of gzip without a name, a time or a system (RFC 1952, 2.3). */
const BEGIN: Chunk = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** A body in the encoding of its reply, with the headers that say so. */
export interface Encoded<Body> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a client decompresses (RFC 9110, 12.5.3). */
export function takesGzip(c: Context<AppEnvironment>): boolean {
  const codings = (c.req.header("Accept-Encoding") ?? "").toLowerCase().split(",");
  return codings.some((coding) => {
    const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
    return name === "gzip" && !parameters.some((it) => /^q=0(?:\.0{0,3})?$/.test(it));
  });
}

/** A whole body, compressed if that pays. */
export function encoded(c: Context<AppEnvironment>, body: Chunk): Encoded<Chunk> {
  if (body.length < MIN_BYTES || !takesGzip(c)) return { body, headers: VARY };
  const parts = new Compression();
  return { body: joinChunks([BEGIN, parts.add(body), parts.end()]), headers: GZIPPED };
}

/** A body in chunks, each of which arrives as soon as it is there. It is compressed if the client takes that. */
export function encodedChunks(
  c: Context<AppEnvironment>,
  chunks: AsyncGenerator<Chunk>,
): Encoded<AsyncGenerator<Chunk>> {
  return takesGzip(c)
    ? { body: gzipped(chunks), headers: GZIPPED }
    : { body: chunks, headers: VARY };
}

async function* gzipped(chunks: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  const parts = new Compression();
  let begin = BEGIN;
  for await (const chunk of chunks) {
    yield joinChunks([begin, parts.add(chunk)]);
    begin = new Uint8Array();
  }
  yield joinChunks([begin, parts.end()]);
}

/**
 * The content of a file of gzip, after its beginning. Blocks of deflate that end at a byte stand by themselves,
 * so nothing waits for what comes next, and nothing is open in between.
 */
class Compression {
  #crc = 0;
  #length = 0;

  /** The blocks of the next bytes. Fast, as lists are compressed each time. */
  add(bytes: Chunk): Chunk {
    this.#crc = crc32(bytes, this.#crc);
    this.#length += bytes.length;
    const blocks = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
    return new Uint8Array(blocks);
  }

  /** An empty last block, and what the content is verified by: its CRC-32, and its length modulo 2^32. */
  end(): Chunk {
    const end = new Uint8Array(10);
    end[0] = 3;
    const view = new DataView(end.buffer);
    view.setUint32(2, this.#crc, true);
    view.setUint32(6, this.#length >>> 0, true);
    return end;
  }
}
