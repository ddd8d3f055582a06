/** Content that changes while the gate looks at it. */

import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ScanFailure } from "../../core/scans/ports.ts";
import type { BlobStore } from "../../core/blob_store.ts";
import type { Client } from "../support/client.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { until } from "../support/until.ts";
import { TestServer } from "../support/server.ts";

const [GENUINE, FORGED] = MD5_COLLISION;

/**
 * A server that lets the genuine content through and no other. The forged content takes its place as
 * soon as a download that the gate has admitted opens it.
 */
async function swappingServer() {
  let swap: (() => Promise<void>) | undefined;
  let opened = 0;
  const swapOnce = async () => {
    opened++;
    const work = swap;
    swap = undefined;
    await work?.();
  };
  const server = await TestServer.start({
    // History would keep the content that is to be replaced.
    settings: { gate: "block", history: 0 },
    contents: { scan: () => Promise.reject(new ScanFailure("No scan")) },
    wrap: (tree) => {
      const { blobs } = tree;
      const swapping: Partial<BlobStore> = {
        async open(hash, range) {
          await swapOnce();
          return await blobs.open(hash, range);
        },
        async *pack(pages, compression) {
          await swapOnce();
          yield* blobs.pack(pages, compression);
        },
      };
      return { ...tree, blobs: withMethods(blobs, swapping) };
    },
  });
  const one = await server.as(1);
  const sha256 = createHash("sha256").update(GENUINE).digest("hex");
  await (await server.admin()).json("POST", "/waivers/", { sha256, reason: "genuine" });
  return { server, one, opened: () => opened, onOpen: (work: () => Promise<void>) => swap = work };
}

/** An object with other methods in place of its own. */
function withMethods(blobs: BlobStore, methods: Partial<BlobStore>): BlobStore {
  return new Proxy(blobs, {
    get(target, key) {
      const value = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function replaceBy(one: Client, dir: string, content: Uint8Array<ArrayBuffer>) {
  await one.remove({ path: dir });
  // Refused as long as the other content with this MD5 is stored.
  await until(async () => (await one.upload(dir, { "a.bin": content })).status === 200);
}

Deno.test("C 18 a file whose content is replaced between the check and the opening is refused", async () => {
  const { server, one, onOpen } = await swappingServer();
  await using _server = server;
  await one.upload("d", { "a.bin": GENUINE });
  assert.deepEqual(await one.bytes({ path: "d/a.bin" }), GENUINE);
  onOpen(() => replaceBy(one, "d", FORGED));
  const response = await one.download({ path: "d/a.bin" });
  assert.equal(response.status, 403, await response.text());
});

Deno.test("C 18 the same for a range", async () => {
  const { server, one, onOpen } = await swappingServer();
  await using _server = server;
  await one.upload("d", { "a.bin": GENUINE });
  onOpen(() => replaceBy(one, "d", FORGED));
  const response = await one.download({ path: "d/a.bin" }, { Range: "bytes=0-9" });
  assert.equal(response.status, 403, await response.text());
});

Deno.test("C 18 the same for a file of a ZIP", async () => {
  const { server, one, onOpen } = await swappingServer();
  await using _server = server;
  await one.upload("d", { "a.bin": GENUINE });
  assert.equal((await one.bytes({ path: "d" })).length > 128, true);
  onOpen(() => replaceBy(one, "d", FORGED));
  const response = await one.download({ path: "d" });
  await response.text();
  // Its checksum differs, too, which may be noticed first.
  assert.ok([403, 500].includes(response.status), String(response.status));
});

Deno.test("C 18 a download starts again if equal content has taken the place of what was admitted", async () => {
  for (const path of ["d/a.bin", "d"]) {
    const { server, one, opened, onOpen } = await swappingServer();
    await using _server = server;
    await one.upload("d", { "a.bin": GENUINE });
    onOpen(async () => {
      await replaceBy(one, "d", FORGED);
      await replaceBy(one, "d", GENUINE);
    });
    assert.ok((await one.bytes({ path })).length >= GENUINE.length);
    assert.equal(opened(), 2);
  }
});
