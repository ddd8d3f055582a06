import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { backUp, type BackupSummary } from "../../../../storage/upkeep/backup/back_up.ts";
import { restore } from "../../../../storage/upkeep/backup/restore.ts";
import { MD5_COLLISION } from "../../../support/md5_collision.ts";
import { noise } from "../../../support/random.ts";
import { items } from "../../../support/client.ts";
import { follow, linkTo } from "../../../support/links.ts";
import { checkInvariants } from "../../../support/invariants.ts";
import { mintToken, TestServer } from "../../../support/server.ts";
import { overwriteContent } from "../../../support/stored_content.ts";
import { TempDir } from "../../../support/temp_dir.ts";

/** Backs up a data directory that is sound. */
async function soundBackup(dataDir: string, backup: string): Promise<BackupSummary> {
  const summary = await backUp(dataDir, backup, () => {});
  assert.deepEqual(summary.findings.listed, []);
  return summary;
}

/** Restores a backup into a new directory, and serves it. */
async function restored(directory: TempDir, backup: string): Promise<TestServer> {
  const dataDir = `${directory.path}/${crypto.randomUUID()}`;
  const { findings } = await restore(dataDir, backup, () => {});
  assert.deepEqual(findings.listed, []);
  return await TestServer.start({ dataDir });
}

function counts({ snapshot, copied, removed }: BackupSummary) {
  return { files: snapshot.files, copied: copied.files, removed };
}

Deno.test("C 22 backup is incremental, and restore brings back what was backed up", async (t) => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start({ settings: { history: 0 } });
  const [one, two] = [await server.as(1), await server.as(2)];
  const large = noise(3_000_000);
  await one.mkdir("empty");
  items(await one.upload("a/b", { large, middle: noise(100_000), small: "small", none: "" }));
  items(await two.upload("a", { same: "small" }));

  await t.step("the first run copies each content once", async () => {
    const summary = await soundBackup(server.dataDir, backup);
    // Small contents are in the database.
    assert.deepEqual(counts(summary), { files: 4, copied: 2, removed: 0 });
    assert.equal(summary.copied.bytes, 3_100_000);
  });
  await t.step("a run without changes copies nothing", async () => {
    const summary = await soundBackup(server.dataDir, backup);
    assert.deepEqual(counts(summary), { files: 4, copied: 0, removed: 0 });
  });
  await t.step("a later run copies what is new and removes what is no longer used", async () => {
    await one.remove({ path: "a/b/large" });
    items(await one.upload("c", { new: "new", other: noise(90_000) }));
    await two.move({ source: "a", destination: "moved" });
    const summary = await soundBackup(server.dataDir, backup);
    assert.deepEqual(counts(summary), { files: 5, copied: 1, removed: 1 });
  });
  await t.step("the restored server has the same records and contents", async () => {
    const expected = await checkInvariants(server);
    await using other = await restored(directory, backup);
    assert.deepEqual(await checkInvariants(other), expected);
    assert.deepEqual(await (await other.as(2)).tree(), ["moved", "moved/same"]);
    assert.equal(
      new TextDecoder().decode(await (await other.as(1)).bytes({ path: "c/new" })),
      "new",
    );
  });
});

Deno.test("C 22 a record that contradicts itself is reported, and all others are backed up", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  {
    await using server = await TestServer.start({ dataDir });
    items(await (await server.as(1)).upload("", { bad: "bad", good: "good" }));
  }
  {
    using database = new DatabaseSync(`${dataDir}/strongroom.db`);
    database.exec("UPDATE records SET hash = substr(hash, 1, 30) || '/.' WHERE name = 'bad'");
  }
  const backup = `${directory.path}/backup`;
  const { snapshot, findings, copied } = await backUp(dataDir, backup, () => {});
  assert.deepEqual([snapshot.records, snapshot.damaged, copied.files], [2, 1, 0]);
  const found = findings.listed.map(({ kind, path }) => [kind, path]);
  assert.deepEqual(found, [["record", "bad"]]);
  const restored = await restore(`${directory.path}/restored`, backup, () => {});
  assert.deepEqual(restored.findings.listed, findings.listed);
});

Deno.test("C 22 backup and restore report damaged small content, and go on", async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start();
  const one = await server.as(1);
  const [own, forged] = MD5_COLLISION;
  const files = { damaged: "damaged", forged: own, sound: "sound", large: noise(90_000) };
  items(await one.upload("d", files));
  const overwrite = async (content: string | Uint8Array, other: Uint8Array<ArrayBuffer>) => {
    const hash = createHash("md5").update(content).digest("hex");
    await overwriteContent(server.dataDir, hash, other);
    return hash;
  };
  const damaged = await overwrite("damaged", new TextEncoder().encode("Damaged"));
  const replaced = await overwrite(own, forged);
  const { snapshot, copied, findings } = await backUp(server.dataDir, backup, () => {});
  assert.deepEqual([snapshot.damaged, copied.files], [2, 1]);
  const found = findings.listed.map((it) => [it.kind, it.hash, it.path]);
  assert.deepEqual(
    found.toSorted(),
    [["damaged", damaged, "d/damaged"], ["damaged", replaced, "d/forged"]].toSorted(),
  );
  const restored = await restore(`${directory.path}/restored`, backup, () => {});
  assert.deepEqual(restored.findings.listed, findings.listed);
});

Deno.test("C 19 and C 22 links outlive a restart, a backup and a restore", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const backup = `${directory.path}/backup`;
  await Deno.mkdir(dataDir);
  const tokens: string[] = [];
  const statuses = ({ origin }: TestServer) =>
    Promise.all(tokens.map(async (token) => (await follow(`${origin}/l/${token}`)).status));
  {
    await using server = await TestServer.start({ dataDir });
    const user = await server.as(1);
    await user.upload("d", { "a.txt": "a" });
    for (const options of [{}, { once: true }, {}]) {
      const { id, url } = await linkTo(user, "d/a.txt", options);
      tokens.push(url.slice(url.lastIndexOf("/") + 1));
      if (tokens.length === 3) await user.send("DELETE", `/links/${id}`);
    }
    assert.deepEqual(await statuses(server), [200, 200, 404]);
  }
  await using again = await TestServer.start({ dataDir });
  assert.deepEqual(await statuses(again), [200, 404, 404]);
  await soundBackup(dataDir, backup);
  await using copy = await restored(directory, backup);
  assert.deepEqual(await statuses(copy), [200, 404, 404]);
});

Deno.test("C 31 a backup has no sessions of the console: one may have ended since", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  await Deno.mkdir(dataDir);
  const count = (path: string) => {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare("SELECT count(*) AS found FROM console_sessions").get()?.["found"];
  };
  {
    await using server = await TestServer.start({ dataDir });
    const response = await fetch(`${server.origin}/console/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Strongroom-Console": "none" },
      body: JSON.stringify({ credential: await mintToken({ userId: 1, privileges: [] }) }),
    });
    await response.body?.cancel();
    assert.equal(response.status, 200);
    await soundBackup(dataDir, `${directory.path}/backup`);
  }
  assert.equal(count(`${dataDir}/strongroom.db`), 1);
  await using copy = await restored(directory, `${directory.path}/backup`);
  assert.equal(count(`${copy.dataDir}/strongroom.db`), 0);
});
