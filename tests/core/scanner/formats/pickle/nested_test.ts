import * as assert from "node:assert/strict";
import { binbytes, bytes } from "./pickle_bytes.ts";
import { P4, PAYLOAD } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: reports pickles that are nested too deeply", () => {
  let content = bytes(P4, PAYLOAD);
  for (let level = 0; level < 8; level++) content = bytes(P4, binbytes(content), ".");
  const { failed } = scan(content);
  assert.ok(failed.some(({ incomplete }) => incomplete === "nested_depth"), JSON.stringify(failed));
});

Deno.test("C 16: reports a nested pickle with more instructions than the limit", () => {
  const inner = bytes(P4, "(", "N".repeat(200), "t.");
  const { failed } = scan(bytes(P4, binbytes(inner), "."), { limits: { maxOpcodes: 100 } });
  assert.deepEqual(failed.map(({ incomplete }) => incomplete), ["nested_opcodes"]);
});
