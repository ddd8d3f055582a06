import * as assert from "node:assert/strict";
import type { ContentTasks } from "../../../../storage/content/content_tasks.ts";
import { MIB } from "../../../../schemas/units.ts";
import { Bucket } from "../../../../storage/content/objects/bucket.ts";
import { ObjectSink } from "../../../../storage/content/objects/object_sink.ts";
import { PART_BYTES } from "../../../../storage/content/objects/part_buffer.ts";
import { S3Requests } from "../../../../storage/content/objects/requests.ts";
import { FILES_ONLY } from "../../../../storage/threads/permissions.ts";
import { WorkerPool } from "../../../../storage/threads/pool.ts";
import { WORKERS } from "../../../../storage/threads/workers.ts";
import { SIGNED_BY_TESTS } from "../../../support/s3.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { until } from "../../../support/until.ts";

/** Many clients send at once. */
const UPLOADS = 16;

Deno.test("C 6 and C 23 parts that wait for a slow store are in files, however many uploads there are", async () => {
  await using directory = await TempDir.make();
  using pool = new WorkerPool<ContentTasks>(WORKERS.content, 2, FILES_ONLY);
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      if (request.method === "POST") {
        await request.body?.cancel();
        // Begins an upload, or ends one.
        return new Response('<UploadId>it</UploadId><ETag>"it"</ETag>');
      }
      await request.arrayBuffer();
      waiting++;
      await gate.promise;
      return new Response(null, { headers: { etag: '"part"' } });
    },
  );
  const endpoint = `http://127.0.0.1:${server.addr.port}`;
  const location = { bucket: "bucket", prefix: "p/", endpoint, region: "us-east-1" };
  const parts = {
    bucket: new Bucket(new S3Requests(location, SIGNED_BY_TESTS)),
    pool,
    temporaryPath: () => `${directory.path}/${crypto.randomUUID()}`,
  };
  const chunk = new Uint8Array(MIB);
  // Other tests of this thread may have left some.
  const { external: former } = Deno.memoryUsage();
  const upload = async (index: number) => {
    using sink = await ObjectSink.open(`p/${index}`, parts);
    for (let bytes = 0; bytes <= 3 * PART_BYTES; bytes += MIB) await sink.write(chunk);
    return await sink.finish();
  };
  const uploads = Array.from({ length: UPLOADS }, (_, index) => upload(index));
  await until(() => waiting === 4);
  // Whatever else can be done while the store answers nothing is done then.
  for (let before = -1, now = 0; before !== now; before = now, now = filesIn(directory.path)) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { external } = Deno.memoryUsage();
  gate.resolve();
  const digests = await Promise.all(uploads);
  const taken = external - former;
  assert.ok(taken < 160 * MIB, `${Math.round(taken / MIB)} MiB`);
  assert.deepEqual(new Set(digests.map(({ size }) => size)), new Set([3 * PART_BYTES + MIB]));
  assert.equal(new Set(digests.map(({ hash }) => hash)).size, 1);
});

/** The bytes of all files in a directory. */
function filesIn(path: string): number {
  return [...Deno.readDirSync(path)]
    .reduce((bytes, { name }) => bytes + Deno.statSync(`${path}/${name}`).size, 0);
}
