import * as assert from "node:assert/strict";
import { localFiles } from "../../storage/local_files.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("localFiles() finds the files at and below paths", async (t) => {
  await using directory = await TempDir.make();
  const root = directory.path;
  await Deno.mkdir(`${root}/models/deep/er`, { recursive: true });
  await Deno.writeTextFile(`${root}/models/b.bin`, "b");
  await Deno.writeTextFile(`${root}/models/a.bin`, "aa");
  await Deno.writeTextFile(`${root}/models/deep/er/c.bin`, "ccc");
  await Deno.mkdir(`${root}/cache`);
  await Deno.writeTextFile(`${root}/cache/blob`, "12345");
  await Deno.symlink(`${root}/cache/blob`, `${root}/models/linked.bin`);
  await Deno.symlink(`${root}/models`, `${root}/models/deep/round`);
  await Deno.symlink(`${root}/nowhere`, `${root}/models/dangling`);

  await t.step("lists each file once, sorted, and follows links to files", async () => {
    const found = await localFiles([`${root}/models/`, `${root}/models/a.bin`]);
    assert.deepEqual(found, [
      { path: `${root}/models/a.bin`, size: 2 },
      { path: `${root}/models/b.bin`, size: 1 },
      { path: `${root}/models/dangling`, error: "No such file" },
      { path: `${root}/models/deep/er/c.bin`, size: 3 },
      {
        path: `${root}/models/deep/round`,
        error: "Link to a directory, which is not followed",
      },
      { path: `${root}/models/linked.bin`, size: 5 },
    ]);
  });
  await t.step("follows a link to a directory that is named itself", async () => {
    await Deno.symlink(`${root}/cache`, `${root}/link`);
    const found = await localFiles([`${root}/link`]);
    assert.deepEqual(found, [{ path: `${root}/link/blob`, size: 5 }]);
  });
  await t.step("C 16 lists a file once, by the first of its spellings", async () => {
    const spellings = [`${root}/cache/../cache/blob`, `${root}//cache/`, `${root}/cache/blob`];
    assert.deepEqual(await localFiles(spellings), [
      { path: `${root}/cache/../cache/blob`, size: 5 },
    ]);
  });
  await t.step("C 16 lists a link and its target, which have names of their own", async () => {
    const found = await localFiles([`${root}/cache/blob`, `${root}/models/linked.bin`]);
    assert.equal(found.length, 2);
  });
  await t.step("reports paths that are not files", async () => {
    assert.deepEqual(await localFiles([`${root}/missing`, "/dev/null"]), [
      { path: "/dev/null", error: "Not a regular file" },
      { path: `${root}/missing`, error: "No such file" },
    ]);
  });
});
