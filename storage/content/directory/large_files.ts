import type { PackedContent } from "../../../core/blob_store.ts";
import {
  ContentReader,
  verifiedContent,
  verifyChecksum,
  withheldContent,
} from "../../../core/content.ts";
import type { ContentFacts } from "../../../core/ports.ts";
import { orMissing } from "../../disk/files.ts";
import type { WorkerPool } from "../../threads/pool.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { LargeContents } from "../packer.ts";
import { readRange } from "../read_range.ts";

/** Packs content in files, each as a stream. */
export class LargeFiles implements LargeContents {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly pathOf: (hash: string) => string;

  /** @param pathOf The path at which content is or would be stored. */
  constructor(pool: WorkerPool<ContentTasks>, pathOf: (hash: string) => string) {
    this.#pool = pool;
    this.pathOf = pathOf;
  }

  async store(file: ContentFacts): Promise<PackedContent | undefined> {
    const opened = await orMissing(Deno.open(this.pathOf(file.hash)));
    if (opened === undefined) return undefined;
    const content = readRange(opened, { start: 0, end: file.size });
    return { deflated: false, content: verifiedContent(content, file) };
  }

  async deflate(file: ContentFacts, always: boolean): Promise<PackedContent | undefined> {
    const worker = this.#pool.acquire();
    const { remote } = worker;
    let id: number | undefined;
    try {
      id = await remote.openDeflation(this.pathOf(file.hash), always);
    } finally {
      if (id === undefined) worker[Symbol.dispose]();
    }
    if (id === undefined) return undefined;
    const deflation = id;
    const chunks = new ContentReader(
      () => remote.nextDeflated(deflation),
      () => worker[Symbol.dispose](),
    );
    const verified = withheldContent(
      chunks,
      async () => verifyChecksum(file, await remote.deflatedChecksum(deflation)),
    );
    const content = new ContentReader(
      async () => (await verified.next()).value,
      async () => {
        await verified.return();
        await remote.closeDeflation(deflation);
      },
    );
    return { deflated: true, content };
  }
}
