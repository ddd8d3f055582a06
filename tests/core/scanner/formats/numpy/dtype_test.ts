import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { describeFailures } from "../format_scan.ts";
import { file, header, scanFile } from "./npy_bytes.ts";

Deno.test("types and shapes have their sizes", async (t) => {
  const rows: [string, string, number][] = [
    ["'|b1'", "(3,)", 3],
    ["'?'", "(3,)", 3],
    ["'|i1'", "()", 1],
    ["'>u2'", "(2,)", 4],
    ["'<c16'", "(1,)", 16],
    ["'<f2'", "(0, 5)", 0],
    ["'<U10'", "(2,)", 80],
    ["'|S5'", "(2,)", 10],
    ["'|S0'", "(2,)", 0],
    ["'|V16'", "(2,)", 32],
    ["'<M8[ns]'", "(2,)", 16],
    ["'<m8[25us]'", "(2,)", 16],
    ["'float64'", "(2L, 3L)", 48],
    ["'f'", "[2]", 8],
    ["[('a', '<f4'), ('b', '<i8', (2,))]", "(2,)", 40],
    ["[(('title', 'Object'), '<f4')]", "(2,)", 8],
    ["[('Over', [('O', '<i2')])]", "(2,)", 4],
    ["('<f4', (2, 2))", "(1,)", 16],
    ['"<f8"', "(1,)", 8],
  ];
  for (const [descr, shape, size] of rows) {
    await t.step(`${descr} ${shape}`, () => {
      assert.equal(describeFailures(scanFile(file(header(descr, shape), size)).checks), "");
      const longer = scanFile(file(header(descr, shape), size + 1));
      assert.equal(verdict(longer.checks), "W");
      assert.equal(longer.members[0]?.name, "trailing data");
    });
  }
});
