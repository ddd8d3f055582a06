import * as assert from "node:assert/strict";
import type { Client } from "../support/client.ts";
import { ChildServer } from "../support/child_server.ts";
import { checkDataDirectory } from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { openDatabase } from "../support/test_database.ts";
import { createUpload, headUpload, offsetOf, patchUpload, stalledPatch } from "../support/tus.ts";
import { until } from "../support/until.ts";

/** What is recorded within a request. */
const RECORDED = 64_000_000;
/** Several times as much. */
const SIZE = 200_000_000;

Deno.test("C 21 an upload survives kill -9 in the middle of a request", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const content = noise(SIZE);
  let client: Client | undefined;
  let upload = "";
  {
    await using server = await ChildServer.start({ dataDir });
    client = await server.as(1);
    upload = await createUpload(client, "models/a", SIZE);
    using _stalled = await stalledPatch(client, upload, content.subarray(0, 150_000_000));
    // It is recorded beside what comes in, and later if the disk is slow.
    await until(async () => {
      await using database = await openDatabase(dataDir);
      return Number((await database.get("SELECT received FROM uploads"))?.received) >= RECORDED;
    });
    await server.end("SIGKILL");
  }
  await checkDataDirectory(dataDir);
  {
    await using server = await ChildServer.start({ dataDir });
    client = await server.as(1);
    const offset = await offsetOf(client, upload);
    assert.ok(offset >= RECORDED && offset <= 150_000_000, String(offset));
    const half = await patchUpload(client, upload, {
      offset,
      body: content.subarray(offset, SIZE - 1),
    });
    assert.equal(half.status, 204, half.text);
    await server.end("SIGKILL");
  }
  await using server = await ChildServer.start({ dataDir });
  client = await server.as(1);
  assert.equal(await offsetOf(client, upload), SIZE - 1);
  const last = await patchUpload(client, upload, { offset: SIZE - 1, body: content.slice(-1) });
  assert.equal(last.status, 204, last.text);
  assert.deepEqual(await client.bytes({ path: "models/a" }), content);
});

Deno.test("C 21 an upload survives kill -9 at its completion", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const content = noise(300_000);
  let completed = 0;
  for (let round = 0; round < 3; round++) {
    let upload = "";
    const path = `round/${round}`;
    const own = content.with(0, round);
    {
      await using server = await ChildServer.start({ dataDir });
      const client = await server.as(1);
      upload = await createUpload(client, path, own.length);
      await patchUpload(client, upload, { offset: 0, body: own.slice(0, 200_000) });
      const last = patchUpload(client, upload, { offset: 200_000, body: own.slice(200_000) })
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 4 * round));
      await server.end("SIGKILL");
      completed += (await last)?.status === 204 ? 1 : 0;
    }
    await using server = await ChildServer.start({ dataDir });
    const client = await server.as(1);
    const offset = await offsetOf(client, upload);
    assert.ok(offset === 200_000 || offset === own.length, String(offset));
    if (offset < own.length) {
      const last = await patchUpload(client, upload, { offset, body: own.slice(offset) });
      assert.equal(last.status, 204, last.text);
    }
    // The placed file is there once the offset says so.
    assert.deepEqual(await client.bytes({ path }), own);
    assert.equal((await headUpload(client, upload)).status, 200);
    // A kill after the commit has left what the content came in, which a start removes in the background.
    await until(async () =>
      (await Array.fromAsync(Deno.readDir(`${dataDir}/uploads`))).length === 0
    );
  }
  await checkDataDirectory(dataDir);
  assert.ok(completed <= 3);
});
