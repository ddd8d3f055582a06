import * as assert from "node:assert/strict";
import type { LfsPointer } from "../../core/lfs_objects.ts";
import { findObjects, parkObject } from "../../core/hub/lfs_objects.ts";
import { backUp } from "../../storage/upkeep/backup/back_up.ts";
import { check } from "../../storage/upkeep/check/check.ts";
import { Connection } from "../../storage/sqlite/connection.ts";
import { STATEMENTS } from "../../storage/sqlite/statements.ts";
import { dataOf } from "../support/client.ts";
import {
  callerWith,
  chunks,
  commitTo,
  lfsFile,
  park,
  REPOSITORY,
  sha256Of,
} from "../support/commits.ts";
import { checkDataDirectory, checkInvariants } from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { openDatabase } from "../support/test_database.ts";
import { TempDir } from "../support/temp_dir.ts";
import { createUpload, headUpload } from "../support/tus.ts";
import { until } from "../support/until.ts";
import { IN_FILES, IN_SQLITE } from "../support/engines.ts";
import { waitingFiles, waitingIn } from "../support/stored_content.ts";

const ONE = callerWith(1);
const TWO = callerWith(2);
const LARGE = noise(200_000);
const CHECK = { readData: false, repair: false, onProgress: () => {} };

function pointerTo(content: Uint8Array | string): LfsPointer {
  return { sha256: sha256Of(content), size: content.length };
}

/** A change of what waits, as if a day had passed, or something were lost. */
async function changeObjects(dataDir: string, sql: string): Promise<void> {
  await using database = await openDatabase(dataDir);
  await database.script(sql);
}

const EXPIRE = "UPDATE lfs_objects SET expires_at = 1";

Deno.test("C 20 content waits for a commit, and is not part of the tree", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  for (const content of [LARGE, "small", ""]) {
    await park(server.hub, ONE, content);
    await park(server.hub, ONE, content);
  }
  assert.deepEqual(await client.tree(), []);
  assert.equal((await waitingIn(server.dataDir)).length, 3);
  const asked = [pointerTo(LARGE), pointerTo("small"), { ...pointerTo(""), size: 1 }];
  assert.deepEqual(await findObjects(server.hub, ONE, asked), [true, true, false]);
  assert.deepEqual(await findObjects(server.hub, TWO, asked), [false, false, false]);
  await checkInvariants(server);
});

Deno.test("C 20 content of the own tree is found by SHA-256 and size, and that of others is not", async () => {
  await using server = await TestServer.start();
  await (await server.as(1)).upload("d", { "large": LARGE, "small": "small" });
  await (await server.as(2)).upload("", { "of two": "of two" });
  const asked = [LARGE, "small", "of two", "nobody's"].map(pointerTo);
  assert.deepEqual(await findObjects(server.hub, ONE, asked), [true, true, false, false]);
  assert.deepEqual(await findObjects(server.hub, TWO, asked), [false, false, true, false]);
  const other = { ...pointerTo("small"), size: 6 };
  assert.deepEqual(await findObjects(server.hub, ONE, [other]), [false]);
  await (await server.as(1)).remove({ path: "d/small" });
  assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo("small")]), [false]);
});

Deno.test("C 20 looking for content does the same work, whether or not another tree has it", {
  ignore: !IN_SQLITE,
}, async () => {
  await using server = await TestServer.start();
  await (await server.as(2)).upload("", { "of two": "of two" });
  using database = new Connection(`${server.dataDir}/strongroom.db`, { readOnly: true });
  const plan = database.all(`EXPLAIN QUERY PLAN ${STATEMENTS.uploads.contentOfTree}`, {
    user: 1,
    pointers: "[]",
  }).map(({ detail }) => String(detail));
  // Both searches are by indexes that have all that is asked: neither reads a row of another tree.
  const probes = plan.filter((line) => /COVERING INDEX/.test(line));
  assert.match(probes.join("\n"), /contents USING COVERING INDEX contents_by_sha256 \(sha256>\?\)/);
  assert.match(plan.join("\n"), /own USING INDEX records_by_hash \(hash=\? AND user_id=\?\)/);
});

