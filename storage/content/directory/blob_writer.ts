import type { Chunk } from "../../../core/content.ts";
import { writeSynced } from "../../disk/files.ts";
import type { WorkerPool } from "../../threads/pool.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { Digest } from "../hasher.ts";
import { FileSink, type SinkFile } from "./file_sink.ts";
import { receive, type ReceivedContent } from "../upload.ts";

/** Receives content and hashes it. Worker threads write large content to new files on the way. */
export class BlobWriter {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #requireSpace: () => void | Promise<void>;

  /** @param requireSpace Awaited before each write to a file. Fails to refuse it. */
  constructor(pool: WorkerPool<ContentTasks>, requireSpace: () => void | Promise<void>) {
    this.#pool = pool;
    this.#requireSpace = requireSpace;
  }

  /**
   * Writes the content to a new file and syncs it. On failure the caller removes the file.
   *
   * @throws the error of `content` or `requireSpace`, unchanged.
   */
  async write(path: string, content: AsyncIterable<Chunk>): Promise<Digest> {
    const { digest, bytes } = await this.receive({ path }, content);
    if (bytes === undefined) return digest;
    await writeSynced(path, bytes);
    return digest;
  }

  /**
   * Returns small content. Writes larger content to a new file and syncs it; on failure the caller
   * removes the file.
   *
   * @throws the error of `content` or `requireSpace`, unchanged.
   */
  async receive(file: SinkFile, content: AsyncIterable<Chunk>): Promise<ReceivedContent> {
    const open = () => FileSink.open(this.#pool, file);
    return await receive(content, { open, requireSpace: this.#requireSpace });
  }
}
