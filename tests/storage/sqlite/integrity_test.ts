import * as assert from "node:assert/strict";
import { checkPaths } from "../../../storage/sqlite/integrity.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { Storage } from "../../../storage/stores/storage.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** Changes a byte of the `count`-th occurrence of a text in a file. Returns false if it does not occur so often. */
async function corrupt(file: string, text: string, count: number): Promise<boolean> {
  const bytes = await Deno.readFile(file);
  const content = new TextDecoder("latin1").decode(bytes);
  let position = -1;
  for (let found = 0; found <= count; found++) {
    position = content.indexOf(text, position + 1);
    if (position === -1) return false;
  }
  bytes[position + 1] = "X".charCodeAt(0);
  await Deno.writeFile(file, bytes);
  return true;
}

Deno.test("C 5.1 a corrupted path is found at a start after an orderly stop", async () => {
  let occurrences = 0;
  for (;; occurrences++) {
    await using directory = await TempDir.make();
    {
      await using storage = await Storage.open(directory.path, { reserveMB: 0 });
      await seed(storage.records, ["some-directory/", "some-directory/a-file"]);
    }
    const database = `${directory.path}/strongroom.db`;
    if (!await corrupt(database, "some-directory/a-file", occurrences)) break;
    await assert.rejects(Storage.open(directory.path, { reserveMB: 0 }), /damaged/);
  }
  // In the table, and in the indexes.
  assert.ok(occurrences >= 3, String(occurrences));
});

Deno.test("C 5.1 checkPaths() finds a corrupted path in a database that is not small", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/records.db`;
  {
    await using store = await SqliteResourceStore.open(path);
    const names = Array.from({ length: 20_000 }, (_, index) => `a rather long name ${index}`);
    await seed(store, names);
  }
  assert.ok((await Deno.stat(path)).size > 5_000_000);
  using connection = new Connection(path, { readOnly: false });
  checkPaths(connection);
  connection.script(
    `PRAGMA ignore_check_constraints = ON;
     UPDATE records SET path = 'another' WHERE name = 'a rather long name 77'`,
  );
  assert.throws(() => checkPaths(connection), /damaged.*record \d+/);
});
