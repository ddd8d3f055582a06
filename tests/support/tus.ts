/** Requests of tus 1.0.0, written out. The tests of real clients are in tests/clients. */

import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Client, QueryParameters, Reply } from "./client.ts";
import { joinBytes } from "./raw_http.ts";

export const TUS = { "Tus-Resumable": "1.0.0" };
export const CONTENT_TYPE = "application/offset+octet-stream";

/** The value of `Upload-Metadata`. */
export function metadataOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join();
}

/** The value of `Upload-Checksum`. */
export function checksumOf(algorithm: "sha1" | "sha256" | "md5", content: BodyBytes): string {
  return `${algorithm} ${createHash(algorithm).update(content).digest("base64")}`;
}

type BodyBytes = string | Uint8Array<ArrayBuffer>;

export interface CreateOptions {
  readonly size: number | string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly query?: QueryParameters;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

/** Requests the creation of an upload. */
export function postUpload(client: Client, options: CreateOptions): Promise<Reply> {
  const { size, metadata = {}, query, headers, body } = options;
  return client.send("POST", "/uploads/", {
    query,
    headers: {
      ...TUS,
      "Upload-Length": String(size),
      "Upload-Metadata": metadataOf(metadata),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
}

/** Creates an upload for a path, which must succeed. Returns its address, relative to the base. */
export async function createUpload(
  client: Client,
  path: string,
  size: number,
  options: Partial<CreateOptions> = {},
): Promise<string> {
  const reply = await postUpload(client, { metadata: { path }, size, ...options });
  assert.equal(reply.status, 201, reply.text);
  const location = reply.headers.get("Location") ?? "";
  return `/uploads/${/^[0-9a-f]{32}/.exec(location)}`;
}

/** Sends content for an upload. */
export function patchUpload(
  client: Client,
  upload: string,
  { offset, body, headers }: {
    readonly offset: number;
    readonly body: BodyInit;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Reply> {
  return client.send("PATCH", upload, {
    body,
    headers: { ...TUS, "Content-Type": CONTENT_TYPE, "Upload-Offset": String(offset), ...headers },
  });
}

/** Asks how far an upload is. */
export function headUpload(client: Client, upload: string): Promise<Reply> {
  return client.send("HEAD", upload, { headers: TUS });
}

/** How many bytes an upload has received. */
export async function offsetOf(client: Client, upload: string): Promise<number> {
  const reply = await headUpload(client, upload);
  assert.equal(reply.status, 200);
  return Number(reply.headers.get("Upload-Offset"));
}

export function deleteUpload(client: Client, upload: string): Promise<Reply> {
  return client.send("DELETE", upload, { headers: TUS });
}

/**
 * Sends a part of the content of a request, and leaves the connection open, as a client does whose network
 * is gone.
 */
export async function stalledPatch(
  client: Client,
  upload: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<Deno.TcpConn> {
  const { hostname, port, pathname } = new URL(client.url + upload);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    `PATCH ${pathname} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${client.token}`,
    "Tus-Resumable: 1.0.0",
    `Content-Type: ${CONTENT_TYPE}`,
    "Upload-Offset: 0",
    `Content-Length: ${content.length + 1}`,
  ];
  for (const bytes of [joinBytes([head.join("\r\n"), "\r\n\r\n"]), content]) {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  }
  return connection;
}
