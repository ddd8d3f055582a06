import { ApiError } from "../shared/api.ts";
import { session } from "../shared/session.ts";
import { Store } from "../shared/store.ts";
import { messageOf } from "../ui/states.ts";
import { createUpload, type OnConflict, receivedBytes, removeUpload, sendContent } from "./tus.ts";

/** A file on its way to the server. */
export interface UploadItem {
  readonly key: number;
  readonly path: string;
  readonly file: File;
  readonly state: "queued" | "sending" | "waiting" | "paused" | "exists" | "failed" | "done";
  /** Bytes that have left. */
  readonly sent: number;
  readonly problem?: string;
}

/** All uploads since the panel was cleared. */
export interface UploadsState {
  readonly items: readonly UploadItem[];
  /** Bytes a second over the last seconds. */
  readonly rate: number;
}

export const uploads = new Store<UploadsState>({ items: [], rate: 0 });

/** How many files are sent at once. */
const MAX_SENDING = 3;
const MAX_DELAY_MS = 10_000;
/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 150;
/** Over how long the rate is measured, in milliseconds. */
const RATE_MS = 4000;

/** What an item has besides what is shown. */
interface Transfer {
  item: UploadItem;
  readonly abort: AbortController;
  /** The upload on the server, once it is created. */
  id?: string;
  onConflict: OnConflict;
  /** Whether the end of the session has paused it. */
  isInterrupted?: boolean;
}

const transfers = new Map<number, Transfer>();
/** The bytes that had left at moments before now. */
let samples: { readonly at: number; readonly bytes: number }[] = [];
let totalSent = 0;
let lastKey = 0;
let showing: number | undefined;

/** Adds files to the queue. */
export function upload(files: readonly { readonly path: string; readonly file: File }[]): void {
  for (const { path, file } of files) {
    const key = ++lastKey;
    const item: UploadItem = { key, path, file, state: "queued", sent: 0 };
    transfers.set(key, { item, abort: new AbortController(), onConflict: "error" });
  }
  startNext();
  show();
}

/** Stops sending a file, and keeps what the server has of it. */
export function pauseUpload(key: number): void {
  stop(key, "paused");
}

/** Goes on with a file. @param onConflict What to do if there is one. */
export function resumeUpload(key: number, onConflict?: OnConflict): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  const { item, id } = transfer;
  transfers.set(key, {
    item: { ...item, state: "queued" },
    abort: new AbortController(),
    ...(id !== undefined && { id }),
    onConflict: onConflict ?? transfer.onConflict,
  });
  startNext();
  show();
}

/** Gives a file up, with what the server has of it. */
export function cancelUpload(key: number): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfers.delete(key);
  transfer.abort.abort();
  // If that fails, the upload expires.
  if (transfer.id !== undefined) removeUpload(transfer.id).catch(() => {});
  startNext();
  show();
}

/** Gives all files up that are not done: requests for them name the tree that is shown. */
export function cancelAll(): void {
  for (const [key, { item }] of transfers) if (item.state !== "done") cancelUpload(key);
}

/** Forgets the files that are done, refused or failed. */
export function clearEnded(): void {
  for (const [key, { item }] of transfers) {
    if (["done", "exists", "failed"].includes(item.state)) transfers.delete(key);
  }
  show();
}

/** Whether leaving the page would break something off. */
export function isUploading(): boolean {
  return uploads.value.items.some(({ state }) => ["queued", "sending", "waiting"].includes(state));
}

addEventListener("beforeunload", (event) => {
  if (isUploading()) event.preventDefault();
});
// Another person's files are not sent on.
let owner: number | undefined;
session.subscribe(() => {
  const { value } = session;
  if (value.kind !== "signedIn") return interrupt();
  const isOther = owner !== undefined && owner !== value.session.user_id;
  owner = value.session.user_id;
  for (const [key, { item, isInterrupted }] of transfers) {
    if (isOther) transfers.delete(key);
    else if (isInterrupted && item.state === "paused") resumeUpload(key);
  }
  show();
});

