import * as assert from "node:assert/strict";
import { binbytes, bytes } from "./pickle_bytes.ts";
import { P4, PAYLOAD } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: a pickle deeper than is looked into is told of", () => {
  let content = bytes(P4, PAYLOAD);
  for (let level = 0; level < 8; level++) content = bytes(P4, binbytes(content), ".");
  const { failed } = scan(content);
  assert.ok(failed.some(({ incomplete }) => incomplete === "nested_depth"), JSON.stringify(failed));
});

Deno.test("C 16: a nested pickle of more instructions than the limit is told of", () => {
  const inner = bytes(P4, "(", "N".repeat(200), "t.");
  const { failed } = scan(bytes(P4, binbytes(inner), "."), { limits: { maxOpcodes: 100 } });
  assert.deepEqual(failed.map(({ incomplete }) => incomplete), ["nested_opcodes"]);
});
