import { createHash } from "node:crypto";
import { join } from "node:path/posix";
import { orMissing, removeFile, writeSynced } from "../../storage/disk/files.ts";
import { userDirectory } from "../environment.ts";

/** What an upload that can be resumed sends to where. */
export interface UploadKey {
  /** The URL of the API. */
  readonly url: string;
  readonly tree: string | undefined;
  /** On the server. */
  readonly path: string;
  /** Tells the file that is sent from one that was at its place before. */
  readonly version: string;
}

/** Remembers the id of an upload, so that the same command continues it after it was killed. */
export class UnfinishedUpload {
  readonly #directory = join(userDirectory("state"), "uploads");
  readonly #file: string;

  constructor({ url, tree = "", path, version }: UploadKey) {
    const key = createHash("sha256").update([url, tree, path, version].join("\n")).digest("hex");
    this.#file = join(this.#directory, key);
  }

  /** The id of the upload, if one was begun. */
  async id(): Promise<string | undefined> {
    const id = await orMissing(Deno.readTextFile(this.#file));
    return id !== undefined && isUploadId(id) ? id : undefined;
  }

  async remember(id: string): Promise<void> {
    await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeSynced(this.#file, new TextEncoder().encode(id));
  }

  async forget(): Promise<void> {
    await removeFile(this.#file);
  }
}

/** Whether a text can be the id of an upload, which is a part of an address. */
export function isUploadId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
