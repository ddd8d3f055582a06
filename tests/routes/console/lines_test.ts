import * as assert from "node:assert/strict";
import { linesFor } from "../../../routes/console/app/model/lines.ts";

const SERVER = "https://strongroom.test";

function linesOf(path: string) {
  const address = `${SERVER}/api/v1/resources/download`;
  return linesFor({ path, server: SERVER, tree: undefined, at: undefined, address });
}

Deno.test("C 29 no name of a folder is an option of the lines to copy", () => {
  for (const path of ["--server=other", "models/-x/y", "models/--token=x/y's $(id)"]) {
    for (const { title, line } of linesOf(path)) {
      assert.doesNotMatch(line, /\s'?-(?:-server|-token|x)/, `${title}: ${line}`);
    }
  }
  assert.equal(linesOf("--server=other")[0]?.line, "strongroom get ':--server=other' .");
  const titles = (path: string) => linesOf(path).map(({ title }) => title);
  assert.deepEqual(titles("models/-x/y"), ["strongroom", "curl"]);
  assert.deepEqual(titles("models/x/y"), ["hf", "transformers", "strongroom", "curl"]);
});
