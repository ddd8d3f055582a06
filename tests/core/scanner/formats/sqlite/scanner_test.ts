import * as assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sqliteScanner } from "../../../../../core/scanner/formats/sqlite/scanner.ts";
import { TempDir } from "../../../../support/temp_dir.ts";
import { wholeScan } from "../../whole_scan.ts";
import { assertNeverThrows } from "../format_scan.ts";
import { bytes } from "../pickle/pickle_bytes.ts";
import { P2, PAYLOAD } from "../pickle/pickle_parts.ts";

const PLAIN = bytes(P2, "]K\x01a.");
const SMALL = bytes(P2, PAYLOAD);
/** A pickle that takes a chain of pages, with the payload at its end. */
const LONG = bytes(P2, "N0".repeat(30_000), PAYLOAD);

/** A database that SQLite makes. */
async function database(fill: (database: DatabaseSync) => void): Promise<Uint8Array> {
  await using directory = await TempDir.make();
  const path = `${directory.path}/cache.db`;
  const made = new DatabaseSync(path);
  fill(made);
  made.close();
  return await Deno.readFile(path);
}

/** A cache like that of diskcache, with one value among plain ones. */
function cache(pageBytes: number, value: Uint8Array | string, type = "BLOB", suffix = "") {
  return database((made) => {
    made.exec(`PRAGMA page_size = ${pageBytes}`);
    made.exec(`CREATE TABLE Cache (key TEXT PRIMARY KEY, value ${type}) ${suffix}`);
    const insert = made.prepare("INSERT INTO Cache VALUES (?, ?)");
    for (let index = 0; index < 50; index++) insert.run(`key ${index}`, PLAIN);
    insert.run("evil", value);
    for (let index = 50; index < 100; index++) insert.run(`key ${index}`, PLAIN);
  });
}

Deno.test("evasion 95: pickles in SQLite databases are found, wherever their bytes are", async (t) => {
  for (const pageBytes of [512, 4096, 65536]) {
    for (const [title, value] of [["small", SMALL], ["long", LONG]] as const) {
      for (const suffix of ["", "WITHOUT ROWID"]) {
        await t.step(`${title}, pages of ${pageBytes}, ${suffix}`, async () => {
          const content = await cache(pageBytes, value, "BLOB", suffix);
          for (const name of ["cache.db", "model.bin"]) {
            const { verdict, result } = wholeScan(name, content);
            assert.deepEqual([verdict, result.scanners[0]], ["dangerous", "sqlite"], name);
          }
        });
      }
    }
  }
  await t.step("a text", async () => {
    const content = await cache(4096, "cos\ngetpid\n(tR.", "TEXT");
    assert.equal(wholeScan("cache.db", content).verdict, "dangerous");
  });
});

Deno.test("evasion 95: pickles in the log beside a database are found", async (t) => {
  for (const [title, value] of [["small", SMALL], ["long", LONG], ["plain", PLAIN]] as const) {
    await t.step(title, async () => {
      await using directory = await TempDir.make();
      const path = `${directory.path}/cache.db`;
      const made = new DatabaseSync(path);
      made.exec("PRAGMA journal_mode = WAL; CREATE TABLE a (b BLOB)");
      made.prepare("INSERT INTO a VALUES (?)").run(value);
      const log = await Deno.readFile(`${path}-wal`);
      made.close();
      const { verdict, result } = wholeScan("cache.db-wal", log);
      assert.deepEqual(result.scanners[0], "sqlite");
      assert.equal(verdict, title === "plain" ? "clean" : "dangerous");
    });
  }
});

Deno.test("C 16 databases with plain values are clean", async () => {
  const { verdict, result } = wholeScan("cache.db", await cache(4096, PLAIN));
  assert.equal(verdict, "clean");
  assert.deepEqual(result.scanners, ["sqlite"]);
  const empty = await database((made) => made.exec("CREATE TABLE a (b)"));
  assert.equal(wholeScan("a.sqlite3", empty).verdict, "clean");
});

Deno.test("C 15 a chain of pages without an end does not keep the scan from ending", async () => {
  const content = await cache(512, LONG);
  const view = new DataView(content.buffer);
  // Every page after the first ten is followed by the eleventh.
  for (let page = 11; page * 512 < content.length; page++) view.setUint32(page * 512, 11);
  const { result } = wholeScan("cache.db", content);
  assert.ok(result.scanners.includes("sqlite"));
});

Deno.test("C 15 no mutation of a database makes the scanner throw", async () => {
  const contents = [await cache(512, SMALL), await cache(512, LONG)];
  assertNeverThrows(sqliteScanner, contents, { mutations: 300, maxBytesRead: 2 ** 27 });
});
