import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { Connection } from "../../../../storage/sqlite/connection.ts";
import { noise } from "../../../support/random.ts";
import { strongroom } from "../../../support/child_server.ts";
import { checkInvariants } from "../../../support/invariants.ts";
import { loseContent, overwriteContent } from "../../../support/stored_content.ts";
import { TestServer } from "../../../support/server.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { blobOf, checked, kindsOf } from "./checked.ts";

const md5 = (content: string | Uint8Array) => createHash("md5").update(content).digest("hex");

const LARGE = noise(300_000);

/** A data directory with some files, whose server has stopped. */
async function prepared(): Promise<TempDir> {
  const directory = await TempDir.make();
  for (const [path, bytes] of await (files ??= prepare())) {
    await Deno.mkdir(dirname(directory.path + path), { recursive: true });
    await Deno.writeFile(directory.path + path, bytes);
  }
  // A lock that names another file reveals a copy.
  const lock = `${directory.path}/lock`;
  const { ino } = await Deno.stat(lock);
  await Deno.writeTextFile(lock, (await Deno.readTextFile(lock)).replace(/\d+\s*$/, String(ino)));
  return directory;
}

let files: Promise<Map<string, Uint8Array>> | undefined;

/** The files of the directory, which is made once. */
async function prepare(): Promise<Map<string, Uint8Array>> {
  await using directory = await TempDir.make();
  {
    await using server = await TestServer.start({ dataDir: directory.path });
    const [one, two] = [await server.as(1), await server.as(2)];
    assert.equal((await one.upload("a/b", { large: LARGE, small: "small" })).status, 200);
    assert.equal((await one.upload("a", { other: "other" })).status, 200);
    assert.equal((await two.upload("c", { same: "small" })).status, 200);
  }
  const made = new Map<string, Uint8Array>();
  const visit = async (path: string) => {
    for await (const { name, isDirectory } of Deno.readDir(directory.path + path)) {
      const inner = `${path}/${name}`;
      if (isDirectory) await visit(inner);
      else made.set(inner, await Deno.readFile(directory.path + inner));
    }
  };
  await visit("");
  return made;
}

