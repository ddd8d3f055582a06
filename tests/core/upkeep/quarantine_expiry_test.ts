import * as assert from "node:assert/strict";
import { orMissing } from "../../../storage/disk/files.ts";
import { IN_FILES, IN_SQLITE } from "../../support/engines.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { openSqlite } from "../../support/test_database.ts";

Deno.test({
  name: "C 31 content in quarantine is not deleted by one reading of the clock",
  ignore: !IN_SQLITE || !IN_FILES,
  async fn() {
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    const serve = async () => await (await TestServer.start({ dataDir }))[Symbol.asyncDispose]();
    const day = `${dataDir}/quarantine/2000-01-01`;
    await Deno.mkdir(day, { recursive: true });
    await Deno.writeTextFile(`${day}/${"a".repeat(32)}`, "content");
    // As far as it knows, the clock may be a quarter of a century ahead.
    await serve();
    await serve();
    assert.ok(await orMissing(Deno.lstat(day)));
    {
      await using database = openSqlite(`${dataDir}/strongroom.db`);
      await database.all("UPDATE storage_state SET clock_read_at = clock_read_at - 86400000");
    }
    await serve();
    assert.equal(await orMissing(Deno.lstat(day)), undefined);
  },
});
