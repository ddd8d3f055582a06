import * as assert from "node:assert/strict";
import { FIXTURES } from "./fixtures/fixtures.ts";

const DIRECTORY = new URL("fixtures/", import.meta.url);
const FILE_LIMIT = 200 * 1024;
const TOTAL_LIMIT = 2 * 1024 * 1024;

async function* filesBelow(directory: URL, path = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(path, directory))) {
    if (isDirectory) yield* filesBelow(directory, `${path}${name}/`);
    else yield path + name;
  }
}

Deno.test("the table of fixtures has a row for each file, and a file for each row", async () => {
  const files = await Array.fromAsync(filesBelow(new URL("models/", DIRECTORY)));
  assert.deepEqual(FIXTURES.map(({ path }) => path).sort(), files.sort());
});

Deno.test("each fixture is made by a library in the version that is pinned, or by hand", async () => {
  const pins = await Deno.readTextFile(new URL("requirements.txt", DIRECTORY));
  const libraries = pins.trim().split("\n").map((pin) => pin.replace("==", " "));
  const makers = new Set([...libraries, "python 3.11.7", "by hand"]);
  const others = FIXTURES.filter(({ madeBy }) => !makers.has(madeBy.replace(/, edited$/, "")));
  assert.deepEqual(others, []);
});

Deno.test("the fixtures are small", async () => {
  let total = 0;
  for (const { path } of FIXTURES) {
    const { size } = await Deno.stat(new URL(`models/${path}`, DIRECTORY));
    assert.ok(size <= FILE_LIMIT, `${path} has ${size} bytes`);
    total += size;
  }
  assert.ok(total <= TOTAL_LIMIT, `${total} bytes`);
});

Deno.test("what is hostile lies in a directory of its own, and nothing there is clean", () => {
  const misplaced = FIXTURES.filter(({ path, verdict, or }) =>
    path.includes("/hostile/") && [verdict, or].includes("clean")
  );
  assert.deepEqual(misplaced, []);
});