/** Pauses all uploads until the same person signs in again. */
function interrupt(): void {
  for (const [key, transfer] of transfers) {
    if (!["queued", "sending", "waiting"].includes(transfer.item.state)) continue;
    transfer.isInterrupted = true;
    pauseUpload(key);
  }
}

function startNext(): void {
  let sending = 0;
  for (const { item } of transfers.values()) {
    if (item.state === "sending" || item.state === "waiting") sending++;
  }
  for (const [key, { item }] of transfers) {
    if (sending >= MAX_SENDING) return;
    if (item.state !== "queued") continue;
    sending++;
    change(key, { state: "sending" });
    void transferFile(key);
  }
}

/** Sends a file to its end. What can be tried again is, for as long as the person likes. */
async function transferFile(key: number): Promise<void> {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  const { signal } = transfer.abort;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await sendFile(transfer, () => attempt = 0);
      change(key, { state: "done", sent: transfer.item.file.size });
      break;
    } catch (error) {
      if (signal.aborted) break;
      const delay = delayAfter(error, attempt);
      if (delay === undefined) {
        change(key, refused(error));
        break;
      }
      change(key, { state: "waiting", problem: messageOf(error) });
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  startNext();
}

async function sendFile(transfer: Transfer, onProgress: () => void): Promise<void> {
  const { item: { key, path, file }, abort: { signal }, onConflict } = transfer;
  let offset = 0;
  if (transfer.id === undefined) {
    transfer.id = await createUpload({ path, size: file.size, onConflict, signal });
    // An empty file is stored now.
    if (file.size === 0) return;
  } else offset = await offsetOf(transfer, transfer.id);
  change(key, { state: "sending", sent: offset });
  if (offset === file.size) return;
  let before = offset;
  await sendContent({
    id: transfer.id,
    offset,
    content: file,
    onProgress(sent) {
      onProgress();
      totalSent += sent - before;
      before = sent;
      change(key, { sent });
    },
    signal,
  });
}

async function offsetOf(transfer: Transfer, id: string): Promise<number> {
  try {
    return await receivedBytes(id, transfer.abort.signal);
  } catch (error) {
    // It has expired, so the file begins anew.
    if (error instanceof ApiError && error.status === 404) delete transfer.id;
    throw error;
  }
}

/** When to try again, in milliseconds; never after a refusal. */
function delayAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const mayPass = error.isOffline || [404, 409, 423, 429, 502, 503, 504].includes(error.status);
  if (!mayPass || error.code === "ErrResourcesAlreadyExists") return undefined;
  const fromServer = (error.retryAfterS ?? 0) * 1000;
  return Math.max(fromServer, Math.min(MAX_DELAY_MS, 500 * 2 ** attempt));
}

function refused(error: unknown): Partial<UploadItem> {
  const isTaken = error instanceof ApiError && error.code === "ErrResourcesAlreadyExists";
  return { state: isTaken ? "exists" : "failed", problem: messageOf(error) };
}

function stop(key: number, state: UploadItem["state"]): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfer.abort.abort();
  change(key, { state });
  startNext();
}

function change(key: number, changes: Partial<UploadItem>): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfer.item = { ...transfer.item, ...changes };
  show();
}

function show(): void {
  showing ??= setTimeout(() => {
    showing = undefined;
    uploads.set({ items: transfers.values().map(({ item }) => item).toArray(), rate: rate() });
    if (isUploading()) show();
  }, SHOW_MS);
}

function rate(): number {
  const now = performance.now();
  samples = [...samples.filter(({ at }) => at > now - RATE_MS), { at: now, bytes: totalSent }];
  const [first] = samples;
  if (first === undefined || now - first.at < SHOW_MS) return 0;
  return (totalSent - first.bytes) / ((now - first.at) / 1000);
}
