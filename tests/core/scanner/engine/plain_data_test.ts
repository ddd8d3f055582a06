import * as assert from "node:assert/strict";
import { emitting, PASSED, scan } from "./fake_scanners.ts";

Deno.test("details keep values that JSON lacks as text, up to a maximum depth", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const details = {
    huge: 2n ** 70n,
    whole: 5n,
    infinite: Infinity,
    zero: -0,
    bytes: Uint8Array.of(1, 255),
    cycle,
  };
  const result = scan("x", [emitting("a", { ...PASSED, details })]);
  const { cycle: bounded, zero, ...rest } = result.checks[0]?.details ?? {};
  assert.ok(Object.is(zero, 0));
  assert.deepEqual(rest, {
    huge: "1180591620717411303424",
    whole: 5,
    infinite: "Infinity",
    bytes: "01ff",
  });
  assert.match(JSON.stringify(bounded), /^(\{"self":){10,20}"…"\}+$/);
});
