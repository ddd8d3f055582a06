import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Connection } from "../../storage/sqlite/connection.ts";
import { generationOf } from "../../storage/sqlite/generation.ts";
import { ChildServer } from "../support/child_server.ts";
import { runArguments } from "../support/program.ts";
import { until } from "../support/until.ts";
import { checkInvariants } from "../support/invariants.ts";
import { freePort } from "../support/ports.ts";
import { storedHashes } from "../support/stored_content.ts";
import { TestServer, type TestServerOptions } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const DATABASE = ["strongroom.db", "strongroom.db-wal", "strongroom.db-shm"] as const;

/** Copies a directory file by file, as `cp -r` does while a server writes. */
async function copyNaively(from: string, to: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const info = await Deno.lstat(`${from}/${name}`).catch(() => undefined);
    if (info === undefined) continue;
    if (!info.isDirectory) {
      await Deno.copyFile(`${from}/${name}`, `${to}/${name}`).catch(() => {});
      continue;
    }
    await Deno.mkdir(`${to}/${name}`, { recursive: true });
    const inner = await Array.fromAsync(Deno.readDir(`${from}/${name}`));
    await copyNaively(`${from}/${name}`, `${to}/${name}`, inner.map((it) => it.name));
  }
}

/** It would keep deleted content. */
const WITHOUT_HISTORY = { STRONGROOM_HISTORY: "off" };

async function removeDatabase(dataDir: string): Promise<void> {
  for (const name of DATABASE) await Deno.remove(`${dataDir}/${name}`).catch(() => {});
}

/** The online backup of a database, as sqlite3's `.backup` makes it. */
function backUpDatabase(dataDir: string, to: string): void {
  using database = new DatabaseSync(`${dataDir}/strongroom.db`, { readOnly: true });
  database.exec(`VACUUM INTO '${to}'`);
}

