import * as assert from "node:assert/strict";
import { TempDir } from "./temp_dir.ts";
import { hasProgram, isFile } from "./tools.ts";

Deno.test("a program that cannot be started is one that is not there", async (t) => {
  await using directory = await TempDir.make();
  const text = `${directory.path}/text`;
  await Deno.writeTextFile(text, "#!/bin/sh\n", { mode: 0o644 });
  const cases: readonly (readonly [name: string, program: string])[] = [
    ["a missing file", `${directory.path}/missing`],
    ["a name that is nowhere on the PATH", "strongroom-missing-program"],
    ["a file that may not be run", text],
    ["a file in a file", `${text}/python3`],
    ["a directory", directory.path],
  ];
  for (const [name, program] of cases) {
    await t.step(name, async () => assert.equal(await hasProgram(program), false));
  }
  await t.step({
    name: "a directory that this user may not read",
    // Nothing is closed to root.
    ignore: Deno.build.os === "windows" || Deno.uid() === 0,
    async fn() {
      const closed = `${directory.path}/closed`;
      await Deno.mkdir(closed, { mode: 0o000 });
      assert.equal(await hasProgram(`${closed}/python3`), false);
      assert.equal(isFile(`${closed}/python3`), false);
      // It can be removed only then.
      await Deno.chmod(closed, 0o700);
    },
  });
  await t.step("one that can be started is there if it succeeds", async () => {
    assert.equal(await hasProgram(Deno.execPath(), "--version"), true);
    assert.equal(await hasProgram(Deno.execPath(), "--no-such-option"), false);
  });
});
