import * as assert from "node:assert/strict";
import { bytes, gl } from "./pickle_bytes.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: an unlisted import that is never called has severity info", () => {
  const { verdict, failed } = scan(bytes(gl("acme.models", "Net"), "."));
  assert.equal(verdict, "OK");
  assert.deepEqual(failed.map(({ severity }) => severity), ["info"]);
});
