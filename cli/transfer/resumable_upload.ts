import { Buffer } from "node:buffer";
import { MIB } from "../../schemas/units.ts";
import { readFull } from "../../storage/disk/files.ts";
import type { Connection } from "../remote/connection.ts";
import { ConnectionLost, RemoteError } from "../remote/remote_error.ts";
import { retried } from "../remote/retry.ts";
import type { FileMeter } from "./meter.ts";
import { isUploadId, UnfinishedUpload } from "./unfinished_upload.ts";

/** A large file that is sent. */
export interface LargeFile {
  /** On this machine. */
  readonly source: string;
  /** On the server. */
  readonly path: string;
  readonly size: number;
  /** The server refuses other content. */
  readonly sha256: string;
  /** Whether it replaces a file. */
  readonly replaces: boolean;
}

/** How much is sent in a request. A stream of the whole takes several times as long. */
const PART_BYTES = 16 * MIB;
const PROTOCOL = { "Tus-Resumable": "1.0.0" };

/**
 * Sends a file by tus (C 21): what the server has received is not sent again, whichever side was killed.
 *
 * @throws {RemoteError} when the server refuses it.
 */
export async function sendResumable(
  connection: Connection,
  file: LargeFile,
  counted: FileMeter,
): Promise<void> {
  const { url, tree } = connection;
  const unfinished = new UnfinishedUpload({ url, tree, path: file.path, sha256: file.sha256 });
  let id = await unfinished.id();
  let received = 0;
  await retried(async () => {
    received = id === undefined ? 0 : await offsetOf(connection, id) ?? -1;
    if (id === undefined || received === -1) {
      received = 0;
      id = await create(connection, file);
      await unfinished.remember(id);
    }
    counted.restart(received);
    const onReceived = (bytes: number) => {
      received += bytes;
      counted.add(bytes);
    };
    await sendRest(connection, { id, file, received, onReceived });
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
  { path, size, sha256, replaces }: LargeFile,
): Promise<string> {
  const metadata = Object.entries({ path, sha256 })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`);
  const response = await connection.request("POST", "/uploads/", {
    query: { on_conflict: replaces ? "replace" : "error" },
    headers: { ...PROTOCOL, "Upload-Length": String(size), "Upload-Metadata": metadata.join() },
  });
  const [address = ""] = response.headers.get("Location")?.split("?") ?? [];
  const id = address.split("/").at(-1) ?? "";
  if (isUploadId(id)) return id;
  throw new Error("The server sent an address of an upload that is not understood");
}

interface Rest {
  readonly id: string;
  readonly file: LargeFile;
  readonly received: number;
  onReceived(bytes: number): void;
}

/** Sends the rest of a file, part by part. */
async function sendRest(connection: Connection, rest: Rest): Promise<void> {
  const { id, file, onReceived } = rest;
  using input = await Deno.open(file.source);
  await input.seek(rest.received, Deno.SeekMode.Start);
  const buffer = new Uint8Array(PART_BYTES);
  for (let received = rest.received; received < file.size;) {
    const part = await readFull(input, buffer.subarray(0, file.size - received));
    if (part.length === 0) throw new Error("It has become shorter meanwhile");
    await append(connection, id, received, part);
    received += part.length;
    onReceived(part.length);
  }
}

async function append(
  connection: Connection,
  id: string,
  received: number,
  part: Uint8Array<ArrayBuffer>,
): Promise<void> {
  try {
    await connection.request("PATCH", `/uploads/${id}`, {
      headers: {
        ...PROTOCOL,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(received),
      },
      body: () => part,
      retry: "never",
    });
  } catch (error) {
    // The server was still receiving what an earlier connection had sent: its offset is asked again.
    if (!(error instanceof RemoteError && error.kind === "ErrUploadsConflict")) throw error;
    throw new ConnectionLost(error.message, { cause: error });
  }
}
