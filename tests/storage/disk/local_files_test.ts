import * as assert from "node:assert/strict";
import { localFiles } from "../../../storage/disk/local_files.ts";
import { TempDir } from "../../support/temp_dir.ts";

async function filesAt(paths: readonly string[]) {
  const { files, excluded } = await localFiles(paths);
  assert.deepEqual(excluded, []);
  return files;
}

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
  await Deno.symlink(`${root}/cache`, `${root}/models/deep/out`);
  await Deno.symlink(`${root}/nowhere`, `${root}/models/dangling`);

  await t.step("lists each file once, sorted, and follows links to files", async () => {
    const found = await filesAt([`${root}/models/`, `${root}/models/a.bin`]);
    assert.deepEqual(found, [
      { path: `${root}/models/a.bin`, size: 2 },
      { path: `${root}/models/b.bin`, size: 1 },
      { path: `${root}/models/dangling`, error: "No such file" },
      { path: `${root}/models/deep/er/c.bin`, size: 3 },
      { path: `${root}/models/deep/out`, error: "Link to a directory, which is not followed" },
      { path: `${root}/models/linked.bin`, size: 5 },
    ]);
  });
  await t.step("follows a link to a directory that is named itself", async () => {
    await Deno.symlink(`${root}/cache`, `${root}/link`);
    const found = await filesAt([`${root}/link`]);
    assert.deepEqual(found, [{ path: `${root}/link/blob`, size: 5 }]);
  });
  await t.step("C 16 lists a file once, by the first of its spellings", async () => {
    const spellings = [`${root}/cache/../cache/blob`, `${root}//cache/`, `${root}/cache/blob`];
    assert.deepEqual(await filesAt(spellings), [
      { path: `${root}/cache/../cache/blob`, size: 5 },
    ]);
  });
  await t.step("C 16 lists a link and its target, which have names of their own", async () => {
    const found = await filesAt([`${root}/cache/blob`, `${root}/models/linked.bin`]);
    assert.equal(found.length, 2);
  });
  await t.step("reports paths that are not files", async () => {
    assert.deepEqual(await filesAt([`${root}/missing`, "/dev/null"]), [
      { path: "/dev/null", error: "Not a regular file" },
      { path: `${root}/missing`, error: "No such file" },
    ]);
  });
  await t.step("C 25 leaves out what is excluded, named or found, and lists it", async () => {
    const paths = [`${root}/models`, `${root}/cache`];
    const isExcluded = (path: string) => path === `${root}/cache` || path.endsWith("/a.bin");
    const isSkippedDirectory = (path: string) => path.endsWith("/deep");
    const { files, excluded } = await localFiles(paths, { isExcluded, isSkippedDirectory });
    assert.deepEqual(files.map(({ path }) => path.slice(root.length)), [
      "/models/b.bin",
      "/models/dangling",
      "/models/linked.bin",
    ]);
    assert.deepEqual(excluded.map((path) => path.slice(root.length)), [
      "/cache",
      "/models/a.bin",
      "/models/deep",
    ]);
  });
  await t.step("C 25 walks a skipped directory that is named itself", async () => {
    const isSkippedDirectory = (path: string) => path.endsWith("er");
    for (const named of [`${root}/models/deep/er`, `${root}/models/deep/../deep/er`]) {
      const { files, excluded } = await localFiles([`${root}/models`, named], {
        isSkippedDirectory,
      });
      assert.ok(files.some(({ path }) => path === `${named}/c.bin`));
      assert.deepEqual(excluded, []);
    }
  });
  await t.step("C 25 lists the content of a model hub's cache by the names of links", async () => {
    const model = `${root}/hub/models--x--y`;
    const [linked, unlinked] = ["0123456789".repeat(4), "abcdef01".repeat(8)];
    await Deno.mkdir(`${model}/blobs`, { recursive: true });
    await Deno.mkdir(`${model}/snapshots/r1`, { recursive: true });
    await Deno.writeTextFile(`${model}/blobs/${linked}`, "linked");
    await Deno.writeTextFile(`${model}/blobs/${unlinked}`, "x");
    await Deno.writeTextFile(`${model}/blobs/model.bin`, "yy");
    await Deno.symlink(`../../blobs/${linked}`, `${model}/snapshots/r1/a.pkl`);
    await Deno.symlink("../../blobs/model.bin", `${model}/snapshots/r1/b.pkl`);
    const expected = [
      ["/blobs/abcdef01".padEnd(7 + 64, "abcdef01"), 1],
      ["/blobs/model.bin", 2],
      ["/snapshots/r1/a.pkl", 6],
      ["/snapshots/r1/b.pkl", 2],
    ];
    await Deno.symlink(model, `${root}/hublink`);
    for (const named of [model, `${root}/hublink`]) {
      const found = await filesAt([named]);
      const shown = found.map((it) => [it.path.slice(named.length), "size" in it && it.size]);
      assert.deepEqual(shown, expected);
    }
    const snapshot = await filesAt([`${model}/snapshots`]);
    assert.deepEqual(snapshot.map(({ path }) => path.slice(model.length)), [
      "/snapshots/r1/a.pkl",
      "/snapshots/r1/b.pkl",
    ]);
  });
});
