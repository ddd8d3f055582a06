import { Buffer } from "node:buffer";
import { KIB } from "../../schemas/units.ts";
import type { Connection } from "../remote/connection.ts";
import { ConnectionLost, RemoteError } from "../remote/remote_error.ts";
import { retried } from "../remote/retry.ts";
import { HashedFile } from "./hashed_file.ts";
import type { FileMeter } from "./meter.ts";
import { statRemote } from "./remote_list.ts";
import type { Throttle } from "../../core/throttle.ts";
import { isUploadId, UnfinishedUpload } from "./unfinished_upload.ts";

/** A file that is sent. */
export interface SentFile {
  /** On this machine. */
  readonly source: string;
  /** On the server. */
  readonly path: string;
  /** Whether it replaces a file. */
  readonly replaces: boolean;
  readonly throttle: Throttle;
}

/** The last request has at most this much: with it goes the digest, which is known only then. */
const END_BYTES = 64 * KIB;
const PROTOCOL = { "Tus-Resumable": "1.0.0" };

/**
 * Sends a file by tus (C 21): what the server has received is not sent again, whichever side was killed. The
 * server is asked for a place before the file is read. It is hashed while it is sent, in one request; the
 * server compares the digest with what it has before it stores the file.
 *
 * @throws {RemoteError} when the server refuses it.
 * @throws {Error} when the file changes meanwhile.
 */
export async function sendResumable(
  connection: Connection,
  { source, path, replaces, throttle }: SentFile,
  counted: FileMeter,
): Promise<void> {
  const { size, mtime, ino } = await Deno.stat(source);
  const { url, tree } = connection;
  const version = [size, mtime?.getTime(), ino].join();
  const unfinished = new UnfinishedUpload({ url, tree, path, version });
  const hashed = new HashedFile(source);
  let id = await unfinished.id();
  let received = 0;
  await retried(async () => {
    received = id === undefined ? -1 : await offsetOf(connection, id) ?? -1;
    if (id === undefined || received === -1) {
      received = 0;
      id = await create(connection, { path, size, replaces });
      await unfinished.remember(id);
    }
    counted.restart(received);
    // After an interruption, of which another process may have sent the part before it.
    await hashed.advance(received);
    if (received === size) return await requireStored(connection, path, hashed.digest());
    await sendRest(connection, { id, size, received, hashed, throttle, counted });
  }, { isRepeatable: true, position: () => received });
  await unfinished.forget();
}

/** How much the server has received. Undefined if the upload is over. */
async function offsetOf(connection: Connection, id: string): Promise<number | undefined> {
  try {
    const { headers } = await connection.request("HEAD", `/uploads/${id}`, {
      headers: PROTOCOL,
      retry: "never",
    });
    return Number(headers.get("Upload-Offset") ?? Number.NaN);
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return undefined;
    throw error;
  }
}

async function create(
  connection: Connection,
  { path, size, replaces }: { path: string; size: number; replaces: boolean },
): Promise<string> {
  const response = await connection.request("POST", "/uploads/", {
    query: { on_conflict: replaces ? "replace" : "error" },
    headers: {
      ...PROTOCOL,
      "Upload-Length": String(size),
      "Upload-Metadata": metadataOf("path", path),
    },
  });
  const [address = ""] = response.headers.get("Location")?.split("?") ?? [];
  const id = address.split("/").at(-1) ?? "";
  if (isUploadId(id)) return id;
  throw new Error("The server sent an address of an upload that is not understood");
}

function metadataOf(key: string, value: string): string {
  return `${key} ${Buffer.from(value).toString("base64")}`;
}

/** The reply to the last request was lost, and with it whether the digest was right. */
async function requireStored(connection: Connection, path: string, sha256: string): Promise<void> {
  if ((await statRemote(connection, path))?.sha256 !== sha256) throw changed();
}

function changed(cause?: unknown): Error {
  return new Error("It has changed while it was sent", { cause });
}

interface Rest {
  readonly id: string;
  readonly size: number;
  readonly received: number;
  readonly hashed: HashedFile;
  readonly throttle: Throttle;
  readonly counted: FileMeter;
}

/** Sends what the server lacks: a stream of all but the end, then the end with the digest. */
async function sendRest(connection: Connection, rest: Rest): Promise<void> {
  const { id, size, received, hashed, throttle, counted } = rest;
  const end = Math.max(received, size - END_BYTES);
  if (end > received) {
    using part = await hashed.part(received, end, async (bytes) => {
      counted.add(bytes);
      await throttle.take(bytes);
    });
    try {
      await append(connection, id, received, { body: () => part.body });
    } catch (error) {
      throw part.failure ?? error;
    }
  }
  const last = await hashed.read(end, size);
  try {
    await append(connection, id, end, {
      body: () => last,
      headers: { "Upload-Metadata": metadataOf("sha256", hashed.digest()) },
    });
  } catch (error) {
    if (error instanceof RemoteError && error.kind === "ErrResourcesInvalidData") {
      throw changed(error);
    }
    throw error;
  }
  counted.add(last.length);
}

async function append(
  connection: Connection,
  id: string,
  offset: number,
  { body, headers }: { body: () => BodyInit; headers?: Readonly<Record<string, string>> },
): Promise<void> {
  try {
    await connection.request("PATCH", `/uploads/${id}`, {
      headers: {
        ...PROTOCOL,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(offset),
        ...headers,
      },
      body,
      retry: "never",
    });
  } catch (error) {
    // The server was still receiving what an earlier connection had sent: its offset is asked again.
    if (!(error instanceof RemoteError && error.kind === "ErrUploadsConflict")) throw error;
    throw new ConnectionLost(error.message, { cause: error });
  }
}
