import * as assert from "node:assert/strict";
import { TempDir } from "../support/temp_dir.ts";
import { checkStarted, CommitProgram } from "./commit_kills.ts";

Deno.test("C 20 a commit survives kill -9 at any moment as a whole, or not at all", async (t) => {
  for (const maxDirectRecords of [10_000, 1]) {
    for (const delayMs of [0, 10, 40]) {
      const how = maxDirectRecords === 1 ? "in steps" : "in one transaction";
      await t.step(`${how}, killed after ${delayMs} ms`, async () => {
        await using directory = await TempDir.make();
        await using program = new CommitProgram(directory.path, maxDirectRecords);
        assert.ok(await program.reaches("ready"));
        await program.goOn();
        assert.ok(await program.reaches("parked"));
        await program.goOn();
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await program.kill();
        await checkStarted(directory.path, program);
      });
    }
  }
});
