/** Object stores that do not allow everything, and replies that promise what is not there. */

import * as assert from "node:assert/strict";
import { chunksOf, contentOf, publish } from "../conformance/blob_store_suite.ts";
import { noise } from "../support/random.ts";
import { faults, settledKeys } from "../support/s3_rooms.ts";

const LARGE = noise(20_000_000);
const ONE_PART = noise(300_000, 2);

for (const status of [403, 405, 501]) {
  faults(
    `objects are deleted if the store tells no unfinished uploads (${status}), and a warning says why`,
    async (room) => {
      const [lacks, failures]: [Error[], unknown[]] = [[], []];
      await using stores = await room.open({
        onLack: (error) => lacks.push(error),
        onFailure: (error) => failures.push(error),
      });
      room.proxy.fault = ({ method, target }) =>
        method === "GET" && target.includes("uploads=") ? { status } : "pass";
      for (const content of [LARGE, ONE_PART]) {
        await using staged = await stores.blobs.stage(chunksOf(content));
        await publish(stores, [staged]);
        await stores.records.write(
          (transaction) => stores.blobs.remove([staged.hash], transaction),
          { alone: true },
        );
      }
      // Some engines know that no upload of what was content is unfinished.
      const givenUp = await stores.blobs.stage(chunksOf(ONE_PART));
      await givenUp[Symbol.asyncDispose]();
      assert.deepEqual(await settledKeys(room, stores), []);
      assert.deepEqual(failures, []);
      assert.equal(lacks.length, 1);
      assert.match(String(lacks[0]), /needs the right s3:ListBucketMultipartUploads/);
    },
  );
}

faults("a right that is lacking is named", async (room) => {
  const failures: unknown[] = [];
  await using stores = await room.open({ onFailure: (error) => failures.push(error) });
  await using staged = await stores.blobs.stage(chunksOf(ONE_PART));
  await publish(stores, [staged]);
  room.proxy.fault = ({ method }) => method === "DELETE" ? { status: 403 } : "pass";
  await stores.records.write(
    (transaction) => stores.blobs.remove([staged.hash], transaction),
    { alone: true },
  );
  await stores.blobs.removals.run();
  assert.match(String(failures[0]), /needs the right s3:DeleteObject/);
  room.proxy.fault = ({ method }) => method === "PUT" ? { status: 403 } : "pass";
  await assert.rejects(stores.blobs.probe(), /needs the right s3:PutObject/);
});

const NOT_MADE = "<Error><Code>InternalError</Code><Message>Try again</Message></Error>";
for (const body of ["", NOT_MADE, "<CompleteMultipartUploadResult/>"]) {
  faults(
    `an upload is no success that the store completes with 200 and ${body || "nothing"}`,
    async (room) => {
      await using stores = await room.open();
      const isLast = (method: string, target: string) =>
        method === "POST" && target.includes("uploadId=");
      room.proxy.fault = ({ method, target }) =>
        isLast(method, target) ? { status: 200, body } : "pass";
      await assert.rejects(stores.blobs.stage(chunksOf(LARGE)), { kind: "ErrUnavailable" });
      room.proxy.fault = () => "pass";
      assert.deepEqual(await settledKeys(room, stores), []);
      await using staged = await stores.blobs.stage(chunksOf(LARGE));
      await publish(stores, [staged]);
      assert.deepEqual(await contentOf(stores.blobs, staged.hash), LARGE);
    },
  );
}
