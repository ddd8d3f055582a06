import * as assert from "node:assert/strict";
import { isLarge } from "../../../storage/postgres/large_changes.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const OWN = { userId: 1, everyone: false };
const FILES = 300;
const COUNTED = "now a restore is counted";
const END = "all changes are in the log";

/** What plans say about pairs of rows that were compared in vain, and how many there were. */
const IN_VAIN = /Rows Removed by (?:Join )?Filter: (\d+)/g;

/** How many rows a part of a plan has brought. */
const BROUGHT = /actual rows=(\d+)/g;
/** A change of more records is large. */
const MOST = 10;
/** States that all of some files have had. */
const [PATHS, VERSIONS] = [30, 250];

/** Has the engine log how each statement was carried out, those of triggers too. */
function logging(directory: string) {
  return {
    logging_collector: "on",
    log_directory: `'${directory}'`,
    log_filename: "'log'",
    session_preload_libraries: "'auto_explain'",
    "auto_explain.log_min_duration": 0,
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
  };
}

Deno.test({
  name: "C 26 no change compares each of its records with each other, over PostgreSQL",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using directory = await TempDir.make();
    // The engine runs as another user than the tests.
    await Deno.chmod(directory.path, 0o777);
    await using engine = await Postgres.start({ settings: logging(directory.path) });
    const url = await engine.createDatabase();
    await using store = withContents(await openPostgresStore(url));
    await store.history.turn(true);
    const find = async (path: string) => {
      const found = (await store.findByPath(OWN, [path])).get(path);
      assert.ok(found, path);
      return found;
    };
    const transfer = async (
      kind: "moveSubtrees" | "copySubtrees",
      from: string,
      target: string,
    ) => {
      const source = await find(from);
      await store.write((it) => it[kind]([{ source, target }], 2));
    };
    const names = Array.from({ length: FILES }, (_, index) => `a/${index}`);
    const files = await seed(store, ["a/", ...names]);
    // Plans are kept by the connection: those of few records must do for many.
    await transfer("moveSubtrees", "a/1", "a/one");
    await transfer("moveSubtrees", "a", "b");
    await transfer("moveSubtrees", "b", "a");
    await transfer("moveSubtrees", "a", "b");
    await transfer("copySubtrees", "b", "a");
    await transfer("copySubtrees", "b", "a");
    await transfer("moveSubtrees", "b", "a");
    const replaced = files.filter(({ isDir }) => !isDir).map((file) => file.id);
    await store.write((it) =>
      it.replaceFiles(replaced.map((id) => ({
        ...newRecord({ path: "a/none", content: String(id) }),
        id,
      })))
    );
    const root = await find("a");
    const { point } = await store.history.at(1, { time: Date.now() + 60_000 });
    await store.write((it) => it.deleteSubtrees([root]));
    const isLargeRestore = () =>
      store.database.use(
        "writes",
        (session) => isLarge(session, [root], MOST, { userId: 1, ...point }),
      );
    await store.database.get(`SELECT '${COUNTED}' AS said`, {});
    assert.equal(await isLargeRestore(), true);
    while (!await store.history.settle());
    assert.equal(await isLargeRestore(), true);
    await store.database.get(`SELECT '${END}' AS said`, {});
    let log = "";
    await until(async () => {
      log = await Deno.readTextFile(`${directory.path}/log`);
      return log.includes(END);
    });
    assert.ok(log.includes("INSERT INTO history"), "the statements of triggers are in the log");
    const entries = log.split("Query Text: ");
    const isCounting = (entry: string) => entry.startsWith("SELECT count(*) AS found");
    const counting = entries.slice(entries.findIndex((entry) => entry.includes(COUNTED)))
      .filter(isCounting);
    assert.equal(counting.length, 2);
    for (const entry of counting) {
      const brought = Math.max(...entry.matchAll(BROUGHT).map(([, rows]) => Number(rows)));
      assert.ok(brought <= MOST + 1, `a restore of many has counted ${brought} rows`);
    }
    const changes = entries.filter((entry) => !isCounting(entry)).join("");
    const most = Math.max(0, ...changes.matchAll(IN_VAIN).map(([, rows]) => Number(rows)));
    assert.ok(most <= 3 * FILES, `a statement has compared ${most} rows in vain`);
  },
});

/** How many rows all parts of a plan have brought, or read in vain. */
function rowsOf(plan: string): number {
  let rows = 0;
  let loops = 1;
  for (const line of plan.split("\n")) {
    const brought = line.match(/actual rows=(\d+) loops=(\d+)/);
    const vain = line.match(/Rows Removed by (?:Join )?Filter: (\d+)/);
    if (brought !== null) loops = Number(brought[2]);
    rows += loops * Number((brought ?? vain)?.[1] ?? 0);
  }
  return rows;
}

Deno.test({
  name: "C 26 what many versions have changed is found by few rows of each path, over PostgreSQL",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using directory = await TempDir.make();
    await Deno.chmod(directory.path, 0o777);
    // As with more rows than fit in memory, the engine cannot compare all with each other by hash.
    const settings = { ...logging(directory.path), work_mem: "'64kB'" };
    await using engine = await Postgres.start({ settings });
    await using store = withContents(await openPostgresStore(await engine.createDatabase()));
    await store.history.turn(true);
    const names = Array.from({ length: PATHS }, (_, index) => `a/${index}`);
    const files = (await seed(store, ["a/", ...names, "b/", "b/file"]))
      .filter(({ isDir }) => !isDir);
    for (let version = 0; version < VERSIONS; version++) {
      await store.write((it) =>
        it.replaceFiles(files.map(({ id }) => ({
          ...newRecord({ path: "a/none", content: `${id} ${version}` }),
          id,
        })))
      );
    }
    while (!await store.history.settle());
    await store.database.use("long", (session) => session.script("ANALYZE"));
    await store.database.get(`SELECT '${COUNTED}' AS said`, {});
    const { entries: deleted } = await store.history.trash({ userId: 1, limit: 10 });
    assert.deepEqual(deleted, []);
    const { changes } = await store.history.log({ userId: 1, path: "", limit: 10 });
    assert.equal(changes.length, 10);
    const past = await store.history.at(1, { version: 2 });
    assert.equal((await past.findByPath(OWN, ["a/1"])).size, 1);
    assert.equal((await past.findById(OWN, [files[0]?.id ?? 0])).size, 1);
    const query = { scope: OWN, recursive: true, directories: ["b"], chain: ["b"] };
    const listed = (await Array.fromAsync(past.list(query))).flat();
    assert.deepEqual(listed.map(({ path }) => path), ["b", "b/file"]);
    await store.database.get(`SELECT '${END}' AS said`, {});
    let log = "";
    await until(async () => {
      log = await Deno.readTextFile(`${directory.path}/log`);
      return log.includes(END);
    });
    const plans = log.slice(log.indexOf(COUNTED)).split("Query Text: ").slice(1);
    const most = (words: string) =>
      Math.max(...plans.filter((it) => it.includes(words)).map(rowsOf));
    // All states once, and a few rows for each.
    assert.ok(most("AS present_files") < 8 * PATHS * VERSIONS, `${most("AS present_files")} rows`);
    assert.ok(most("made.first_added") < 3 * 5001, `${most("made.first_added")} rows`);
    // Lookups of a path and of a record, and the list of a folder.
    for (const words of ["(path) CROSS", "array_position", "DECLARE listing"]) {
      const rows = most(words);
      assert.ok(rows > 0 && rows < 20, `${words}: ${rows} rows`);
    }
  },
});
