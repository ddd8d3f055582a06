import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { Upload, type UploadOptions as UploadFunctions } from "tus-js-client";
import type { Client } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";

const CONTENT = noise(5_000_000);

interface UploadOptions {
  readonly content?: Uint8Array<ArrayBuffer>;
  readonly metadata: Record<string, string>;
  readonly query?: string;
  readonly chunkSize?: number;
  /** The address of an upload to go on with. */
  readonly uploadUrl?: string | undefined;
  /** Aborts when this much has been accepted. */
  readonly abortAt?: number;
  readonly withCreation?: boolean;
}

/** Uploads as a program with tus-js-client does. Returns the address of the upload. */
function uploadBy(client: Client, options: UploadOptions): Promise<string | null> {
  const { content = CONTENT, metadata, query = "", abortAt = Infinity, uploadUrl } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const upload = new Upload(Buffer.from(content), {
    endpoint: `${client.url}/uploads/${query}`,
    ...(uploadUrl !== undefined && { uploadUrl }),
    chunkSize: options.chunkSize ?? 1_000_000,
    retryDelays: [0, 10],
    headers: { Authorization: `Bearer ${client.token}` },
    metadata,
    uploadDataDuringCreation: options.withCreation ?? false,
    storeFingerprintForResuming: false,
    onError: reject,
    onSuccess: () => resolve(upload.url),
    async onChunkComplete(_size, accepted) {
      if (accepted < abortAt) return;
      await upload.abort();
      resolve(upload.url);
    },
  });
  upload.start();
  return promise;
}

Deno.test({
  name: "C 21 tus-js-client uploads, and resumes after it was ended in the middle",
  // It keeps connections of Node's agent.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using server = await TestServer.start();
    const one = await server.as(1);
    const sha256 = createHash("sha256").update(CONTENT).digest("hex");

    await t.step("C 21 in chunks, in one request, and with the creation", async () => {
      await uploadBy(one, { metadata: { filename: "chunks.bin", dir: "a", sha256 } });
      await uploadBy(one, { metadata: { path: "a/whole.bin" }, chunkSize: Infinity });
      await uploadBy(one, { metadata: { path: "a/first.bin" }, withCreation: true });
      await uploadBy(one, { content: new Uint8Array(), metadata: { path: "a/empty" } });
      for (const name of ["chunks.bin", "whole.bin", "first.bin"]) {
        assert.deepEqual(await one.bytes({ path: `a/${name}` }), CONTENT, name);
      }
      assert.equal((await one.bytes({ path: "a/empty" })).length, 0);
    });
    await t.step("C 21 an aborted upload goes on where it was", async () => {
      const metadata = { path: "resumed.bin" };
      const url = await uploadBy(one, { metadata, abortAt: 2_000_000 });
      assert.equal((await one.tree()).includes("resumed.bin"), false);
      await uploadBy(one, { metadata, uploadUrl: url ?? undefined });
      assert.deepEqual(await one.bytes({ path: "resumed.bin" }), CONTENT);
    });
    await t.step("C 21 a refusal reaches the program", async () => {
      await assert.rejects(uploadBy(one, { metadata: { path: "resumed.bin" } }), /409/);
      await uploadBy(one, { metadata: { path: "resumed.bin" }, query: "?on_conflict=replace" });
      await assert.rejects(
        uploadBy(one, { metadata: { path: "wrong.bin", sha256: "0".repeat(64) } }),
        /ErrResourcesInvalidData/,
      );
    });
  },
});

Deno.test({
  name: "C 21 tus-js-client goes on after the server was stopped and started",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const dataDir = await Deno.makeTempDir();
    try {
      const metadata = { path: "a.bin" };
      let url: string | null = null;
      {
        await using server = await TestServer.start({ dataDir });
        url = await uploadBy(await server.as(1), { metadata, abortAt: 3_000_000 });
      }
      await using server = await TestServer.start({ dataDir });
      const one = await server.as(1);
      const id = new URL(url ?? "").pathname.split("/").at(-1);
      await uploadBy(one, { metadata, uploadUrl: `${one.url}/uploads/${id}` });
      assert.deepEqual(await one.bytes({ path: "a.bin" }), CONTENT);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});

Deno.test({
  name: "C 21 tus-js-client uploads parts beside each other, and what has no size yet",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using server = await TestServer.start();
    const one = await server.as(1);
    const options = {
      endpoint: `${one.url}/uploads/`,
      retryDelays: [0, 10],
      headers: { Authorization: `Bearer ${one.token}` },
      storeFingerprintForResuming: false,
    };
    const uploaded = (content: Buffer | Readable, more: Partial<UploadFunctions>) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      new Upload(content, {
        ...options,
        ...more,
        onError: reject,
        onSuccess: () => resolve(),
      }).start();
      return promise;
    };
    await t.step("C 21 parallelUploads: 3", async () => {
      const sha256 = createHash("sha256").update(CONTENT).digest("hex");
      const metadata = { path: "a/parallel.bin", sha256 };
      await uploaded(Buffer.from(CONTENT), { metadata, parallelUploads: 3, chunkSize: 700_000 });
      assert.deepEqual(await one.bytes({ path: "a/parallel.bin" }), CONTENT);
    });
    await t.step("C 21 uploadLengthDeferred", async () => {
      const stream = Readable.from([
        Buffer.from(CONTENT.slice(0, 3_000_001)),
        Buffer.from(CONTENT.slice(3_000_001)),
      ]);
      const metadata = { path: "a/deferred.bin" };
      await uploaded(stream, { metadata, uploadLengthDeferred: true, chunkSize: 1_000_000 });
      assert.deepEqual(await one.bytes({ path: "a/deferred.bin" }), CONTENT);
    });
  },
});
