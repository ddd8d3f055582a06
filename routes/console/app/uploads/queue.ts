import { sleep } from "../shared/live.ts";
import { currentTree, session } from "../shared/session.ts";
import { messageOf } from "../ui/states.ts";
import { check, checks } from "./checks.ts";
import type { ChosenFile } from "./dropped.ts";
import {
  addressOf,
  delayAfter,
  forgetUpload,
  refused,
  sendFile,
  sendTogether,
  smallOnes,
  type Transfer,
  whyUnreadable,
} from "./transfer.ts";
import { type OnConflict, removeUpload } from "./tus.ts";
import { change, isUploading, rate, show, transfers, unfinished } from "./transfers.ts";
import { isSameFile, type UnfinishedUpload } from "./unfinished.ts";

/** How many files are sent at once. */
const MAX_SENDING = 3;
/** How long files are added at once, in milliseconds: a browser asks the disk for the size of each. */
const SLICE_MS = 20;
/** How many requests send files. */
let sending = 0;
/** How many choices of files are being added. */
let adding = 0;
let lastKey = 0;

/** Adds files to the queue. One that was being uploaded to the same path goes on where it stopped. */
export async function upload(files: readonly ChosenFile[]): Promise<void> {
  const { value } = session;
  const tree = currentTree();
  if (value.kind !== "signedIn" || tree === undefined) return;
  adding++;
  try {
    await addAll(files, { tree, user: value.session.user_id });
  } finally {
    adding--;
    startNext();
  }
}

/** Adds files that a user has chosen, and lets the page work in between. */
async function addAll(
  files: readonly ChosenFile[],
  { tree, user }: { readonly tree: number; readonly user: number },
): Promise<void> {
  const stopped = new Map(
    unfinished().filter(({ item }) => item.tree === tree).map(({ item }) => [item.path, item.key]),
  );
  let began = performance.now();
  for (const chosen of files) {
    if (performance.now() - began > SLICE_MS) {
      startNext();
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
    const before = stopped.get(chosen.path);
    if (before !== undefined && continueWith(before, chosen)) continue;
    if (before !== undefined) cancelUpload(before);
    const { path, file, handle } = chosen;
    const { name, size, lastModified } = file;
    const isChecked = checks.value;
    // The session may have ended meanwhile. The same person goes on with them.
    const isInterrupted = session.value.kind !== "signedIn";
    const state = isChecked ? "checking" : isInterrupted ? "paused" : "queued";
    add({
      item: { key: ++lastKey, tree, path, size, state, sent: 0 },
      isInterrupted,
      user,
      facts: { name, size, lastModified },
      ...{ file, handle },
      abort: new AbortController(),
      onConflict: "error",
    });
    if (isChecked) void checkFile(lastKey, file);
  }
}

/** Checks a file here, and has it sent if nothing is found in it. */
async function checkFile(key: number, file: File): Promise<void> {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  const checked = await check(transfer.item.path, file, transfer.abort.signal);
  const isSignedIn = session.value.kind === "signedIn";
  transfer.isInterrupted = !isSignedIn;
  const isHeld = checked !== "clean" && checked !== "unknown";
  change(key, { checked, state: isHeld ? "held" : isSignedIn ? "queued" : "paused" });
  startNext();
}

/** Shows an upload that was not finished when the page was left. */
export function addUnfinished(
  kept: Omit<UnfinishedUpload, "id"> & { readonly id?: string },
  received: number,
): void {
  const { id, user, tree, path, onConflict, file, handle } = kept;
  const item = { key: ++lastKey, tree, path, size: file.size, sent: received };
  add({
    item: { ...item, state: "unfinished" },
    ...(id !== undefined && { id }),
    ...{ user, facts: file, handle, onConflict },
    abort: new AbortController(),
  });
}

/** Goes on with an unfinished upload if the file is the one that was chosen before. Returns whether it is. */
export function continueWith(key: number, { file, handle }: Omit<ChosenFile, "path">): boolean {
  const transfer = transfers.get(key);
  if (transfer === undefined || !isSameFile(transfer.facts, file)) return false;
  transfers.set(key, { ...transfer, file, handle: handle ?? transfer.handle });
  resumeUpload(key);
  return true;
}

/** Forgets what reads the file of an unfinished upload again: the person chooses it. */
export function forgetHandle(key: number): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfers.set(key, { ...transfer, handle: undefined });
  show();
}

/** Stops sending a file, and keeps what the server has of it. */
export function pauseUpload(key: number): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfer.abort.abort();
  change(key, { state: "paused" });
  startNext();
}

