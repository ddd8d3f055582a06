import * as assert from "node:assert/strict";
import { check } from "../../../../storage/upkeep/check/check.ts";
import { backUp } from "../../../../storage/upkeep/backup/back_up.ts";
import { Connection } from "../../../../storage/sqlite/connection.ts";
import { noise } from "../../../support/random.ts";
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
