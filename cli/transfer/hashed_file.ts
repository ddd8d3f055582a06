import { createHash } from "node:crypto";
import { KIB } from "../../schemas/units.ts";
import { readFull } from "../../storage/disk/files.ts";

/** How much is read and sent at a time: so much of a byte stream is sent several times as fast as one array. */
const CHUNK_BYTES = 256 * KIB;

/** A part of a file as a body. Dispose of it at the end, as whoever takes from its stream may stop anywhere. */
export interface FilePart extends Disposable {
  readonly body: Blob;
  /** Why reading failed, if it did. */
  readonly failure: unknown;
}

/** A stream of a known size. The runtime (2.9.6) sends bare streams without their length, in chunks. */
class SizedStream extends Blob {
  readonly #size: number;
  readonly #stream: ReadableStream<Uint8Array<ArrayBuffer>>;

  constructor(size: number, stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    super();
    this.#size = size;
    this.#stream = stream;
  }

  override get size(): number {
    return this.#size;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#stream;
  }
}

/** A file that is hashed while it is read. Each byte is hashed once, even if it is read again. */
export class HashedFile {
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #hashed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Hashes the file up to a position, unless that is done. */
  async advance(position: number): Promise<void> {
    if (position <= this.#hashed) return;
    using file = await this.#openAt(this.#hashed);
    const memory = new Uint8Array(CHUNK_BYTES);
    while (this.#hashed < position) {
      await this.#read(file, this.#hashed, memory.subarray(0, position - this.#hashed));
    }
  }

  /** The part between two positions, of which the first is hashed. */
  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    using file = await this.#openAt(start);
    const memory = new Uint8Array(end - start);
    await this.#read(file, start, memory);
    return memory;
  }

  /** Like {@link read}. The stream waits for `onBytes`, which gets the number of bytes, before it gives them. */
  async part(
    start: number,
    end: number,
    onBytes: (bytes: number) => Promise<void>,
  ): Promise<FilePart> {
    // Of its own, as an earlier stream may still read.
    const file = await this.#openAt(start);
    let position = start;
    let failure: unknown;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      type: "bytes",
      autoAllocateChunkSize: CHUNK_BYTES,
      pull: async (controller) => {
        const request = controller instanceof ReadableByteStreamController
          ? controller.byobRequest
          : null;
        if (!(request?.view instanceof Uint8Array)) throw new TypeError("A view is expected");
        const view = request.view.subarray(0, end - position);
        try {
          await this.#read(file, position, view);
        } catch (error) {
          failure = error;
          throw error;
        }
        position += view.length;
        await onBytes(view.length);
        // Throws if nobody takes from the stream any more: the request has failed, and says why.
        request.respond(view.length);
        if (position === end) controller.close();
      },
    });
    return {
      body: new SizedStream(end - start, stream),
      get failure() {
        return failure;
      },
      [Symbol.dispose]: () => file.close(),
    };
  }

  /** The SHA-256 of all that was hashed, in lower-case hex. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  async #openAt(position: number): Promise<Deno.FsFile> {
    const file = await Deno.open(this.#path);
    await file.seek(position, Deno.SeekMode.Start);
    return file;
  }

  /** Fills memory from a position, at which the file is, and hashes what is new of it. */
  async #read(
    file: Deno.FsFile,
    position: number,
    memory: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const { length } = await readFull(file, memory);
    if (length < memory.length) throw new Error("It has become shorter meanwhile");
    const isNewFrom = this.#hashed - position;
    if (isNewFrom >= length) return;
    this.#hash.update(memory.subarray(isNewFrom));
    this.#hashed = position + length;
  }
}
