import { sanitizePath } from "../../core/paths.ts";
import { KIB, MIB } from "../../schemas/units.ts";
import type { ListedFile } from "../../storage/disk/file_comparison.ts";
import { Connection } from "../remote/connection.ts";
import { ConnectionLost, RemoteError } from "../remote/remote_error.ts";
import { concurrently } from "./concurrently.ts";
import { below } from "./file_sets.ts";
import { sha256Of } from "./local_content.ts";
import { FileMeter, type Meter } from "./meter.ts";
import { isFatal, type Outcome } from "./outcome.ts";
import { statRemote } from "./remote_list.ts";
import { sendResumable, type SentFile } from "./resumable_upload.ts";
import type { Throttle } from "../../core/throttle.ts";

/** Files from this size on are sent so that they can be continued. Smaller ones fit into memory. */
const LARGE_BYTES = 16 * MIB;
/** Files up to this size are sent together. */
const MAX_SMALL_BYTES = 256 * KIB;
/** The most that is sent together: one request takes about as long as this many. */
const MAX_BATCH_FILES = 200;
const MAX_BATCH_BYTES = 4 * MIB;
/** How many requests are sent at once: half of what the server serves of a user. */
const UPLOADS_AT_ONCE = 4;

/** How files get to the server. */
export interface UploadOptions {
  readonly connection: Connection;
  /** The directory of the server. */
  readonly destination: string;
  /** Where the content of a file is. */
  readonly locate: (path: string) => string;
  readonly outcome: Outcome;
  readonly meter: Meter;
  readonly throttle: Throttle;
}

/**
 * Sends files, several at once. One that fails holds no other up.
 *
 * @param replaces Whether the server has other content at their paths, which they replace.
 * @throws {unknown} when no other file would fare better.
 */
export async function upload(
  files: Iterable<ListedFile>,
  replaces: boolean,
  options: UploadOptions,
): Promise<void> {
  await concurrently(batchesOf(files, options), UPLOADS_AT_ONCE, async (batch) => {
    const [file] = batch;
    if (batch.length > 1) await sendBatch(batch, replaces, options);
    else if (file !== undefined) await sendFile(file, replaces, options);
  });
}

/** Puts small files together. What the server cannot hold is left out. */
function* batchesOf(
  files: Iterable<ListedFile>,
  { destination, outcome }: UploadOptions,
): Generator<ListedFile[]> {
  let batch: ListedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const flaw = flawOf(below(destination, file.path));
    if (flaw !== undefined) outcome.fail(file.path, flaw);
    // The form drops white space around its paths.
    else if (file.size > MAX_SMALL_BYTES || file.path.trim() !== file.path) yield [file];
    else {
      bytes += file.size;
      if (batch.push(file) < MAX_BATCH_FILES && bytes < MAX_BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Why the server cannot have a path as it is; undefined if it can. */
function flawOf(path: string): Error | undefined {
  try {
    return sanitizePath(path) === path ? undefined : new Error("The server cannot hold this name");
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Sends small files in one form. If it is refused, each file is sent alone, so that one holds none up. */
async function sendBatch(
  batch: readonly ListedFile[],
  replaces: boolean,
  options: UploadOptions,
): Promise<void> {
  const { connection, destination, locate, outcome, meter } = options;
  const form = new FormData();
  const sent: ListedFile[] = [];
  let bytes = 0;
  await Promise.all(batch.map(async (file) => {
    try {
      const content = await Deno.readFile(locate(file.path));
      form.append("files", new Blob([content]), file.path);
      bytes += content.length;
      sent.push(file);
    } catch (error) {
      outcome.fail(file.path, error);
    }
  }));
  if (sent.length === 0) return;
  await options.throttle.take(bytes);
  try {
    const response = await connection.request("POST", "/resources/", {
      query: {
        dir: destination === "" ? undefined : destination,
        paths: "keep",
        on_conflict: replaces ? "replace" : "error",
      },
      body: () => form,
    });
    await response.bytes();
  } catch (error) {
    if (isFatal(error) && !(error instanceof ConnectionLost)) throw error;
    for (const file of sent) await sendFile(file, replaces, options);
    return;
  }
  outcome.countTransferred(sent.length, bytes);
  meter.add(bytes);
  meter.finish(sent.length);
}

/** Sends one file. */
async function sendFile(
  file: ListedFile,
  replaces: boolean,
  options: UploadOptions,
): Promise<void> {
  const { connection, destination, locate, outcome, meter } = options;
  const path = below(destination, file.path);
  const counted = new FileMeter(meter);
  const source = locate(file.path);
  try {
    const sent = { source, path, replaces, throttle: options.throttle };
    if (file.size >= LARGE_BYTES) await sendResumable(connection, sent, counted);
    else await sendWhole(connection, sent);
  } catch (error) {
    if (isFatal(error)) throw error;
    if (!await isThere(path, file, error, options)) {
      counted.restart();
      return outcome.fail(file.path, error);
    }
  }
  outcome.countTransferred(1, file.size);
  counted.restart(file.size);
  meter.finish();
}

/** Sends a file in one request. */
async function sendWhole(
  connection: Connection,
  { source, path, replaces, throttle }: SentFile,
): Promise<void> {
  const response = await connection.request("PUT", Connection.filePath(path), {
    // In memory, it can be sent again without reading it again.
    body: async () => {
      const content = await Deno.readFile(source);
      await throttle.take(content.length);
      return content;
    },
    headers: {
      "Content-Type": "application/octet-stream",
      ...!replaces && { "If-None-Match": "*" },
    },
    retry: "always",
  });
  await response.bytes();
}

/** Whether a file was refused because it is there: the reply to an earlier attempt may be lost. */
async function isThere(
  path: string,
  file: ListedFile,
  error: unknown,
  { connection, locate }: UploadOptions,
): Promise<boolean> {
  if (!(error instanceof RemoteError && [409, 412].includes(error.status))) return false;
  const found = await statRemote(connection, path);
  return found !== undefined && !found.is_dir && found.size === file.size &&
    found.sha256 === await sha256Of(locate(file.path));
}
