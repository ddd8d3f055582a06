import type { ByteRange, PackedContent } from "../../../core/blob_store.ts";
import {
  type Checksum,
  type Chunk,
  ContentReader,
  joinChunks,
  type StoredContent,
  verifiedContent,
  verifyChecksum,
  withheldContent,
} from "../../../core/content.ts";
import type { ContentFacts } from "../../../core/ports.ts";
import type { ContentTasks } from "../content_tasks.ts";
import { sampleRanges } from "../deflation.ts";
import type { LargeContents } from "../packer.ts";
import type { WorkerPool } from "../../threads/pool.ts";
import type { Remote } from "../../threads/rpc.ts";

type Open = (hash: string, range: ByteRange) => Promise<StoredContent | undefined>;

/** Packs content in objects, each as a stream: the next bytes are read when those before are compressed. */
export class LargeObjects implements LargeContents {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #open: Open;

  constructor(pool: WorkerPool<ContentTasks>, open: Open) {
    this.#pool = pool;
    this.#open = open;
  }

  pathOf(): undefined {
    return undefined;
  }

  async store(file: ContentFacts): Promise<PackedContent | undefined> {
    const content = await this.#open(file.hash, { start: 0, end: file.size });
    return content && { deflated: false, content: verifiedContent(content, file) };
  }

  async deflate(file: ContentFacts, always: boolean): Promise<PackedContent | undefined> {
    if (!always && !await this.#shrinks(file)) return undefined;
    const stored = await this.#open(file.hash, { start: 0, end: file.size });
    if (stored === undefined) return undefined;
    const worker = this.#pool.acquire();
    let checksum: Checksum | undefined;
    const id = await worker.remote.openStream();
    const close = async () => checksum ??= await worker.remote.closeStream(id);
    const chunks = deflatedChunks(stored, worker.remote, id);
    const content = withheldContent(
      new ContentReader(async () => (await chunks.next()).value, async () => {
        await stored.return();
        await close();
        worker[Symbol.dispose]();
      }),
      async () => verifyChecksum(file, await close()),
    );
    return { deflated: true, content };
  }

  /** Whether samples of the content shrink; false if it is missing. */
  async #shrinks({ hash, size }: ContentFacts): Promise<boolean> {
    const samples = await Promise.all(
      sampleRanges(size).map(async (range) => {
        const content = await this.#open(hash, range);
        return content && joinChunks(await Array.fromAsync(content));
      }),
    );
    const found = samples.filter((sample) => sample !== undefined);
    const [first] = found;
    if (first === undefined || found.length < samples.length) return false;
    using worker = this.#pool.acquire();
    return await worker.remote.samplesShrink(joinChunks(found), first.length);
  }
}

async function* deflatedChunks(
  content: AsyncIterable<Chunk>,
  remote: Remote<ContentTasks>,
  id: number,
): AsyncGenerator<Chunk, undefined> {
  for await (const chunk of content) {
    const deflated = await remote.deflateChunk(id, chunk);
    if (deflated.length > 0) yield deflated;
  }
  yield await remote.endStream(id);
}
