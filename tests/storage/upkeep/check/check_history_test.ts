import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { databaseAddressOf } from "../../../support/engines.ts";
import { TestServer } from "../../../support/server.ts";
import { openDatabase } from "../../../support/test_database.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { loseContent } from "../../../support/stored_content.ts";
import { checked } from "./checked.ts";

/** A data directory whose tree has a past and a tag, and whose server has stopped. */
async function withPast(work: (dataDir: string) => Promise<void>): Promise<void> {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await TestServer.start({
      dataDir,
      settings: { history: 86_400_000 },
      maxDirectRecords: 3,
    });
    const one = await server.as(1);
    await one.upload("d", { a: "a", b: "b", c: "c" });
    await one.json("POST", "/tags/", { name: "v1", path: "d" });
    await one.put("d/a", "second");
    await one.move({ source: "d", destination: "e" });
    await one.move({ source: "e/a", destination: "f" });
    await one.put("f", "third");
    await one.put("e/a", "other");
    await one.remove({ path: "e" });
    await one.put("e/a", "again");
    await one.json("POST", "/resources/restore", { path: "d", at: 3 });
    await one.remove({ path: "d/b" });
    await one.put("g", "gone");
    await one.remove({ path: "g" });
  }
  await work(dataDir);
}

async function found(dataDir: string): Promise<string[]> {
  const database = await databaseAddressOf(dataDir);
  const { findings } = await checked(dataDir, database && { database });
  return findings.listed.map(({ kind, message }) => `${kind}: ${message}`);
}

/** What is done to the database, and what is found then. */
const DAMAGES: readonly (readonly [sql: string, found: RegExp])[] = [
  [
    "UPDATE records SET since = 0 WHERE path = 'e/a'",
    /^history: Two states of "e\/a" of user 1 are of the same versions$/,
  ],
  [
    "UPDATE records SET since = 99 WHERE path = 'f'",
    /^history: "f" of user 1 is of a version that the tree has not reached$/,
  ],
  ["UPDATE tags SET files = 4", /^history: The tag "v1" of user 1 does not have the files that/],
  // Rows in order and fresh ones, as the server has stopped at once.
  [
    "DELETE FROM fresh_history WHERE path = 'e/b'; DELETE FROM history WHERE path = 'e/b'",
    /^history: Nothing keeps the content of "d\/b" of user 1, which was moved from there$/,
  ],
];

Deno.test("C 26 check finds nothing wrong with a past that is sound", () =>
  withPast(async (dataDir) => assert.deepEqual(await found(dataDir), [])));

for (const [sql, expected] of DAMAGES) {
  Deno.test(`C 26 check finds what is wrong with the past: ${sql}`, () =>
    withPast(async (dataDir) => {
      {
        await using database = await openDatabase(dataDir);
        await database.script(sql);
      }
      assert.match((await found(dataDir)).join("\n"), new RegExp(expected, "m"));
    }));
}

Deno.test("C 26 check finds content of the past that is missing", () =>
  withPast(async (dataDir) => {
    await loseContent(dataDir, createHash("md5").update("gone").digest("hex"));
    assert.match((await found(dataDir)).join("\n"), /^missing: .*"g"/);
  }));
