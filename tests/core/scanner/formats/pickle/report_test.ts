import * as assert from "node:assert/strict";
import { bytes, gl } from "./pickle_bytes.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: lists an import once, with its count and first position", () => {
  const { failed } = scan(bytes("](", ...Array(50).fill(gl("os", "getpid")), "e."));
  assert.equal(failed.length, 1);
  const [{ position, details, message } = {}] = failed;
  assert.equal(position, 2);
  assert.equal(message, "Imports os.getpid");
  assert.deepEqual(details, {
    module: "os",
    name: "getpid",
    opcode: "GLOBAL",
    count: 50,
    called: false,
  });
});

Deno.test("C 16: lists a bounded number of imports, the most severe first", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => gl("acme", `f${i}`));
  const { checks, failed } = scan(bytes("(", ...names, gl("os", "getpid"), "t."));
  assert.ok(checks.length <= 1012);
  assert.equal(failed[0]?.severity, "critical");
  assert.ok(failed.some(({ message }) => message.endsWith("are not listed individually")));
});

Deno.test("C 16: cuts long strings short in messages", () => {
  const { failed } = scan(bytes(gl("a".repeat(5000), "b\x07".repeat(2000)), ")R."));
  assert.ok(failed[0] !== undefined && failed[0].message.length < 300);
  assert.ok(JSON.stringify(failed).length < 1500);
});
