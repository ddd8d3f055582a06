import { apiUrl, request } from "../shared/api.ts";
import { sendBody } from "./send_body.ts";

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
  const query = { tree: String(tree), on_conflict: onConflict };
  await sendBody("POST", apiUrl("/uploads/", query, false), {
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

/** Sends the rest of the content. @throws {ApiError} */
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
  return sendBody("PATCH", apiUrl(`/uploads/${id}`, { tree: String(tree) }, false), {
    headers: { ...TUS, "Upload-Offset": String(offset), "Content-Type": CONTENT_TYPE },
    body: content.slice(offset),
    onProgress: (sent) => onProgress(offset + sent),
    signal,
  });
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
