import * as assert from "node:assert/strict";
import { KIB, MIB } from "../schemas/units.ts";
import { FIXTURES } from "./fixtures/fixtures.ts";

const DIRECTORY = new URL("fixtures/", import.meta.url);
const MAX_FILE_BYTES = 200 * KIB;
const MAX_TOTAL_BYTES = 2 * MIB;

async function* filesBelow(directory: URL, path = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, directory))) {
    if (isDirectory) yield* filesBelow(directory, `${path}${name}/`);
    else yield path + name;
  }
}

Deno.test("the table of fixtures has a row for every file and a file for every row", async () => {
  const files = await Array.fromAsync(filesBelow(new URL("models/", DIRECTORY)));
  assert.deepEqual(FIXTURES.map(({ path }) => path).sort(), files.sort());
});

Deno.test("every fixture is made by a pinned library version or by hand", async () => {
  const files = ["requirements.txt", "requirements-mxnet.txt", "requirements-arrow.txt"];
  const pins = await Promise.all(files.map((it) => Deno.readTextFile(new URL(it, DIRECTORY))));
  const libraries = pins.flatMap((it) => it.trim().split("\n")).map((it) => it.replace("==", " "));
  const makers = new Set([...libraries, "python 3.11.7", "R 4.2.2", "by hand"]);
  const others = FIXTURES.filter(({ madeBy }) => !makers.has(madeBy.replace(/, edited$/, "")));
  assert.deepEqual(others, []);
});

Deno.test("the fixtures stay within the size limits", async () => {
  let total = 0;
  for (const { path } of FIXTURES) {
    const { size } = await Deno.stat(new URL(`models/${path}`, DIRECTORY));
    assert.ok(size <= MAX_FILE_BYTES, `${path} has ${size} bytes`);
    total += size;
  }
  assert.ok(total <= MAX_TOTAL_BYTES, `${total} bytes`);
});

Deno.test("no file in a hostile directory is clean", () => {
  const misplaced = FIXTURES.filter(({ path, verdict, or }) =>
    path.includes("/hostile/") && [verdict, or].includes("clean")
  );
  assert.deepEqual(misplaced, []);
});
