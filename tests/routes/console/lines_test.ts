import * as assert from "node:assert/strict";

Object.defineProperty(globalThis, "location", {
  value: new URL("https://strongroom.test/console/#/model/x"),
});
const { linesFor } = await import("../../../routes/console/app/model/lines.ts");

Deno.test("C 29 no name of a folder is an option of the lines to copy", () => {
  for (const path of ["--server=https:/other.test", "models/-x/y", "models/--token=x/y's $(id)"]) {
    for (const { title, line } of linesFor(path)) {
      assert.doesNotMatch(line, /\s'?-(?:-server|-token|x)/, `${title}: ${line}`);
    }
  }
  const lines = linesFor("--server=https:/other.test").map(({ line }) => line);
  assert.equal(lines[0], "strongroom get ':--server=https:/other.test' .");
  const titles = (path: string) => linesFor(path).map(({ title }) => title);
  assert.deepEqual(titles("models/-x/y"), ["strongroom", "curl"]);
  assert.deepEqual(titles("models/x/y"), ["hf", "transformers", "strongroom", "curl"]);
});
