import type { Hash } from "node:crypto";
import { dirname, join } from "node:path/posix";
import { nameOf, parentOf } from "../../core/paths.ts";
import { orMissing, removeFile, writeAll } from "../../storage/disk/files.ts";
import type { ListedFile } from "../../storage/disk/file_comparison.ts";
import { Connection } from "../remote/connection.ts";
import { contentOf } from "../remote/reply.ts";
import { RemoteError } from "../remote/remote_error.ts";
import { retried } from "../remote/retry.ts";
import { concurrently } from "./concurrently.ts";
import { hashOf } from "./local_content.ts";
import type { LocalTarget } from "./local_target.ts";
import { FileMeter, type Meter } from "./meter.ts";
import { isFatal, type Outcome } from "./outcome.ts";
import { partialName } from "./partial_file.ts";
import { statRemote } from "./remote_list.ts";
import type { Throttle } from "../../core/throttle.ts";

/** How many files are received at once: half of what the server serves of a user. */
const DOWNLOADS_AT_ONCE = 8;

/** How files get from the server. */
export interface DownloadOptions {
  readonly connection: Connection;
  readonly target: LocalTarget;
  /** Where a file is on the server. */
  readonly locate: (path: string) => string;
  readonly outcome: Outcome;
  readonly meter: Meter;
  readonly throttle: Throttle;
}

/**
 * Receives files, several at once. One that fails holds no other up.
 *
 * @param replaces Whether other content is at their paths, which they replace.
 * @throws {unknown} when no other file would fare better.
 */
export async function download(
  files: Iterable<ListedFile>,
  replaces: boolean,
  options: DownloadOptions,
): Promise<void> {
  await concurrently(files, DOWNLOADS_AT_ONCE, async (file) => {
    const { outcome, meter } = options;
    const counted = new FileMeter(meter);
    try {
      const bytes = await receiveFile(file, replaces, counted, options);
      outcome.countTransferred(1, bytes);
      meter.finish();
    } catch (error) {
      if (isFatal(error)) throw error;
      counted.restart();
      outcome.fail(file.path, error);
    }
  });
  await options.target.sync();
}

/** Receives a file next to its place, and gives it its name when it is whole. Returns its size. */
async function receiveFile(
  file: ListedFile,
  replaces: boolean,
  counted: FileMeter,
  options: DownloadOptions,
): Promise<number> {
  const { target } = options;
  await target.makeDirectory(parentOf(file.path));
  const place = target.pathOf(file.path);
  if (!replaces && await orMissing(Deno.lstat(place)) !== undefined) {
    throw new Error("It has come into being meanwhile");
  }
  const partial = join(dirname(place), partialName(nameOf(file.path), file.sha256 ?? ""));
  const bytes = await receiveInto(partial, file, counted, options);
  await target.rename(partial, place);
  return bytes;
}

async function receiveInto(
  partial: string,
  file: ListedFile,
  counted: FileMeter,
  options: DownloadOptions,
): Promise<number> {
  using output = await Deno.open(partial, { read: true, write: true, create: true });
  const received = await Received.of(output, (bytes) => counted.add(bytes));
  const path = options.locate(file.path);
  const etag = received.bytes === 0 ? undefined : await etagOf(path, file, options);
  if (etag === undefined) await received.restart(counted);
  const source = { path, etag, file };
  await retried(() => receiveRest(received, source, counted, options), {
    isRepeatable: true,
    position: () => received.bytes,
  });
  await received.written();
  if (file.sha256 !== undefined && received.hash.digest("hex") !== file.sha256) {
    await removeFile(partial);
    throw new Error(
      "It arrived with other content than the server listed: it has changed meanwhile",
    );
  }
  await output.syncData();
  return received.bytes;
}

/** What has arrived of a file. */
class Received {
  /** The chunk that is being written while the next one arrives. */
  #writing = Promise.resolve();

  private constructor(readonly output: Deno.FsFile, public hash: Hash, public bytes: number) {}

  static async of(output: Deno.FsFile, onBytes: (bytes: number) => void): Promise<Received> {
    const { size } = await output.stat();
    return new Received(output, await hashOf(output, onBytes), size);
  }

  /** Begins to write a chunk, when the one before is written. Its memory stays until {@link written}. */
  async add(chunk: Uint8Array): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.output, chunk);
    this.#writing.catch(() => {});
    this.hash.update(chunk);
    this.bytes += chunk.length;
  }

  /** Resolves when all chunks are written. */
  written(): Promise<void> {
    return this.#writing;
  }

  /** Forgets what has arrived. */
  async restart(counted: FileMeter): Promise<void> {
    if (this.bytes === 0) return;
    await this.#writing;
    await this.output.truncate(0);
    this.hash = await hashOf(this.output);
    this.bytes = 0;
    counted.restart();
  }
}

/** The ETag of a file if it still has the content that was listed. */
async function etagOf(
  path: string,
  { sha256 }: ListedFile,
  { connection }: DownloadOptions,
): Promise<string | undefined> {
  const found = await statRemote(connection, path);
  return found?.etag !== null && found?.sha256 === sha256 ? found?.etag : undefined;
}

interface Source {
  readonly path: string;
  /** Of the content that has begun to arrive. */
  etag: string | undefined;
  readonly file: ListedFile;
}

/** Receives what is missing. If the server does not send it from there, all is received again. */
async function receiveRest(
  received: Received,
  source: Source,
  counted: FileMeter,
  { connection, throttle }: DownloadOptions,
): Promise<void> {
  if (received.bytes > 0 && received.bytes === source.file.size) return;
  const response = await connection.request("GET", Connection.filePath(source.path), {
    retry: "never",
    headers: source.etag === undefined || received.bytes === 0
      ? {}
      : { "Range": `bytes=${received.bytes}-`, "If-Range": source.etag },
  });
  const start = /^bytes (\d{1,16})-/.exec(response.headers.get("Content-Range") ?? "")?.[1];
  if (response.status !== 206) await received.restart(counted);
  else if (Number(start) !== received.bytes) {
    throw new RemoteError(206, "ErrUnknown", "The server sent another range than requested");
  }
  source.etag = response.headers.get("ETag") ?? undefined;
  for await (const chunk of contentOf(response)) {
    await received.add(chunk);
    counted.add(chunk.length);
    await throttle.take(chunk.length);
  }
}
