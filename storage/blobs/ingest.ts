import type { Chunk } from "../../core/content.ts";
import { type ContentTasks, type Digest, Hasher } from "./content_tasks.ts";
import { writeAll } from "../disk/files.ts";
import type { Remote } from "../threads/rpc.ts";
import type { WorkerPool } from "../threads/pool.ts";
import { MIB } from "../../schemas/units.ts";

/** Pieces are gathered to this size: a write for each that the network brings is the slow way. */
const BUFFER_BYTES = MIB;
/** Content up to this size is hashed here: it takes less time than telling another thread to. */
const SMALL_BYTES = 128 * 1024;
/** How many buffers are kept for the next content. */
const SPARE_BUFFERS = 8;

/** A file that a thread writes. */
interface Receipt {
  readonly remote: Remote<ContentTasks>;
  readonly id: number;
}

/** Receives content into files, hashing it on the way; what is large is hashed in other threads. */
export class Receiver {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #spare: Chunk[] = [];

  constructor(pool: WorkerPool<ContentTasks>) {
    this.#pool = pool;
  }

  /**
   * Writes the content to a new file, durably. Whatever `content` throws is thrown on; what is left
   * of the file then is for the caller to remove.
   */
  async receive(content: AsyncIterable<Chunk>, path: string): Promise<Digest> {
    // A thread is for what is not small; it is not known yet whether this is.
    using hired = new DisposableStack();
    let receipt: Receipt | undefined;
    // One buffer is written and hashed while the next one fills.
    let behind: Promise<unknown> = Promise.resolve();
    const pass = async (buffer: Chunk): Promise<Receipt> => {
      await behind;
      if (receipt === undefined) {
        const { remote } = hired.use(this.#pool.acquire());
        receipt = { remote, id: await remote.receive(path) };
      }
      const { remote, id } = receipt;
      behind = remote.write(id, buffer).then((written) => this.#keep(written));
      // Its failure is met at the next await; that may be after it has happened.
      behind.catch(() => {});
      return receipt;
    };
    let buffer = this.#take();
    let filled = 0;
    try {
      for await (const chunk of content) {
        for (let at = 0; at < chunk.length;) {
          const piece = chunk.subarray(at, at + buffer.length - filled);
          buffer.set(piece, filled);
          filled += piece.length;
          at += piece.length;
          if (filled < buffer.length) continue;
          await pass(buffer);
          buffer = this.#take();
          filled = 0;
        }
      }
      if (receipt === undefined && filled <= SMALL_BYTES) {
        const digest = await writeSmall(path, buffer.subarray(0, filled));
        this.#keep(buffer);
        return digest;
      }
      const { remote, id } = await pass(buffer.subarray(0, filled));
      await behind;
      return await remote.finish(id);
    } catch (error) {
      await behind.catch(() => {});
      // A thread that has died has closed the file as well; what it died of is what is told.
      await receipt?.remote.abort(receipt.id).catch(() => {});
      throw error;
    }
  }

  #take(): Chunk {
    return this.#spare.pop() ?? new Uint8Array(BUFFER_BYTES);
  }

  #keep({ buffer }: Chunk): void {
    if (this.#spare.length < SPARE_BUFFERS) this.#spare.push(new Uint8Array(buffer));
  }
}

async function writeSmall(path: string, bytes: Chunk): Promise<Digest> {
  const hasher = new Hasher();
  hasher.update(bytes);
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  await writeAll(file, bytes);
  await file.syncData();
  return hasher.digest();
}