/** Makes content large enough for a file. */
const large = (text: string) => text.padEnd(70_000);
const contentsOf = (prefix: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${index}`, large(`${prefix} ${index}`)]),
  );

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** The hashes in quarantine. */
async function quarantined(dataDir: string): Promise<string[]> {
  const hashes: string[] = [];
  for await (const { name: day } of Deno.readDir(`${dataDir}/quarantine`)) {
    for await (const { name } of Deno.readDir(`${dataDir}/quarantine/${day}`)) hashes.push(name);
  }
  return hashes;
}

/** The message of a start that is refused. */
async function refusal(options: TestServerOptions): Promise<string> {
  try {
    await using _server = await TestServer.start(options);
  } catch (error) {
    return String(error);
  }
  throw new Error("The server started");
}

Deno.test("C 22 an older database after kill -9 is refused, and content comes back with the newer one", async (t) => {
  await using directory = await TempDir.make();
  await using aside = await TempDir.make();
  const dataDir = directory.path;
  const yesterday = contentsOf("old", 3);
  const today = contentsOf("new", 20);
  {
    await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
    const one = await child.as(1);
    await one.upload("d", yesterday);
    await child.end("SIGTERM");
    await Deno.copyFile(`${dataDir}/strongroom.db`, `${aside.path}/yesterday.db`);
  }
  {
    await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
    const one = await child.as(1);
    await one.upload("d", today);
    await one.remove({ path: "d/old0" });
    // Content is removed shortly after the reply.
    await until(async () => (await storedHashes(dataDir)).length === 22);
    await child.end("SIGKILL");
  }
  await copyNaively(dataDir, aside.path, DATABASE);
  await removeDatabase(dataDir);
  await Deno.copyFile(`${aside.path}/yesterday.db`, `${dataDir}/strongroom.db`);

  await t.step("the refusal lists what would be lost, and changes nothing", async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const message = await refusal({ dataDir });
      assert.match(message, /its generation is \d+, but a server has recorded \d+/);
      assert.match(message, /without a record: 20\n/);
      assert.match(message, /are missing: 1\n {2}user 1: "d\/old0"\n/);
      assert.match(message, /strongroom serve --accept-damage/);
      assert.deepEqual(
        await Deno.readFile(`${dataDir}/strongroom.db`),
        await Deno.readFile(`${aside.path}/yesterday.db`),
      );
    }
  });
  await t.step("accepted, it keeps content without a record in quarantine", async () => {
    await using child = await ChildServer.start({
      dataDir,
      env: WITHOUT_HISTORY,
      args: ["--accept-damage"],
    });
    const one = await child.as(1);
    assert.deepEqual((await quarantined(dataDir)).sort(), Object.values(today).map(md5).sort());
    assert.equal((await one.download({ path: "d/old0" })).status, 404);
    assert.equal((await one.download({ path: "d/new0" })).status, 404);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "d/old1" })), large("old 1"));
    await child.end("SIGKILL");
    assert.match(
      await child.printed(),
      /"Moved content without a record into quarantine for 7 days","count":20,"bytes":\d+/,
    );
  });
  await t.step("accepted once, it starts after a crash", async () => {
    await using _server = await TestServer.start({ dataDir });
  });
  await t.step("with the newer database put back, content comes back", async () => {
    await removeDatabase(dataDir);
    await copyNaively(aside.path, dataDir, DATABASE);
    // This one is now the older of the two, and loses nothing.
    assert.match(await refusal({ dataDir }), /moved back: 20\n.* are missing: 0\n/);
    await using server = await TestServer.start({ dataDir, acceptDamage: true });
    assert.ok(server.log.some((line) => line.includes("back from quarantine")));
    await checkInvariants(server);
    const one = await server.as(1);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "d/new19" })), large("new 19"));
  });
});

Deno.test("C 22 a database whose log was removed is refused", async (t) => {
  for (const checkpoints of [0, 1, 3]) {
    await t.step(`after ${checkpoints} checkpoints of the log`, async () => {
      await using directory = await TempDir.make();
      const dataDir = directory.path;
      {
        await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
        const one = await child.as(1);
        for (let round = 0; round < checkpoints; round++) {
          await one.upload(`r${round}`, contentsOf(`${round}`, 5));
          using other = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
          other.all("PRAGMA wal_checkpoint(FULL)");
        }
        for (const [name, text] of Object.entries(contentsOf("f", 16))) {
          assert.equal((await one.upload("d", { [name]: text })).status, 200);
        }
        await child.end("SIGKILL");
      }
      await Deno.remove(`${dataDir}/strongroom.db-wal`);
      assert.match(await refusal({ dataDir }), /has lost changes.*\n.*without a record: \d\d\n/);
    });
  }
});

Deno.test("C 22 a database that sqlite3 has opened after a crash is whole", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
    const one = await child.as(1);
    for (const [name, text] of Object.entries(contentsOf("f", 5))) {
      await one.upload("d", { [name]: text });
    }
    await child.end("SIGKILL");
  }
  {
    using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
    connection.all("SELECT count(*) FROM records");
  }
  // The last connection to close removes the log.
  await assert.rejects(Deno.stat(`${dataDir}/strongroom.db-wal`), Deno.errors.NotFound);
  await using server = await TestServer.start({ dataDir });
  assert.equal((await checkInvariants(server)).length, 6);
});

Deno.test("C 22 copies that lack content are refused, and served only if that is accepted", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
  const one = await child.as(1);
  await one.upload("d", contentsOf("f", 30));

  await t.step("cp -r under writes", async () => {
    await using copy = await TempDir.make();
    let uploads = 0;
    let copied = false;
    const writing = (async () => {
      for (; !copied; uploads++) {
        await one.upload("more", { [`m${uploads}`]: large(`more ${uploads}`) });
      }
    })();
    await copyNaively(dataDir, copy.path, ["blobs", "lock", "tmp"]);
    const before = uploads;
    await until(() => uploads >= before + 25);
    await copyNaively(dataDir, copy.path, DATABASE);
    copied = true;
    await writing;
    const message = await refusal({ dataDir: copy.path });
    const [, more = "0"] = /and (\d+) more/.exec(message) ?? [];
    assert.match(message, /content of files is missing.*\n {2}user 1: "more\/m\d+"\n/);
    assert.ok(message.split("\n").length < 30 && Number(more) >= 1, message);
    await using server = await TestServer.start({ dataDir: copy.path, acceptDamage: true });
    const client = await server.as(1);
    assert.equal((await client.download({ path: `more/m${before + 10}` })).status, 404);
    assert.equal((await client.download({ path: "more" })).status, 500);
    assert.equal(new TextDecoder().decode(await client.bytes({ path: "d/f3" })), large("f 3"));
  });
  await t.step("the database of a running server without blobs/", async () => {
    await using copy = await TempDir.make();
    backUpDatabase(dataDir, `${copy.path}/strongroom.db`);
    assert.match(await refusal({ dataDir: copy.path }), /content of files is missing/);
  });
  await t.step("a part of a directory whose server has stopped", async () => {
    await using copy = await TempDir.make();
    await child.end("SIGTERM");
    await copyNaively(dataDir, copy.path, ["lock", "strongroom.db"]);
    assert.match(await refusal({ dataDir: copy.path }), /content of files is missing/);
    await copyNaively(dataDir, copy.path, ["blobs"]);
    await using server = await TestServer.start({ dataDir: copy.path });
    await checkInvariants(server);
  });
});

Deno.test("C 22 the lock is never ahead of the database, whenever the server is killed", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  let last = 0;
  for (let round = 0; round < 4; round++) {
    await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
    const one = await child.as(1);
    let uploads = 0;
    const writing = (async () => {
      for (;; uploads++) {
        await one.upload(`d${round}`, contentsOf(`${uploads}-`, 3));
        // Each checkpoint makes the next commit advance the generation.
        using other = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
        other.all("PRAGMA wal_checkpoint(PASSIVE)");
      }
    })().catch(() => {});
    await until(() => uploads >= 3 * round);
    await child.end("SIGKILL");
    await writing;
    const [, recorded] = (await Deno.readTextFile(`${dataDir}/lock`)).split(" ");
    using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: true });
    assert.ok(Number(recorded) <= generationOf(connection));
    if (round > 0) assert.ok(Number(recorded) > last, `${recorded} after ${last}`);
    last = Number(recorded);
  }
  await using server = await TestServer.start({ dataDir });
  await checkInvariants(server);
});

Deno.test("C 22 another database after an orderly stop is compared with the content", async () => {
  await using directory = await TempDir.make();
  await using aside = await TempDir.make();
  const dataDir = directory.path;
  const round = async (name: string) => {
    await using server = await TestServer.start({ dataDir });
    await (await server.as(1)).upload("", { [name]: large(name) });
    return server;
  };
  await round("first");
  const lock = await Deno.readFile(`${dataDir}/lock`);
  await round("second");
  await Deno.copyFile(`${dataDir}/strongroom.db`, `${aside.path}/newer.db`);
  // As if the server of the newer database had never run here.
  await Deno.writeFile(`${dataDir}/lock`, lock);
  const blob = `${dataDir}/blobs/${md5(large("second")).replace(/(..)(..)(.*)/, "$1/$2/$1$2$3")}`;
  await Deno.remove(blob);
  assert.match(await refusal({ dataDir }), /content of files is missing.*\n {2}user 1: "second"\n/);
});

Deno.test("C 5.4 and C 22 a start that is killed while it moves content away loses none of it", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await TestServer.start({ dataDir });
    await (await server.as(1)).upload("", { kept: "kept" });
  }
  const orphans = Array.from({ length: 2000 }, (_, index) => md5(`orphan ${index}`)).sort();
  for (const hash of orphans) {
    const fan = `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}`;
    await Deno.mkdir(fan, { recursive: true });
    await Deno.writeTextFile(`${fan}/${hash}`, "orphan");
  }
  const lock = await Deno.readTextFile(`${dataDir}/lock`);
  await Deno.writeTextFile(`${dataDir}/lock`, lock.replace("stopped", "12345"));
  const moved = async () => (await quarantined(dataDir).catch(() => [])).length;
  for (const count of [1, 700, 1500]) {
    const starting = new Deno.Command(Deno.execPath(), {
      args: runArguments(["serve"]),
      env: {
        STRONGROOM_DATA_DIR: dataDir,
        STRONGROOM_PORT: String(freePort()),
        STRONGROOM_SCAN_ISOLATION: "thread",
      },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(async () => await moved() >= count);
    starting.kill("SIGKILL");
    await starting.status;
  }
  await using server = await TestServer.start({ dataDir });
  assert.deepEqual((await quarantined(dataDir)).sort(), orphans);
  await checkInvariants(server);
});

Deno.test("C 22 a copy that lacks content is refused after it was written over its original", async () => {
  await using directory = await TempDir.make();
  await using copy = await TempDir.make();
  const dataDir = directory.path;
  const all = ["blobs", "lock", ...DATABASE];
  await using child = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
  const one = await child.as(1);
  await one.upload("d", contentsOf("f", 5));
  await copyNaively(dataDir, copy.path, all);
  const lock = await Deno.readTextFile(`${copy.path}/lock`);
  // As if the copy had been made an hour ago.
  const hour = 3_600_000;
  const aged = lock.replace(/\b\d{13}\b/, (time) => String(Number(time) - hour));
  assert.notEqual(aged, lock);
  await Deno.writeTextFile(`${copy.path}/lock`, aged);
  const lost = md5(large("f 1"));
  const blob = `blobs/${lost.replace(/(..)(..)(.*)/, "$1/$2/$1$2$3")}`;
  await Deno.remove(`${copy.path}/${blob}`);
  await one.remove({ path: "d" });
  await until(() => !existsSync(`${dataDir}/${blob}`));
  await child.end("SIGKILL");
  await copyNaively(copy.path, dataDir, all);
  const message = await refusal({ dataDir });
  assert.match(message, /content of files is missing.*\n {2}user 1: "d\/f1"\n/);
  // The next start does not take the lock of this one for that of a server that knew its content.
  assert.equal(await refusal({ dataDir }), message);
});
