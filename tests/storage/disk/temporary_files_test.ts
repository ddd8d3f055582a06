import * as assert from "node:assert/strict";
import { TemporaryFiles } from "../../../storage/disk/temporary_files.ts";
import { TempDir } from "../../support/temp_dir.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array) => new TextDecoder().decode(content);

Deno.test("TemporaryFiles have no name, so that the system deletes them", async () => {
  await using directory = await TempDir.make();
  using files = new TemporaryFiles(directory.path);
  const file = await files.make();
  await file.append(bytes("content"));
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
  assert.equal(text(await file.read(0, 7)), "content");
});

Deno.test("a TemporaryFile is read by several at once while it grows", async () => {
  await using directory = await TempDir.make();
  using files = new TemporaryFiles(directory.path);
  const file = await files.make();
  const offsets = await Promise.all(["a", "bb", "ccc"].map((it) => file.append(bytes(it))));
  assert.deepEqual(offsets, [0, 1, 3]);
  const read = await Promise.all([
    file.read(3, 3),
    file.append(bytes("dddd")),
    file.read(0, 1),
    file.read(6, 4),
    file.read(1, 2),
  ]);
  assert.deepEqual(
    read.map((it) => typeof it === "number" ? it : text(it)),
    ["ccc", 6, "a", "dddd", "bb"],
  );
  await assert.rejects(file.read(9, 2), /shorter/);
});

Deno.test("a TemporaryFile is closed when all have released it, or with all others", async () => {
  await using directory = await TempDir.make();
  using files = new TemporaryFiles(directory.path);
  const file = await files.make();
  await file.append(bytes("a"));
  file.hold();
  file.hold();
  file.release();
  assert.equal(text(await file.read(0, 1)), "a");
  file.release();
  await assert.rejects(file.read(0, 1));
  const other = await files.make();
  other.hold();
  files[Symbol.dispose]();
  await assert.rejects(other.append(bytes("a")));
  other.release();
});
