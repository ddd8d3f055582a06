import * as assert from "node:assert/strict";
import { MIB } from "../../../schemas/units.ts";
import { Ballast } from "../../../storage/disk/ballast.ts";
import { fillDisk, mountable, smallDisk, SMALLEST_MB } from "../../support/small_disk.ts";
import { TempDir } from "../../support/temp_dir.ts";

const RESERVE_BYTES = 64 * MIB;

/** The sizes of the files in `ballast/`. */
function sizes(dataDir: string): number[] {
  const directory = `${dataDir}/ballast`;
  return [...Deno.readDirSync(directory)].map(({ name }) =>
    Deno.statSync(`${directory}/${name}`).size
  );
}

Deno.test("Ballast takes space, and gives it up piece by piece", async () => {
  await using directory = await TempDir.make();
  const ballast = new Ballast(directory.path, RESERVE_BYTES);
  ballast.fill();
  assert.deepEqual(sizes(directory.path), Array(8).fill(MIB));
  assert.equal(ballast.release(1), 1);
  assert.equal(sizes(directory.path).length, 7);
  assert.equal(ballast.release(), 7);
  assert.equal(ballast.release(), 0);
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
  ballast.fill();
  assert.equal(new Ballast(directory.path, RESERVE_BYTES).release(), 8);
});

Deno.test({
  name: "Ballast is taken while the disk has little space, as far as the reserve stays free",
  ignore: !(await mountable()).has("tmpfs"),
  async fn() {
    await using disk = await smallDisk(80);
    assert.ok(disk);
    const ballast = new Ballast(disk.path, RESERVE_BYTES);
    assert.equal(ballast.adjust(), false);
    assert.deepEqual(sizes(disk.path), Array(8).fill(MIB));
    await fillDisk(disk, "foreign");
    assert.equal(ballast.adjust(), true);
    assert.equal(sizes(disk.path).length, 7);
    // There is space for a piece.
    assert.equal(ballast.adjust(), true);
    assert.equal(sizes(disk.path).length, 7);
    ballast.keep();
    assert.equal(sizes(disk.path).length, 8);
  },
});

Deno.test({
  name: "C 5 and C 12 a stop finds no room for the directory of the ballast, and ends in order",
  ignore: !(await mountable()).has("ext4"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    const ballast = new Ballast(disk.path, RESERVE_BYTES);
    ballast.fill();
    while (ballast.release() > 0) await fillDisk(disk, "foreign");
    ballast.keep();
    assert.equal(ballast.release(), 0);
  },
});

Deno.test("Ballast takes nothing without a reserve, or on a disk with ample space", async () => {
  await using directory = await TempDir.make();
  assert.equal(new Ballast(directory.path, 0).adjust(), false);
  new Ballast(directory.path, 0).keep();
  assert.equal(new Ballast(directory.path, RESERVE_BYTES).adjust(), false);
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});
