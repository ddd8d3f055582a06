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