Deno.test("C 20 content that is not what was announced is refused, and nothing is kept", async () => {
  await using server = await TestServer.start({ limits: { maxUploadFileSize: 250_000 } });
  const bytes = noise(200_000);
  const sha256 = sha256Of(bytes);
  const parkAs = (pointer: LfsPointer) =>
    parkObject(server.hub, { caller: ONE, ...pointer, content: chunks(bytes) });
  const cases: readonly [LfsPointer, RegExp][] = [
    [{ sha256: sha256Of("other"), size: bytes.length }, /has the SHA-256 [0-9a-f]{64} instead of/],
    [{ sha256, size: 200_001 }, /has 200000 bytes instead of 200001/],
    [{ sha256, size: 100_000 }, /has more than 100000 bytes/],
    [{ sha256, size: 250_001 }, /larger than/],
  ];
  for (const [pointer, message] of cases) await assert.rejects(parkAs(pointer), message);
  assert.deepEqual(await waitingIn(server.dataDir), []);
  assert.deepEqual(await findObjects(server.hub, ONE, [{ sha256, size: bytes.length }]), [false]);
  await checkInvariants(server);
});

Deno.test("C 20 and C 22 content that waits counts against the quota until its commit", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 500_000 } });
  const client = await server.as(1);
  await client.mkdir(REPOSITORY);
  await park(server.hub, ONE, LARGE);
  const usage = async () => dataOf(await client.send("GET", "/usage/"));
  assert.deepEqual(await usage(), {
    ...{ files: 0, directories: 3, bytes: 0, stored_bytes: 0, history_bytes: 0, tagged_bytes: 0 },
    ...{ uploading: 200_000, quota: 500_000 },
  });
  await park(server.hub, ONE, noise(200_000, 2));
  await assert.rejects(park(server.hub, ONE, noise(200_000, 3)), /quota of 488.3 KiB/);
  await commitTo(server.hub, ONE, [lfsFile("a", LARGE), lfsFile("b", LARGE)]).then(
    () => assert.fail("two files of one object exceed the quota"),
    (error) => assert.match(String(error), /quota of 488.3 KiB/),
  );
  await commitTo(server.hub, ONE, [lfsFile("a", LARGE), lfsFile("b", noise(200_000, 2))]);
  assert.deepEqual(await usage(), {
    ...{
      files: 2,
      directories: 3,
      bytes: 400_000,
      stored_bytes: 400_000,
      history_bytes: 0,
      tagged_bytes: 0,
    },
    ...{ uploading: 0, quota: 500_000 },
  });
  await assert.rejects(park(server.hub, ONE, noise(200_000, 4)), /quota of 488.3 KiB/);
  assert.deepEqual(await waitingIn(server.dataDir), []);
});

Deno.test("C 20 content survives restarts, and expires after 24 hours", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await TestServer.start({ dataDir });
    await (await server.as(1)).mkdir(REPOSITORY);
    await park(server.hub, ONE, LARGE);
    await park(server.hub, ONE, "small");
  }
  {
    await using server = await TestServer.start({ dataDir });
    const asked = [pointerTo(LARGE), pointerTo("small")];
    assert.deepEqual(await findObjects(server.hub, ONE, asked), [true, true]);
    await commitTo(server.hub, ONE, [lfsFile("small", "small")]);
    await using database = await openDatabase(dataDir);
    const row = await database.get("SELECT expires_at - created_at AS lasts FROM lfs_objects");
    assert.equal(row?.lasts, 24 * 3_600_000);
  }
  await changeObjects(dataDir, EXPIRE);
  await using server = await TestServer.start({ dataDir });
  await until(async () => (await waitingIn(server.dataDir)).length === 0);
  assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo(LARGE)]), [false]);
  await using database = await openDatabase(dataDir);
  assert.equal((await database.get("SELECT count(*) AS n FROM lfs_objects"))?.n, 0);
});

Deno.test("C 20 a commit does not take content that has expired", async () => {
  await using server = await TestServer.start();
  await (await server.as(1)).mkdir(REPOSITORY);
  await park(server.hub, ONE, LARGE);
  await changeObjects(server.dataDir, EXPIRE);
  const commit = () => commitTo(server.hub, ONE, [lfsFile("a", LARGE)]);
  await assert.rejects(commit(), /was not sent/);
  // Sent again, it waits for another day.
  await park(server.hub, ONE, LARGE);
  await commit();
});

