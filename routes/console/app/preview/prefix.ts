import { request } from "../shared/api.ts";

/** The most that the console reads of a file to show what its header says: 32 MiB. */
export const MAX_PREFIX_BYTES = 32 * 2 ** 20;

/** A file whose content is read. */
export interface ReadFile {
  readonly path: string;
  readonly size: number;
  /** Of the content, so that all that is read belongs to the same one. */
  readonly etag: string;
}

/** The beginning of a file, read by ranges as far as it is needed. */
export class FilePrefix {
  readonly file: ReadFile;
  readonly #signal: AbortSignal;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(file: ReadFile, signal: AbortSignal) {
    this.file = file;
    this.#signal = signal;
  }

  /**
   * The first bytes of the file: all of them if it is shorter, {@link MAX_PREFIX_BYTES} at most.
   *
   * @throws {ApiError} when the server refuses, such as by its gate, or the content has changed.
   */
  async upTo(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const wanted = Math.min(length, this.file.size, MAX_PREFIX_BYTES);
    const start = this.#bytes.length;
    if (start >= wanted) return this.#bytes;
    const more = await readRange(this.file, { start, end: wanted }, this.#signal);
    const bytes = new Uint8Array(start + more.length);
    bytes.set(this.#bytes);
    bytes.set(more, start);
    return this.#bytes = bytes;
  }
}

/**
 * The bytes of a file from `start` to before `end`, at least one.
 *
 * @throws {ApiError} when the server refuses, such as by its gate, or the content has changed.
 */
export async function readRange(
  { path, etag }: ReadFile,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const address = path.split("/").map(encodeURIComponent).join("/");
  const response = await request("GET", `/files/${address}`, {
    headers: { Range: `bytes=${start}-${end - 1}`, "If-Match": etag },
    signal,
  });
  // A proxy may ignore the range; all of a large file must not end in memory.
  if (response.status !== 206) {
    await response.body?.cancel();
    throw new Error("A proxy in front of the server does not pass ranges of files");
  }
  return new Uint8Array(await response.arrayBuffer());
}
