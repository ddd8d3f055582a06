import { ApiError, apiUrl } from "../shared/api.ts";
import { messageOf } from "../ui/states.ts";
import {
  createUpload,
  type OnConflict,
  receivedBytes,
  sendContent,
  storeFile,
  type UploadAddress,
} from "./tus.ts";
import type { CheckVerdict } from "./checks.ts";
import { sendBody } from "./send_body.ts";
import { type FileFacts, forget, keep } from "./unfinished.ts";

/** A file on its way to the server. */
export interface UploadItem {
  readonly key: number;
  /** The user whose tree it goes to. */
  readonly tree: number;
  readonly path: string;
  readonly size: number;
  readonly state:
    | "checking"
    /** The check here was not clean: the person decides. */
    | "held"
    | "queued"
    | "sending"
    | "waiting"
    | "paused"
    /** Since the page was loaded again: the content must be chosen again. */
    | "unfinished"
    | "exists"
    | "failed"
    | "done";
  /** Bytes that have left. */
  readonly sent: number;
  readonly problem?: string;
  /** What the check in this browser says. The server makes its own verdict. */
  readonly checked?: CheckVerdict;
}

/** What an item has besides what is shown. */
export interface Transfer {
  item: UploadItem;
  /** Who uploads. */
  readonly user: number;
  readonly facts: FileFacts;
  /** The content. An unfinished upload has none. */
  readonly file?: File | undefined;
  readonly handle?: FileSystemFileHandle | undefined;
  readonly abort: AbortController;
  /** The upload on the server, once it is created. */
  id?: string;
  readonly onConflict: OnConflict;
  /** Whether it was sent together with others, which failed: it is sent alone, and may be stored already. */
  isAlone?: boolean;
  /** Whether the end of the session has paused it. */
  isInterrupted?: boolean;
}

/** Files of up to this size are sent many in one request: 256 KiB. */
const MAX_SMALL_BYTES = 256 * 1024;
/** How many small files are sent together. */
const MAX_TOGETHER = 200;
/** How many bytes small files that are sent together have, but for the last one: 4 MiB. */
const MAX_TOGETHER_BYTES = 4 * 2 ** 20;
/** How many of them are read at once. */
const READ_AT_ONCE = 10;
/** Characters that a name in a form does not have as they are. */
const CHANGED_IN_FORMS = /["\r\n]/;
/** Files of up to this size are sent in one request, from their start if it fails: 1 MiB. */
const MAX_WHOLE_BYTES = 2 ** 20;
const MAX_DELAY_MS = 10_000;

/** The address of the upload on the server, if there is one. */
export function addressOf({ item: { tree }, id }: Transfer): UploadAddress | undefined {
  return id === undefined ? undefined : { id, tree };
}

/**
 * Sends what the server does not have of a file.
 *
 * @param attempt How often it has been tried.
 * @param onProgress Called with the bytes that have left.
 * @throws {ApiError}
 */
export async function sendFile(
  transfer: Transfer,
  file: File,
  { attempt, onProgress }: {
    readonly attempt: number;
    readonly onProgress: (sent: number) => void;
  },
): Promise<void> {
  const { item: { tree, path }, abort: { signal }, onConflict } = transfer;
  const { size } = file;
  if (size <= MAX_WHOLE_BYTES && transfer.id === undefined) {
    // An attempt whose reply was lost may have stored it.
    const mayBeStored = attempt > 0 || transfer.isAlone === true;
    const again = mayBeStored && onConflict === "error" ? "skip" : onConflict;
    await storeFile({ tree, path, content: file, onConflict: again, signal });
    return onProgress(size);
  }
  let offset = 0;
  let upload = addressOf(transfer);
  if (upload === undefined) {
    const id = await createUpload({ tree, path, size, onConflict, signal });
    transfer.id = id;
    upload = { id, tree };
    await remember(transfer, upload);
  } else offset = await offsetOf(transfer, upload);
  // It may have been paused while the browser kept it.
  signal.throwIfAborted();
  onProgress(offset);
  if (offset < size) await sendContent({ upload, offset, content: file, onProgress, signal });
  await forgetUpload(upload.id);
}

/** Files that are sent in one request. */
export interface Batch {
  /** None if the first file is not small. */
  readonly keys: readonly number[];
  /** Whether no other file has room in it. */
  readonly isFull: boolean;
}

/** A queued file and those that are sent together with it, if all are small. */
export function smallOnes(key: number, transfers: ReadonlyMap<number, Transfer>): Batch {
  const first = transfers.get(key);
  const keys: number[] = [];
  if (first === undefined || !isSmall(first)) return { keys, isFull: true };
  let bytes = 0;
  for (const [other, transfer] of transfers) {
    const { item: { state, tree, size }, onConflict } = transfer;
    if (state !== "queued" || tree !== first.item.tree || onConflict !== first.onConflict) continue;
    if (!isSmall(transfer)) continue;
    bytes += size;
    if (keys.push(other) === MAX_TOGETHER || bytes >= MAX_TOGETHER_BYTES) {
      return { keys, isFull: true };
    }
  }
  return { keys, isFull: false };
}

/** Whether a file may be sent together with others. */
function isSmall({ item, file, isAlone = false, id }: Transfer): boolean {
  return !isAlone && id === undefined && file !== undefined && item.size <= MAX_SMALL_BYTES &&
    !CHANGED_IN_FORMS.test(item.path);
}

/** Sends files to one tree, all or none of them. @throws {ApiError} */
export async function sendTogether(batch: readonly Transfer[]): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const { item: { tree }, onConflict } = first;
  const query = { tree: String(tree), paths: "keep", on_conflict: onConflict };
  const boundary = crypto.randomUUID();
  const signal = AbortSignal.any(batch.map(({ abort }) => abort.signal));
  const body = await formOf(batch, boundary);
  signal.throwIfAborted();
  await sendBody("POST", apiUrl("/resources/", query, false), {
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    body,
    signal,
  });
}

