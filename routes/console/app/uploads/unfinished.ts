import { CONSOLE } from "../shared/server_url.ts";
import type { OnConflict, UploadAddress } from "./tus.ts";

/**
 * What this browser keeps of uploads that have begun and not ended, so that they go on after the page was
 * loaded again. Content is not kept: the person chooses the file again, or permits reading it again.
 */
export interface UnfinishedUpload extends UploadAddress {
  /** The user who uploads. */
  readonly user: number;
  readonly path: string;
  readonly onConflict: OnConflict;
  readonly file: FileFacts;
  /** Where browsers give one: what reads a file that was dropped, once the person permits it again. */
  readonly handle?: FileSystemFileHandle;
}

/** By what a file is known to be the one that was chosen before. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
  /** In milliseconds since 1970. */
  readonly lastModified: number;
}

/** Servers below paths of one host have one each. */
const DATABASE = CONSOLE === "/console" ? "strongroom" : `strongroom ${CONSOLE}`;
const STORE = "unfinished_uploads";
/** How long other windows have to say which uploads are theirs, in milliseconds. */
const ANSWER_MS = 300;

/** What windows say to each other: one that opens asks, the others name the uploads that are theirs. */
type Message =
  | { readonly kind: "which" }
  | { readonly kind: "mine"; readonly ids: readonly string[] };

const windows = new BroadcastChannel("strongroom_uploads");

/** Keeps an upload. */
export async function keep(upload: UnfinishedUpload): Promise<void> {
  await changed((store) => store.put(upload));
}

/** Forgets an upload that has ended. */
export async function forget(id: string): Promise<void> {
  await changed((store) => store.delete(id));
}

/** The kept uploads of a user that no window of this browser works on. */
export async function unfinishedUploads(user: number): Promise<UnfinishedUpload[]> {
  // What begins while others answer is not unfinished.
  const kept = await changed<UnfinishedUpload[]>((store) => store.getAll());
  const others = new Set<string>();
  const listen = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "mine") { for (const id of data.ids) others.add(id); }
  };
  windows.addEventListener("message", listen);
  windows.postMessage({ kind: "which" } satisfies Message);
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  windows.removeEventListener("message", listen);
  return kept.filter((upload) => upload.user === user && !others.has(upload.id));
}

/** Says which uploads are those of this window, when another one asks. Call it once. */
export function claim(own: () => readonly string[]): void {
  windows.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "which") windows.postMessage({ kind: "mine", ids: own() } satisfies Message);
  });
}

/** Whether a file is the one that was chosen before. */
export function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

let opened: Promise<IDBDatabase> | undefined;

/** The result of a request to the store, once it is durable. */
async function changed<T>(run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await (opened ??= open());
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const transaction = database.transaction(STORE, "readwrite");
  const request = run(transaction.objectStore(STORE));
  transaction.oncomplete = () => resolve(request.result);
  transaction.onabort = () => reject(transaction.error);
  return await promise;
}

function open(): Promise<IDBDatabase> {
  const { promise, resolve, reject } = Promise.withResolvers<IDBDatabase>();
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  return promise;
}
