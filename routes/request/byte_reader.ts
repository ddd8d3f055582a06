import type { Chunk } from "../../core/content.ts";
import { KIB, MIB } from "../../schemas/units.ts";

/**
 * The runtime (2.9.6) reads into views of at least this size only: into one of 1 to 4 bytes it reads nothing
 * any more once a chunk of a chunked body has ended.
 */
export const MIN_VIEW_BYTES = KIB;
/**
 * The views that chunks are read into. The runtime (2.9.6) takes as much from a connection, at each read, as the
 * largest view so far had, and gives one chunk at most. What is left over adds up in its memory, and it moves all
 * of that at each read. So a view has a part of what the chunks have.
 */
const MAX_CHUNK_VIEW_BYTES = 8 * KIB;
const VIEWS_PER_CHUNK = 16;
/** From so many chunks on, what they have on average is known. */
const MIN_CHUNKS = 16;
/** The largest view that other bodies are read into: a read of much more keeps the event loop. */
const LARGE_VIEW_BYTES = MIB;
/** The runtime keeps up to twice a view for a connection, so a body of a few MB has a part of it in a view. */
const VIEWS_PER_BODY = 16;
/**
 * Bodies of more than this are read into larger views, and their connection is closed then:
 * chunks of a later body would add up.
 */
const MAX_SMALL_BODY_BYTES = 64 * KIB;

/** Whether a connection must not be used again after a body. */
export function isLargeBody(length: string | undefined): boolean {
  return length !== undefined && Number(length) > MAX_SMALL_BODY_BYTES;
}

/** Reads a body into memory that it is given. */
export interface ByteReader {
  /** Returns the memory of the view, in another object, and how much of the view was filled: 0 at the end. */
  read(view: Chunk): Promise<{ readonly buffer: ArrayBuffer; readonly bytes: number }>;
  cancel(): Promise<void>;
}

/**
 * Reads a body. The bodies of the server's requests are byte streams. Those that middleware makes may not be.
 *
 * @param length The header `Content-Length`, which a chunked body does not have.
 */
export function byteReader(body: ReadableStream<Chunk>, length: string | undefined): ByteReader {
  const views = length === undefined ? new ChunkViews() : new ContentViews(Number(length));
  try {
    return directReader(body.getReader({ mode: "byob" }), views);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const reader = body.getReader();
    return copyingReader({
      async read() {
        for (;;) {
          const { done, value } = await reader.read();
          if (done || value.length > 0) return value;
        }
      },
      cancel: () => reader.cancel(),
    });
  }
}

/** How large views may be. */
interface Views {
  readonly maxBytes: number;
  /** A view of so many bytes received fewer, or as many. */
  filled(viewBytes: number, bytes: number): void;
}

/** Of a body with a length, which has no chunks. */
class ContentViews implements Views {
  readonly maxBytes: number;

  constructor(length: number) {
    const part = Math.ceil(length / VIEWS_PER_BODY);
    this.maxBytes = length <= MAX_SMALL_BODY_BYTES
      ? MAX_CHUNK_VIEW_BYTES
      : Math.max(MAX_SMALL_BODY_BYTES, Math.min(LARGE_VIEW_BYTES, part));
  }

  filled(): void {}
}

/** Of a chunked body. They grow if its chunks are large. */
class ChunkViews implements Views {
  maxBytes = MIN_VIEW_BYTES;
  #bytes = 0;
  #chunks = 0;

  filled(viewBytes: number, bytes: number): void {
    this.#bytes += bytes;
    // Most such reads end with a chunk. Others make chunks look smaller than they are.
    if (bytes === viewBytes || ++this.#chunks < MIN_CHUNKS) return;
    const part = Math.floor(this.#bytes / this.#chunks / VIEWS_PER_CHUNK);
    this.maxBytes = Math.max(MIN_VIEW_BYTES, Math.min(MAX_CHUNK_VIEW_BYTES, part));
  }
}

/** Reads into the views themselves, unless they are short. */
function directReader(reader: ReadableStreamBYOBReader, views: Views): ByteReader {
  const readView = async (view: Chunk) => {
    const { value } = await reader.read(view);
    if (value === undefined) throw new TypeError("The body was canceled");
    return value;
  };
  const cancel = () => reader.cancel();
  const short = copyingReader({ read: () => readView(new Uint8Array(MIN_VIEW_BYTES)), cancel });
  return {
    async read(view) {
      if (view.length < MIN_VIEW_BYTES || short.hasLeft) return await short.read(view);
      const asked = view.subarray(0, views.maxBytes);
      const { buffer, length } = await readView(asked);
      views.filled(asked.length, length);
      return { buffer, bytes: length };
    },
    cancel,
  };
}

/** Copies chunks, of which an empty one or none is the end. */
function copyingReader(
  chunks: { read(): Promise<Chunk | undefined>; cancel(): Promise<void> },
): ByteReader & { readonly hasLeft: boolean } {
  let left: Chunk = new Uint8Array();
  return {
    get hasLeft() {
      return left.length > 0;
    },
    async read(view) {
      if (left.length === 0) left = await chunks.read() ?? left;
      const part = left.subarray(0, view.length);
      view.set(part);
      left = left.subarray(part.length);
      return { buffer: view.buffer, bytes: part.length };
    },
    cancel: () => chunks.cancel(),
  };
}
