/** Objects of the S3 door, and what its replies say. */

import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { RawReply } from "./raw_http.ts";
import type { S3Client, S3Request } from "./s3_client.ts";

/** The smallest part of an upload but the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The texts of the elements of a name. */
export function textsOf({ body }: RawReply, name: string): string[] {
  return [...body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))]
    .map(([, text = ""]) => text.replaceAll("&#38;", "&"));
}

/** A header of a reply. */
export function headerOf({ head }: RawReply, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
}

/** Asserts that a request is refused with a status and a code. */
export async function refused(
  client: S3Client,
  request: S3Request,
  [status, code]: readonly [number, string],
): Promise<void> {
  const reply = await client.request(request);
  assert.deepEqual([reply.status, textsOf(reply, "Code")], [status, [code]], reply.body);
}

/** In hex. */
export const md5 = (content: string | Uint8Array) =>
  createHash("md5").update(content).digest("hex");

/** Requests for the objects of a bucket. */
export function objectsOf(client: S3Client, bucket = "own") {
  const path = (key: string) => `/s3/${bucket}/${encodeURIComponent(key).replaceAll("%2F", "/")}`;
  return {
    put: (key: string, body = "", headers: Record<string, string> = {}) =>
      client.request({ method: "PUT", path: path(key), body, headers }),
    get: (key: string, headers: Record<string, string> = {}) =>
      client.request({ method: "GET", path: path(key), headers }),
    list: (query: Record<string, string> = {}) =>
      client.request({
        method: "GET",
        path: `/s3/${bucket}`,
        query: { "list-type": "2", ...query },
      }),
  };
}

/** The ETag of an object of these parts, without quotes. */
export function multipartEtag(parts: readonly string[]): string {
  const hash = createHash("md5");
  for (const part of parts) hash.update(md5(part), "hex");
  return `${hash.digest("hex")}-${parts.length}`;
}

/** An upload in parts of an object. */
export function uploadOf(client: S3Client, path: string) {
  return {
    async begin(headers: Record<string, string> = {}): Promise<string> {
      const reply = await client.request({ method: "POST", path, query: { uploads: "" }, headers });
      return textsOf(reply, "UploadId")[0] ?? "";
    },
    part: (uploadId: string, number: number, body: string, headers: Record<string, string> = {}) =>
      client.request({
        ...{ method: "PUT", path, body, headers },
        query: { uploadId, partNumber: String(number) },
      }),
    complete: (
      uploadId: string,
      parts: readonly (readonly [number: number, content: string])[],
    ): S3Request => ({
      method: "POST",
      path,
      query: { uploadId },
      body: `<CompleteMultipartUpload>${
        parts.map(([number, content]) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>"${md5(content)}"</ETag></Part>`
        ).join("")
      }</CompleteMultipartUpload>`,
    }),
  };
}