/**
 * A form with files, in memory. With a form of the browser, the page would stand still for each file: the browser
 * asks the disk for its size, and copies what it knows of it.
 */
async function formOf(batch: readonly Transfer[], boundary: string): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (let at = 0; at < batch.length; at += READ_AT_ONCE) {
    const files = batch.slice(at, at + READ_AT_ONCE);
    const contents = await Promise.all(files.map(({ file }) => file?.arrayBuffer()));
    for (const [index, { item: { path } }] of files.entries()) {
      const content = contents[index];
      if (content === undefined) continue;
      const head = `Content-Disposition: form-data; name="files"; filename="${path}"`;
      parts.push(`--${boundary}\r\n${head}\r\n\r\n`, content, "\r\n");
    }
  }
  return new Blob([...parts, `--${boundary}--\r\n`]);
}

/** Forgets an upload that has ended, in this browser. If that fails, it turns out to be gone later. */
export async function forgetUpload(id: string): Promise<void> {
  await forget(id).catch(() => {});
}

async function remember(
  { item: { path }, user, facts, handle, onConflict }: Transfer,
  upload: UploadAddress,
): Promise<void> {
  const kept = { ...upload, user, path, onConflict, file: facts };
  // A browser that keeps nothing uploads as well; it only cannot go on after the page was left.
  await keep(handle === undefined ? kept : { ...kept, handle }).catch(() => {});
}

async function offsetOf(transfer: Transfer, upload: UploadAddress): Promise<number> {
  try {
    return await receivedBytes(upload, transfer.abort.signal);
  } catch (error) {
    // It has expired, so the file begins anew.
    if (error instanceof ApiError && error.status === 404) {
      delete transfer.id;
      await forgetUpload(upload.id);
    }
    throw error;
  }
}

/** Why a file cannot be read, such as since it has changed. A request with it only fails then. */
export async function whyUnreadable(file: File): Promise<Error | undefined> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    return new Error(`“${file.name}” cannot be read: ${messageOf(error)}`);
  }
}

/** When to try again, in milliseconds; never after a refusal. */
export function delayAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const mayPass = error.isOffline || [404, 409, 423, 429, 502, 503, 504].includes(error.status);
  if (!mayPass || error.code === "ErrResourcesAlreadyExists") return undefined;
  const fromServer = (error.retryAfterS ?? 0) * 1000;
  return Math.max(fromServer, Math.min(MAX_DELAY_MS, 500 * 2 ** attempt));
}

/** What a refusal makes of an item. */
export function refused(error: unknown): Partial<UploadItem> {
  const isTaken = error instanceof ApiError && error.code === "ErrResourcesAlreadyExists";
  return { state: isTaken ? "exists" : "failed", problem: messageOf(error) };
}
