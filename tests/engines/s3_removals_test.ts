/** How many requests it takes to delete what was content (C 31). */

import * as assert from "node:assert/strict";
import { chunksOf, publish } from "../conformance/blob_store_suite.ts";
import type { Fault } from "../support/faulty_proxy.ts";
import { postgresRecords } from "../support/object_stores.ts";
import { noise } from "../support/random.ts";
import { S3Engine } from "../support/s3.ts";
import { makeRoom, type OpenStores, type Room, settledKeys } from "../support/s3_rooms.ts";

const FILES = 5;
const database = postgresRecords();
const ignore = !S3Engine.isInstalled || !database.isInstalled;

/** Stores some content, and makes its objects leave. */
async function dropSome({ blobs, records }: OpenStores, count = FILES): Promise<void> {
  const hashes: string[] = [];
  for (let index = 0; index < count; index++) {
    await using staged = await blobs.stage(chunksOf(noise(100_000, index)));
    await publish({ blobs, records }, [staged]);
    hashes.push(staged.hash);
  }
  await records.write((transaction) => blobs.remove(hashes, transaction), { alone: true });
}

/** The requests that delete something, or look for what is to be deleted. */
function deletions({ proxy }: Room): string[] {
  return proxy.requests.map(({ method, target }) => `${method} ${target}`)
    .filter((it) => it.startsWith("DELETE") || it.includes("delete=") || it.includes("uploads="));
}

Deno.test({
  name: "C 31 objects that were content are deleted together, twice",
  ignore,
}, async () => {
  await using room = await makeRoom(database);
  await using stores = await room.open();
  await dropSome(stores);
  assert.deepEqual(await settledKeys(room, stores), []);
  assert.deepEqual(deletions(room), ["POST /bucket?delete=", "POST /bucket?delete="]);
});

for (
  const [what, fault, lack] of [
    ["refuses", { status: 501 }, 1],
    ["has no meaning for", { status: 200, body: "<html>Welcome</html>" }, 1],
    ["does not permit", {
      status: 200,
      body: "<DeleteResult><Error><Key>KEY</Key><Code>AccessDenied</Code></Error></DeleteResult>",
    }, 0],
  ] as const satisfies readonly (readonly [string, Fault, number])[]
) {
  Deno.test({
    name:
      `C 31 a store that ${what} a deletion of many deletes them in the end, and it is said why not`,
    ignore,
  }, async () => {
    const [lacks, failures]: [Error[], unknown[]] = [[], []];
    await using room = await makeRoom(database);
    await using stores = await room.open({
      onLack: (error) => lacks.push(error),
      onFailure: (error) => failures.push(error),
    });
    await dropSome(stores);
    const objects = (await stores.rows("SELECT key FROM objects ORDER BY key")).map(({ key }) =>
      key
    );
    assert.equal(objects.length, FILES);
    let refusals = 0;
    room.proxy.fault = ({ target }) => {
      if (!target.includes("delete=") || refusals++ > 0) return "pass";
      return "body" in fault
        ? { ...fault, body: fault.body.replace("KEY", String(objects[0])) }
        : fault;
    };
    await stores.blobs.removals.run();
    room.proxy.fault = () => "pass";
    assert.equal(lacks.length, lack);
    assert.equal(failures.length, 1 - lack);
    await stores.rows("UPDATE objects SET due_at = 0");
    assert.deepEqual(await settledKeys(room, stores), []);
  });
}