Deno.test("C 20 a commit asks for content that is lost to be sent again", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  await client.mkdir(REPOSITORY);
  await park(server.hub, ONE, LARGE);
  for (const path of await waitingFiles(server.dataDir)) await Deno.remove(path);
  const commit = () => commitTo(server.hub, ONE, [lfsFile("a", LARGE)]);
  await assert.rejects(commit(), /was not sent/);
  assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo(LARGE)]), [false]);
  await park(server.hub, ONE, LARGE);
  await commit();
  assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/a` }), LARGE);
});

Deno.test(
  "C 20 and C 21 a start compares the files of uploads/ with uploads and content that waits",
  {
    ignore: !IN_FILES,
  },
  async () => {
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    let upload = "";
    {
      await using server = await TestServer.start({ dataDir });
      upload = await createUpload(await server.as(1), "a", 10);
      for (const content of ["kept", "lost"]) await park(server.hub, ONE, content);
      await using database = await openDatabase(dataDir);
      const lost = await database.get(
        "SELECT id FROM lfs_objects WHERE size = 4 AND sha256 = :sha",
        { sha: Uint8Array.fromHex(sha256Of("lost")) },
      );
      await Deno.remove(`${dataDir}/uploads/${lost?.id}`);
    }
    await Deno.writeTextFile(`${dataDir}/uploads/${"0".repeat(32)}`, "stray");
    await using server = await TestServer.start({ dataDir });
    await until(async () => (await waitingIn(server.dataDir)).length === 2);
    const held = () => findObjects(server.hub, ONE, [pointerTo("kept"), pointerTo("lost")]);
    await until(async () => (await held())[1] === false);
    assert.deepEqual(await held(), [true, false]);
    assert.equal((await headUpload(await server.as(1), upload)).status, 200);
  },
);

Deno.test(
  "C 20 and C 22 a check compares content that waits with its files",
  { ignore: !IN_FILES || !IN_SQLITE },
  async () => {
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    {
      await using server = await TestServer.start({ dataDir });
      await park(server.hub, ONE, LARGE);
      await park(server.hub, ONE, "small");
      const { findings, strayParts } = await check(dataDir, CHECK);
      assert.deepEqual([findings.found, strayParts], [0, 0]);
    }
    assert.equal((await check(dataDir, CHECK)).strayParts, 0);
    for await (const { name } of Deno.readDir(`${dataDir}/uploads`)) {
      await Deno.truncate(`${dataDir}/uploads/${name}`, 3);
    }
    const { findings } = await check(dataDir, CHECK);
    assert.deepEqual(findings.listed.map(({ kind, user_id }) => [kind, user_id]), [
      ["upload", 1],
      ["upload", 1],
    ]);
    const messages = findings.listed.map(({ message }) => message).join("\n");
    assert.match(
      messages,
      /The content [0-9a-f]{64} that waits .* user 1 has 3 bytes left of 200000/,
    );
    const repaired = await check(dataDir, { ...CHECK, repair: true });
    assert.equal(repaired.findings.repaired, 2);
    assert.equal((await check(dataDir, CHECK)).findings.found, 0);
    await using server = await TestServer.start({ dataDir });
    assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo(LARGE)]), [false]);
    await until(async () => (await waitingIn(server.dataDir)).length === 0);
  },
);

Deno.test("C 20 and C 22 a backup leaves out content that waits, and the key of the hub", {
  ignore: !IN_FILES || !IN_SQLITE,
}, async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start({ dataDir: `${directory.path}/data` });
  await park(server.hub, ONE, LARGE);
  const key = await server.hub.objects.key();
  assert.equal(key.length, 32);
  assert.deepEqual(await server.hub.objects.key(), key);
  await backUp(server.dataDir, backup, () => {});
  const [snapshot] = await Array.fromAsync(Deno.readDir(`${backup}/snapshots`));
  const path = `${backup}/snapshots/${snapshot?.name}/strongroom.db`;
  using copy = new Connection(path, { readOnly: true });
  assert.equal(copy.get("SELECT count(*) AS n FROM lfs_objects")?.n, 0);
  assert.equal(copy.get("SELECT hub_key FROM storage_state")?.hub_key, null);
  assert.equal(latin1(await Deno.readFile(path)).includes(latin1(key)), false);
  assert.equal(latin1(await readDatabase(server.dataDir)).includes(latin1(key)), true);
  assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo(LARGE)]), [true]);
  await checkDataDirectory(server.dataDir);
});

/** The database with its log. */
async function readDatabase(dataDir: string): Promise<Uint8Array> {
  const [database, log] = await Promise.all(
    ["strongroom.db", "strongroom.db-wal"].map((name) => Deno.readFile(`${dataDir}/${name}`)),
  );
  return new Uint8Array([...database ?? [], ...log ?? []]);
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