function withDatabase(dataDir: string, script: string): void {
  using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
  connection.script(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${script}`);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function writeBlob(dataDir: string, hash: string, content: string): Promise<void> {
  const path = blobOf(dataDir, hash);
  await Deno.mkdir(path.slice(0, -33), { recursive: true });
  await Deno.writeTextFile(path, content);
}

interface Damage {
  readonly name: string;
  damage(dataDir: string): Promise<void> | void;
  /** What a check finds. */
  readonly found: readonly string[];
  /** What a repair reports. */
  readonly repaired: readonly string[];
  /** What a check finds after the repair. @default nothing */
  readonly left?: readonly string[];
  /** Whether only reading the content finds it. */
  readonly needsData?: boolean;
}

const DAMAGES: readonly Damage[] = [
  {
    name: "C 22 a wrong count of what a tree holds",
    damage: (dataDir) => withDatabase(dataDir, "UPDATE usage SET bytes = bytes + 1"),
    found: ["usage"],
    repaired: ["usage repaired"],
  },
  {
    name: "C 22 a value that a constraint of its table excludes",
    damage: (dataDir) =>
      withDatabase(
        dataDir,
        `INSERT INTO scan_attempts (hash, user_id, name, skip, attempts) VALUES ('short', 1, 'f', '', 0)`,
      ),
    found: ["database"],
    repaired: ["database"],
    left: ["database"],
  },
  {
    name: "C 5.3 missing content",
    damage: (dataDir) => Deno.remove(blobOf(dataDir, md5(LARGE))),
    found: ["missing"],
    repaired: ["missing"],
    left: ["missing"],
  },
  {
    name: "C 5.3 missing small content",
    damage: (dataDir) => loseContent(dataDir, md5("small")),
    found: ["missing"],
    repaired: ["missing"],
    left: ["missing"],
  },
  {
    name: "C 5.3 small content that was cut off",
    damage: (dataDir) => overwriteContent(dataDir, md5("small"), bytesOf("smal")),
    found: ["damaged"],
    repaired: ["damaged"],
    left: ["missing"],
  },
  {
    name: "C 5.3 a flipped bit in small content",
    damage: (dataDir) => overwriteContent(dataDir, md5("small"), bytesOf("smalm")),
    found: ["damaged"],
    repaired: ["damaged"],
    left: ["missing"],
    needsData: true,
  },
  {
    name: "C 5.4 small content without a record",
    damage: (dataDir) => withDatabase(dataDir, "DELETE FROM records WHERE path = 'a/other'"),
    found: ["unreferenced"],
    repaired: ["unreferenced repaired"],
  },
  {
    name: "C 5.3 content that was cut off",
    damage: (dataDir) => Deno.truncate(blobOf(dataDir, md5(LARGE)), 1000),
    found: ["damaged"],
    repaired: ["damaged"],
    left: ["missing"],
  },
  {
    name: "C 5.3 a flipped bit",
    async damage(dataDir) {
      const bytes = LARGE.slice();
      bytes[77] = (bytes[77] ?? 0) ^ 1;
      await Deno.writeFile(blobOf(dataDir, md5(LARGE)), bytes);
    },
    found: ["damaged"],
    repaired: ["damaged"],
    left: ["missing"],
    needsData: true,
  },
  {
    name: "C 5.4 content without a record",
    async damage(dataDir) {
      const path = blobOf(dataDir, "0123456789abcdef0123456789abcdef");
      await Deno.mkdir(path.slice(0, -33), { recursive: true });
      await Deno.writeTextFile(path, "orphan");
    },
    found: ["unreferenced"],
    repaired: ["unreferenced repaired"],
  },
  {
    name: "C 5.2 a missing ancestor",
    damage: (dataDir) => withDatabase(dataDir, "DELETE FROM records WHERE path IN ('a', 'a/b')"),
    found: ["ancestor", "ancestor", "ancestor"],
    repaired: ["ancestor repaired", "ancestor repaired", "ancestor repaired"],
  },
  {
    name: "C 5.2 a file as an ancestor",
    damage: (dataDir) =>
      withDatabase(
        dataDir,
        `UPDATE records SET is_dir = 0, hash = '${md5("other")}', size = 5,
           crc32 = (SELECT crc32 FROM records WHERE path = 'a/other') WHERE path = 'c'`,
      ),
    found: ["ancestor"],
    repaired: ["ancestor"],
    left: ["ancestor"],
  },
  {
    name: "C 5.3 a wrong CRC-32",
    damage: (dataDir) =>
      withDatabase(dataDir, "UPDATE records SET crc32 = crc32 + 1 WHERE path = 'a/other'"),
    found: ["facts"],
    repaired: ["facts repaired"],
    needsData: true,
  },
  {
    name: "C 5.3 records that disagree on their content",
    damage: (dataDir) =>
      withDatabase(dataDir, "UPDATE records SET size = size + 1 WHERE path = 'c/same'"),
    found: ["facts"],
    repaired: ["facts repaired"],
  },
  {
    name: "C 5.3 a directory with content",
    damage: (dataDir) => withDatabase(dataDir, "UPDATE records SET size = 3 WHERE path = 'a'"),
    found: ["record"],
    repaired: ["record"],
    left: ["record"],
  },
  {
    name: "C 5.1 a damaged index",
    damage(dataDir) {
      using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
      const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'records_by_path'";
      const page = Number(connection.get(sql)?.rootpage);
      connection.script("PRAGMA wal_checkpoint(TRUNCATE)");
      using file = Deno.openSync(`${dataDir}/strongroom.db`, { write: true });
      file.seekSync((page - 1) * 4096 + 3, Deno.SeekMode.Start);
      file.writeSync(new Uint8Array([0, 1]));
    },
    found: ["database"],
    repaired: ["database repaired"],
  },
];

for (const { name, damage, found, repaired, left = [], needsData = false } of DAMAGES) {
  Deno.test(`C 22 check finds and repairs ${name}`, async () => {
    await using directory = await prepared();
    const dataDir = directory.path;
    assert.deepEqual(kindsOf(await checked(dataDir, { readData: true })), []);
    await damage(dataDir);
    const kinds = new Set(kindsOf(await checked(dataDir, { readData: needsData })));
    assert.deepEqual(kinds, new Set(found));
    if (needsData) assert.deepEqual(kindsOf(await checked(dataDir)), []);
    const repair = await checked(dataDir, { readData: needsData, repair: true });
    assert.deepEqual(new Set(kindsOf(repair)), new Set(repaired));
    assert.deepEqual(kindsOf(await checked(dataDir, { readData: true })), left);
    if (left.length > 0) return;
    await using server = await TestServer.start({ dataDir });
    const one = await server.as(1);
    assert.deepEqual(await one.bytes({ path: "a/b/large" }), LARGE);
    await checkInvariants(server);
  });
}

Deno.test("C 22 a repair moves content and deletes none", async (t) => {
  await using directory = await prepared();
  const dataDir = directory.path;
  const hash = md5("small");
  const damaged = "smell";
  await t.step("damaged content, in the database and in a file", async () => {
    for (const name of [hash, `${hash}.1`]) {
      if (name === hash) await overwriteContent(dataDir, hash, bytesOf(damaged));
      else await writeBlob(dataDir, hash, damaged);
      const { findings } = await checked(dataDir, { readData: true, repair: true });
      assert.match(
        findings.listed[0]?.message ?? "",
        /"a\/b\/small" of user 1 and 1 more.*damaged\//,
      );
      assert.equal(await Deno.readTextFile(`${dataDir}/damaged/${name}`), damaged);
    }
  });
  await t.step(
    "content in quarantine takes the place of missing and of damaged content",
    async () => {
      for (const broken of [undefined, "broken"]) {
        const day = `${dataDir}/quarantine/2026-01-01`;
        await Deno.mkdir(day, { recursive: true });
        await Deno.writeTextFile(`${day}/${hash}`, "small");
        if (broken !== undefined) await writeBlob(dataDir, hash, broken);
        const result = await checked(dataDir, { repair: true });
        assert.deepEqual(kindsOf(result), [
          `${broken === undefined ? "missing" : "damaged"} repaired`,
        ]);
        assert.deepEqual(kindsOf(await checked(dataDir, { readData: true })), []);
      }
    },
  );
  await t.step("content without a record", async () => {
    withDatabase(dataDir, "DELETE FROM records WHERE path IN ('a/b/small', 'c/same')");
    const result = await checked(dataDir, { repair: true });
    assert.deepEqual(kindsOf(result), ["unreferenced repaired"]);
    assert.equal((await checked(dataDir)).quarantined, 1);
  });
});

Deno.test("C 22 check recovers a damaged path from an index, wherever it is damaged", async () => {
  let repaired = 0;
  for (let occurrence = 0;; occurrence++) {
    await using directory = await prepared();
    const path = `${directory.path}/strongroom.db`;
    const bytes = await Deno.readFile(path);
    const text = new TextDecoder("latin1").decode(bytes);
    let position = -1;
    for (let found = 0; found <= occurrence; found++) {
      position = text.indexOf("a/b/large", position + 1);
      if (position === -1) break;
    }
    if (position === -1) break;
    bytes[position + 5] = "X".charCodeAt(0);
    await Deno.writeFile(path, bytes);
    const before = await checked(directory.path);
    assert.ok(before.findings.found > 0);
    const { findings } = await checked(directory.path, { repair: true });
    if (findings.repaired < findings.found) continue;
    repaired++;
    assert.deepEqual(kindsOf(await checked(directory.path, { readData: true })), []);
    await using server = await TestServer.start({ dataDir: directory.path });
    assert.deepEqual(await (await server.as(1)).bytes({ path: "a/b/large" }), LARGE);
  }
  assert.ok(repaired >= 3, String(repaired));
});

Deno.test("C 22 check prints what it finds, and its exit code says how it ended", async (t) => {
  await using directory = await prepared();
  const env = { STRONGROOM_DATA_DIR: directory.path };
  const run = async (...args: string[]) => await strongroom(["check", ...args], env);
  await t.step("sound", async () => {
    const { code, stdout, stderr } = await run("--read-data");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(stdout, "Checked 7 records and 3 contents (293.0 KiB): sound\n");
  });
  await t.step("repaired", async () => {
    withDatabase(directory.path, "DELETE FROM records WHERE path = 'c'");
    assert.equal((await run()).code, 2);
    const { code, stdout } = await run("--repair", "--json");
    const { verdict, counts, findings, records } = JSON.parse(stdout);
    assert.deepEqual([code, verdict, records], [1, "repaired", 7]);
    assert.deepEqual(counts, { ancestor: { found: 1, repaired: 1 } });
    assert.deepEqual(findings, [{
      kind: "ancestor",
      message: 'The directory "c" above "c/same" of user 2 is missing',
      user_id: 2,
      path: "c/same",
      repaired: true,
    }]);
  });
  await t.step("damage left", async () => {
    await loseContent(directory.path, md5("other"));
    const { code, stdout } = await run();
    assert.equal(code, 2);
    assert.match(stdout, /^Content [0-9a-f]{32} is missing; it is that of "a\/other" of user 1\n/);
  });
  await t.step("an error", async () => {
    const { code, stderr } = await strongroom(["check"], { STRONGROOM_DATA_DIR: "/nowhere" });
    assert.equal(code, 2);
    assert.match(
      stderr,
      /STRONGROOM_DATA_DIR "\/nowhere": expected the data directory of a server/,
    );
  });
});

Deno.test("C 22 what the next start after a crash will move is no damage", async () => {
  await using directory = await prepared();
  const dataDir = directory.path;
  const lock = await Deno.readTextFile(`${dataDir}/lock`);
  await Deno.writeTextFile(`${dataDir}/lock`, lock.replace("stopped", "12345"));
  const orphan = blobOf(dataDir, "0123456789abcdef0123456789abcdef");
  await Deno.mkdir(orphan.slice(0, -33), { recursive: true });
  await Deno.writeTextFile(orphan, "orphan");
  const result = await checked(dataDir);
  assert.deepEqual([kindsOf(result), result.pending], [[], 1]);
});

Deno.test("C 22 a repair leaves a database that has lost changes as it is", async () => {
  await using directory = await prepared();
  const dataDir = directory.path;
  const lock = await Deno.readTextFile(`${dataDir}/lock`);
  await Deno.writeTextFile(`${dataDir}/lock`, lock.replace(/ \d+ /, " 1000 "));
  const before = await Deno.readFile(`${dataDir}/strongroom.db`);
  for (const repair of [false, true]) {
    const result = await checked(dataDir, { repair });
    assert.deepEqual(kindsOf(result), ["generation"]);
    assert.deepEqual(await Deno.readFile(`${dataDir}/strongroom.db`), before);
  }
});

Deno.test("C 22 check reports a database that SQLite cannot read", async () => {
  await using directory = await prepared();
  const dataDir = directory.path;
  const database = `${dataDir}/strongroom.db`;
  const intact = await Deno.readFile(database);
  const pages = intact.length / 4096;
  for (let page = 1; page < pages; page++) {
    const broken = intact.slice();
    broken.fill(0xa5, page * 4096, (page + 1) * 4096);
    await Deno.writeFile(database, broken);
    for (const repair of [false, true]) {
      const result = await checked(dataDir, { repair });
      const { found, repaired } = result.findings;
      assert.ok(found > 0, `page ${page}`);
      if (repair && found === repaired) assert.deepEqual(kindsOf(await checked(dataDir)), []);
    }
    await assert.rejects(Deno.stat(`${dataDir}/quarantine`), Deno.errors.NotFound);
  }
});

Deno.test("C 19 and C 22 check looks at links, too", async () => {
  await using directory = await prepared();
  const { path } = directory;
  const add = (token: string) =>
    withDatabase(
      path,
      `INSERT INTO links
         (token_sha256, user_id, record_id, path, created_by, created_at, expires_at, once)
       VALUES (${token}, 1, 1, 'a', 1, 0, 1, 0)`,
    );
  add("zeroblob(32)");
  assert.deepEqual(kindsOf(await checked(path)), []);
  add("x'00'");
  assert.deepEqual(kindsOf(await checked(path, { repair: true })), ["database"]);
});
