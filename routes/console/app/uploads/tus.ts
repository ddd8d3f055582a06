import {
  ApiError,
  apiUrl,
  consoleHeaders,
  errorOf,
  expireSession,
  request,
} from "../shared/api.ts";
import { session } from "../shared/session.ts";

/** The part of tus 1.0.0 that the console needs. */

const TUS = { "Tus-Resumable": "1.0.0" };
const CONTENT_TYPE = "application/offset+octet-stream";

/** What to do about a file that is there. */
export type OnConflict = "error" | "skip" | "replace";

/** An upload on the server. */
export interface UploadAddress {
  readonly id: string;
  /** The user whose tree it is in, which need not be the one that is shown. */
  readonly tree: number;
}

/** Creates an upload, without content. Returns its id. @throws {ApiError} */
export async function createUpload(
  { tree, path, size, onConflict, signal }: {
    readonly tree: number;
    readonly path: string;
    readonly size: number;
    readonly onConflict: OnConflict;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const response = await request("POST", "/uploads/", {
    inTree: false,
    query: { tree: String(tree), on_conflict: onConflict },
    headers: {
      ...TUS,
      "Upload-Length": String(size),
      "Upload-Metadata": `path ${base64(path)}`,
    },
    signal,
  });
  return /^[^?/]*/.exec(response.headers.get("Location") ?? "")?.[0] ?? "";
}

/** Stores a file by one request. @throws {ApiError} */
export async function storeFile(
  { tree, path, content, onConflict, signal }: {
    readonly tree: number;
    readonly path: string;
    readonly content: Blob;
    readonly onConflict: OnConflict;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  await request("POST", "/uploads/", {
    inTree: false,
    query: { tree: String(tree), on_conflict: onConflict },
    headers: {
      ...TUS,
      "Upload-Length": String(content.size),
      "Upload-Metadata": `path ${base64(path)}`,
      "Content-Type": CONTENT_TYPE,
    },
    body: content,
    signal,
  });
}

/** How many bytes the server has. @throws {ApiError} */
export async function receivedBytes(
  { id, tree }: UploadAddress,
  signal?: AbortSignal,
): Promise<number> {
  const response = await request("HEAD", `/uploads/${id}`, {
    inTree: false,
    query: { tree: String(tree) },
    headers: TUS,
    signal,
  });
  return Number(response.headers.get("Upload-Offset"));
}

/** Gives an upload up. @throws {ApiError} */
export async function removeUpload({ id, tree }: UploadAddress): Promise<void> {
  await request("DELETE", `/uploads/${id}`, {
    inTree: false,
    query: { tree: String(tree) },
    headers: TUS,
  });
}

/** Sends the rest of the content. By XMLHttpRequest, as fetch shows no progress. @throws {ApiError} */
export function sendContent(
  { upload: { id, tree }, offset, content, onProgress, signal }: {
    readonly upload: UploadAddress;
    readonly offset: number;
    readonly content: Blob;
    /** @param sent The bytes of the content that have left. */
    readonly onProgress: (sent: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { value: sender } = session;
  const xhr = new XMLHttpRequest();
  xhr.open("PATCH", apiUrl(`/uploads/${id}`, { tree: String(tree) }, false));
  const headers = {
    ...consoleHeaders(),
    ...TUS,
    "Upload-Offset": String(offset),
    "Content-Type": CONTENT_TYPE,
  };
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  xhr.upload.onprogress = ({ loaded }) => onProgress(offset + loaded);
  xhr.onload = () => {
    if (xhr.status < 300) return resolve();
    const failure = errorOf(
      xhr.status,
      { get: (name) => xhr.getResponseHeader(name) },
      xhr.responseText,
    );
    if (failure.status === 401) expireSession(failure, sender);
    reject(failure);
  };
  xhr.onerror = () => reject(new ApiError("offline", "The server cannot be reached"));
  xhr.onabort = () => reject(signal.reason);
  signal.addEventListener("abort", () => xhr.abort(), { once: true });
  xhr.send(content.slice(offset));
  return promise;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
