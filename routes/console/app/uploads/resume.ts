import { ApiError } from "../shared/api.ts";
import { bytes, plural, time } from "../shared/format.ts";
import { nameOf } from "../shared/paths.ts";
import { session } from "../shared/session.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { addUnfinished, continueWith, forgetHandle } from "./queue.ts";
import type { Transfer } from "./transfer.ts";
import { isKnown, unfinished } from "./transfers.ts";
import { receivedBytes } from "./tus.ts";
import { forget, unfinishedUploads } from "./unfinished.ts";

/** Shows the unfinished uploads of whoever signs in. Call it once. */
export function followSession(): void {
  session.subscribe(() => {
    const { value } = session;
    if (value.kind !== "signedIn") return;
    // A browser that keeps nothing has nothing to show.
    showUnfinished(value.session.user_id).catch(() => {});
  });
}

async function showUnfinished(user: number): Promise<void> {
  const gone: string[] = [];
  for (const upload of await unfinishedUploads(user)) {
    const { id, path, file } = upload;
    // The same person has signed in again.
    if (isKnown(id)) continue;
    try {
      const received = await receivedBytes(upload);
      // All of it arrived, but the page was left before the reply.
      if (received === file.size) await forget(id);
      else addUnfinished(upload, received);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      await forget(id);
      gone.push(path);
    }
  }
  const [first] = gone;
  if (first === undefined) return;
  const what = gone.length === 1
    ? `The upload of “${nameOf(first)}”`
    : plural(gone.length, "upload");
  toast(`${what} expired before it was finished. Upload the file again.`, { isError: true });
}

/** Goes on with the uploads that the chosen files belong to. Says why if there is none for a file. */
export function resumeWith(files: readonly File[]): void {
  for (const file of files) {
    if (unfinished().some(({ item: { key } }) => continueWith(key, { file }))) continue;
    toast(whyNot(file), { isError: true });
  }
}

function whyNot(file: File): string {
  const namesake = unfinished().find(({ facts }) => facts.name === file.name);
  if (namesake === undefined) return `No unfinished upload has the name “${file.name}”`;
  const { size, lastModified } = namesake.facts;
  const changed = new Date(lastModified).toISOString();
  return size === file.size
    ? `“${file.name}” has changed since the upload began; the file of that time was from ${
      time(changed)
    }`
    : `“${file.name}” has ${bytes(file.size)}, and the upload began with ${bytes(size)}`;
}

/**
 * Goes on by the file that was dropped, once the person permits the browser to read it again. If that fails,
 * the person chooses the file.
 */
export async function resumeByHandle({ item: { key, path }, handle }: Transfer): Promise<void> {
  if (handle === undefined) return;
  try {
    const permission = await handle.requestPermission({ mode: "read" });
    // The question was closed without an answer.
    if (permission === "prompt") return;
    if (permission === "denied") throw new Error("the browser does not permit it");
    const file = await handle.getFile();
    if (continueWith(key, { file })) return;
    toast(whyNot(file), { isError: true });
  } catch (error) {
    const why = `“${nameOf(path)}” cannot be read again: ${messageOf(error)}`;
    toast(why, { isError: true });
  }
  forgetHandle(key);
}