/** Goes on with a file. @param onConflict What to do if there is one. */
export function resumeUpload(key: number, onConflict?: OnConflict): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  const { isInterrupted: _, ...rest } = transfer;
  transfers.set(key, {
    ...rest,
    item: { ...transfer.item, state: "queued" },
    abort: new AbortController(),
    onConflict: onConflict ?? transfer.onConflict,
  });
  startNext();
  show();
}

/** Sends a file to another path of its tree. */
export function storeAs(key: number, path: string): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfers.set(key, { ...transfer, item: { ...transfer.item, path } });
  resumeUpload(key);
}

/** Gives a file up, with what the server has of it. */
export function cancelUpload(key: number): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfers.delete(key);
  giveUp(transfer);
  startNext();
  show();
}

/** Ends a transfer, and removes what the server has of the file. */
export function giveUp(transfer: Transfer): void {
  transfer.abort.abort();
  const upload = addressOf(transfer);
  if (upload === undefined) return;
  void forgetUpload(upload.id);
  // If that fails, the upload expires.
  removeUpload(upload).catch(() => {});
}

/** Gives all files up that are not done. */
export function cancelAll(): void {
  for (const [key, { item }] of transfers) if (item.state !== "done") cancelUpload(key);
}

/** Forgets the files that are done, refused or failed, with what the server has of those. */
export function clearEnded(): void {
  for (const [key, { item }] of transfers) {
    if (item.state === "done") transfers.delete(key);
    else if (item.state === "exists" || item.state === "failed") cancelUpload(key);
  }
  show();
}

addEventListener("beforeunload", (event) => {
  if (isUploading()) event.preventDefault();
});
session.subscribe(() => {
  const { value } = session;
  if (value.kind !== "signedIn") return interrupt();
  for (const [key, { item, user, isInterrupted }] of transfers) {
    // Another person's files are not sent on, nor shown.
    if (user !== value.session.user_id) transfers.delete(key);
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

function add(transfer: Transfer): void {
  transfers.set(transfer.item.key, transfer);
  show();
}

/** Sends files as long as there may be more requests. */
export function startNext(): void {
  /** Small ones that wait for those that are added next, to be sent with them. */
  const early = new Set<number>();
  for (const [key, { item, file }] of transfers) {
    if (sending >= MAX_SENDING) return;
    if (item.state !== "queued" || file === undefined || early.has(key)) continue;
    const { keys: together, isFull } = smallOnes(key, transfers);
    if (adding > 0 && !isFull) {
      for (const it of together) early.add(it);
      continue;
    }
    for (const it of [key, ...together]) change(it, { state: "sending" });
    sending++;
    void (together.length > 1 ? transferTogether(together) : transferFile(key, file))
      .finally(() => {
        sending--;
        startNext();
      });
  }
}

/** Sends small files in one request, and each one alone if that fails. */
async function transferTogether(keys: readonly number[]): Promise<void> {
  const batch = keys.map((key) => transfers.get(key)).filter((it) => it !== undefined);
  try {
    await sendTogether(batch);
    for (const { item: { key, size } } of batch) {
      rate.add(size);
      change(key, { state: "done", sent: size });
    }
  } catch {
    // Each file then says by itself why it is refused.
    for (const { item: { key }, abort } of batch) {
      const transfer = transfers.get(key);
      if (transfer === undefined) continue;
      transfer.isAlone = true;
      if (!abort.signal.aborted) change(key, { state: "queued" });
    }
  }
}

/** Sends a file to its end. What can be tried again is, for as long as the person likes. */
async function transferFile(key: number, file: File): Promise<void> {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  const { signal } = transfer.abort;
  for (let attempt = 0; !signal.aborted; attempt++) {
    let before: number | undefined;
    try {
      await sendFile(transfer, file, {
        attempt,
        onProgress(sent) {
          if (before !== undefined && sent > before) attempt = 0;
          rate.add(Math.max(0, sent - (before ?? sent)));
          before = sent;
          change(key, { state: "sending", sent });
        },
      });
      change(key, { state: "done", sent: file.size });
      break;
    } catch (error) {
      if (signal.aborted) break;
      const failure = await whyUnreadable(file) ?? error;
      const delay = delayAfter(failure, attempt);
      if (delay === undefined) {
        change(key, refused(failure));
        break;
      }
      change(key, { state: "waiting", problem: messageOf(error) });
      await sleep(delay, signal);
    }
  }
}
