import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { copyDatabase } from "../../../storage/sqlite/snapshot.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { SQLITE } from "../../../storage/sqlite/dialect.ts";
import { SqliteRecordAudit } from "../../../storage/sqlite/record_audit.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { POSTGRES } from "../../../storage/postgres/dialect.ts";
import { objectStatements } from "../../../storage/tables/object_statements.ts";
import { scanStatements } from "../../../storage/tables/scan_statements.ts";
import { upkeepStatements } from "../../../storage/tables/upkeep_statements.ts";
import { TempDir } from "../../support/temp_dir.ts";

const HASH = "a".repeat(32);
/** A condition on the hash of a record, whatever else the statement asks. */
const ASKS_RECORDS = /EXISTS \(\s*SELECT[^()]*FROM records\b[^()]*\bhash\b/;
const ROOT = fileURLToPath(new URL("../../../storage", import.meta.url));
/** The tables behind views. */
const KEPT: Readonly<Record<string, string>> = {
  kept_files: "history",
  fresh_files: "fresh_history",
};
const FACTS = { hash: HASH, size: 3, crc32: 7 };

for (const table of SQLITE.recordTables) {
  Deno.test(`C 5.4 what only a file in ${table} has is content that every part keeps`, async () => {
    const isKept = table in KEPT;
    const isTagged = table === "tagged_records";
    await using directory = await TempDir.make();
    const path = `${directory.path}/test.db`;
    await using store = await SqliteResourceStore.open(path, { resultsVersion: "1" });
    using connection = new Connection(path, { readOnly: false });
    connection.script(
      `INSERT INTO contents (hash, size, crc32, sha256, created_at) VALUES ('${HASH}', 3, 7, zeroblob(32), 1);
       INSERT INTO scan_results (hash, user_id, name, skip, version, sha256, verdict, findings, scanned_at,
         took_ms, read_ms, result) VALUES ('${HASH}', 1, 'f', '', '1', zeroblob(32), 'clean', '[]', 1, 1, 1, '{}');
       INSERT INTO tags (id, user_id, name, path, version, created_by, created_at)
         VALUES (1, 1, 't', 'f', 0, 1, 1);
       INSERT INTO ${isKept ? `${KEPT[table]} (is_moved, since, until,` : `${table} (`}
           ${isTagged ? "tag," : ""}
           id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
         VALUES (${
        isKept ? "0, 1, 2," : isTagged ? "1," : ""
      } 1, 1, 'f', NULL, 'f', '${HASH}', 3, 7, 0, 1, 1)`,
    );
    const { upkeep } = store;
    assert.deepEqual(await store.write((it) => it.unreferenced([HASH])), []);
    assert.deepEqual(await upkeep.findGap("aa", []), { missing: [HASH], unreferenced: [] });
    assert.deepEqual(await upkeep.findGap("aa", [HASH]), { missing: [], unreferenced: [] });
    assert.deepEqual(await upkeep.unreferenced(9), []);
    assert.deepEqual(
      await upkeep.filesOf([HASH]),
      new Map([[HASH, { ...FACTS, userId: 1, path: "f" }]]),
    );
    assert.deepEqual(await upkeep.contentsAfter("", 9), [FACTS]);
    connection.all(scanStatements(SQLITE).forgetResults, { version: "1" });
    assert.equal(connection.get("SELECT count(*) AS n FROM scan_results")?.n, 1);
    const files = connection.all(objectStatements(SQLITE).inFiles);
    assert.deepEqual(files.map(({ hash }) => hash), [HASH]);

    using audit = new SqliteRecordAudit(path, { repair: false });
    assert.deepEqual(audit.unreferenced([HASH]), []);
    assert.deepEqual(audit.totals, { files: 1, bytes: 3 });
    assert.deepEqual(audit.contentsBelow("aa").map(({ hash }) => hash), [HASH]);
    assert.deepEqual(audit.contentsOf([HASH]).map(({ records }) => records), [1]);
    assert.equal(audit.has({ id: 1, userId: 1, path: "f" }, HASH), true);

    const copy = `${directory.path}/copy.db`;
    await copyDatabase(path, copy);
    using copied = new Connection(copy, { readOnly: true });
    assert.equal(copied.get("SELECT count(*) AS n FROM contents")?.n, 1);
  });
}

Deno.test("C 5.4 a table that is added to the list of references is in every statement that asks for them", () => {
  for (const dialect of [SQLITE, POSTGRES]) {
    const further = { ...dialect, recordTables: [...dialect.recordTables, "further"] };
    const asking = Object.entries({
      ...objectStatements(further),
      ...scanStatements(further),
      ...upkeepStatements(further),
    }).filter(([, sql]) => sql.includes("further")).map(([name]) => name);
    assert.deepEqual(asking.sort(), [
      "contents",
      "files",
      "forgetFacts",
      "forgetOldAttempts",
      "forgetReplacedFacts",
      "forgetReplacedFailures",
      "forgetReplacedResults",
      "forgetReplacedTensors",
      "forgetResults",
      "forgetTensors",
      "gap",
      "inFiles",
      "markReplacedFiles",
      "prospect",
      "unreferenced",
      "unreferencedFiles",
    ]);
  }
});

Deno.test("C 5.4 no statement asks records alone whether content is still needed", async () => {
  const asking: string[] = [];
  const visit = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory) await visit(path);
      else if (ASKS_RECORDS.test(await Deno.readTextFile(path))) asking.push(path);
    }
  };
  await visit(ROOT);
  assert.deepEqual(asking, []);
});
