import * as assert from "node:assert/strict";
import { UploadFile } from "../../../storage/content/upload_file.ts";
import { noise } from "../../support/random.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("UploadFile writes what is appended in order, and syncs on the way", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  const file = await UploadFile.create(path);
  const pieces = Array.from({ length: 80 }, (_, index) => noise(1_000_000, index + 1));
  for (const piece of pieces) file.append(piece);
  await file.finish();
  const written = await Deno.readFile(path);
  assert.equal(written.length, 80_000_000);
  for (const [index, piece] of pieces.entries()) {
    const part = written.subarray(index * 1_000_000, (index + 1) * 1_000_000);
    assert.ok(part.every((byte, at) => byte === piece[at]), String(index));
  }
});

Deno.test("UploadFile creates a file for its owner only, and never replaces one", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  const file = await UploadFile.create(path);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  await assert.rejects(UploadFile.create(path), Deno.errors.AlreadyExists);
  file.close();
  assert.throws(() => file.append(new Uint8Array(1)));
});

Deno.test("UploadFile follows a file that another one writes, and leaves it as it is", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  await assert.rejects(UploadFile.follow(path), Deno.errors.NotFound);
  const content = noise(1000);
  await Deno.writeFile(path, content);
  const file = await UploadFile.follow(path);
  file.append(content);
  assert.equal(file.size, 1000);
  await file.finish();
  assert.deepEqual(new Uint8Array(await Deno.readFile(path)), content);
});
