import * as assert from "node:assert/strict";
import { check } from "../../../../storage/upkeep/check/check.ts";
import { backUp } from "../../../../storage/upkeep/backup/back_up.ts";
import { Connection } from "../../../../storage/sqlite/connection.ts";
import { MIB } from "../../../../schemas/units.ts";
import { noise } from "../../../support/random.ts";
import { S3Client } from "../../../support/s3_client.ts";
import { TestServer } from "../../../support/server.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { createUpload, headUpload, offsetOf, patchUpload } from "../../../support/tus.ts";
import { until } from "../../../support/until.ts";

const OPTIONS = { readData: false, repair: false, onProgress: () => {} };

Deno.test("C 21 and C 22 a check compares unfinished uploads with their parts", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let [whole, lost] = ["", ""];
  {
    await using server = await TestServer.start({ dataDir });
    const one = await server.as(1);
    whole = await createUpload(one, "whole", 300_000);
    lost = await createUpload(one, "lost", 300_000);
    for (const upload of [whole, lost]) {
      await patchUpload(one, upload, { offset: 0, body: noise(200_000) });
    }
    assert.equal((await check(dataDir, OPTIONS)).findings.found, 0);
  }
  await Deno.truncate(`${dataDir}${lost}`, 100_000);
  await Deno.writeTextFile(`${dataDir}/uploads/${"0".repeat(32)}`, "stray");
  const found = await check(dataDir, OPTIONS);
  assert.deepEqual(found.findings.listed.map(({ kind, path }) => [kind, path]), [[
    "upload",
    "lost",
  ]]);
  assert.equal(found.strayParts, 1);
  const repaired = await check(dataDir, { ...OPTIONS, repair: true });
  assert.equal(repaired.findings.repaired, 1);
  await using server = await TestServer.start({ dataDir });
  const one = await server.as(1);
  assert.equal((await headUpload(one, lost)).status, 404);
  assert.equal(await offsetOf(one, whole), 200_000);
  const parts = () => Array.fromAsync(Deno.readDir(`${dataDir}/uploads`), ({ name }) => name);
  await until(async () => (await parts()).length === 1);
});

Deno.test("C 22 and C 30 a check knows where in their file the parts of an upload by S3 are", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let [upload, listed] = ["", ""];
  const part = { method: "PUT", path: "/s3/own/whole.bin" };
  {
    await using server = await TestServer.start({ dataDir });
    const s3 = await S3Client.of(server);
    const created = await s3.request({ ...part, method: "POST", query: { uploads: "" } });
    upload = /<UploadId>(\w+)</.exec(created.body)?.[1] ?? "";
    for (const [partNumber, bytes] of [["1", 5 * MIB], ["2", 100_000]] as const) {
      const query = { uploadId: upload, partNumber };
      const { status, head } = await s3.request({ ...part, query, body: noise(bytes) });
      assert.equal(status, 200);
      const etag = /^etag: (.*)$/im.exec(head)?.[1]?.trim() ?? "";
      listed += `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`;
    }
  }
  assert.equal((await check(dataDir, OPTIONS)).findings.found, 0);
  const [name] = await Array.fromAsync(Deno.readDir(`${dataDir}/uploads`), ({ name }) => name);
  // Both are names of one file.
  await Deno.truncate(`${dataDir}/uploads/${name}`, 5 * MIB + 50_000);
  const { findings } = await check(dataDir, { ...OPTIONS, repair: true });
  assert.deepEqual(findings.listed.map(({ message }) => message.replace(/.* has /, "")), [
    "50000 bytes left of 100000",
  ]);
  await using server = await TestServer.start({ dataDir });
  const s3 = await S3Client.of(server);
  const reply = await s3.request({
    ...part,
    method: "POST",
    query: { uploadId: upload },
    body: `<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`,
  });
  assert.equal(reply.status, 400, reply.body);
  assert.match(reply.body, /<Code>InvalidPart</);
});

Deno.test("C 21 and C 22 a backup leaves unfinished uploads out", async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start({ dataDir: `${directory.path}/data` });
  const one = await server.as(1);
  const upload = await createUpload(one, "a", 300_000);
  await patchUpload(one, upload, { offset: 0, body: noise(200_000) });
  await backUp(server.dataDir, backup, () => {});
  const [snapshot] = await Array.fromAsync(Deno.readDir(`${backup}/snapshots`));
  using copy = new Connection(`${backup}/snapshots/${snapshot?.name}/strongroom.db`, {
    readOnly: true,
  });
  assert.equal(copy.get("SELECT count(*) AS n FROM uploads")?.n, 0);
  assert.equal(await offsetOf(one, upload), 200_000);
});

Deno.test("C 21 a start removes unfinished uploads whose part is missing", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let upload = "";
  {
    await using server = await TestServer.start({ dataDir });
    upload = await createUpload(await server.as(1), "a", 10);
  }
  await Deno.remove(`${dataDir}${upload}`);
  await using server = await TestServer.start({ dataDir });
  const one = await server.as(1);
  await until(async () => (await headUpload(one, upload)).status === 404);
});
