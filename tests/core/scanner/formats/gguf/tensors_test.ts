import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { describeFailures } from "../format_scan.ts";
import { file, scanFile, tensor } from "./gguf_bytes.ts";

Deno.test("a faulty tensor fails the check of its fault", async (t) => {
  const rows: [string, Uint8Array, string][] = [
    ["alignment", file({ tensors: [tensor("a", [8], 0, 8)], data: 40 }), "GGUF Alignment"],
    [
      "overflow",
      file({ tensors: [tensor("a", [2n ** 32n, 2n ** 32n], 0, 0)] }),
      "GGUF Tensor Shapes",
    ],
  ];
  for (const [title, bytes, name] of rows) {
    await t.step(title, () => {
      const failed = scanFile(bytes).checks.filter(({ status }) => status === "failed");
      assert.ok(failed.some((check) => check.name === name), describeFailures(failed));
    });
  }
});

Deno.test("every ggml type has its block size", async (t) => {
  const types: [number, number, number][] = [
    [0, 1, 4],
    [1, 1, 2],
    [2, 32, 18],
    [3, 32, 20],
    [6, 32, 22],
    [7, 32, 24],
    [8, 32, 34],
    [9, 32, 36],
    [10, 256, 84],
    [11, 256, 110],
    [12, 256, 144],
    [13, 256, 176],
    [14, 256, 210],
    [15, 256, 292],
    [16, 256, 66],
    [17, 256, 74],
    [18, 256, 98],
    [19, 256, 50],
    [20, 32, 18],
    [21, 256, 110],
    [22, 256, 82],
    [23, 256, 136],
    [24, 1, 1],
    [25, 1, 2],
    [26, 1, 4],
    [27, 1, 8],
    [28, 1, 8],
    [29, 256, 56],
    [30, 1, 2],
    [34, 256, 54],
    [35, 256, 66],
    [39, 32, 17],
    [40, 64, 36],
    [41, 128, 18],
  ];
  for (const [type, block, size] of types) {
    await t.step(`type ${type}`, () => {
      const whole = file({ tensors: [tensor("a", [block, 32], type, 0)], data: size * 32 });
      assert.equal(describeFailures(scanFile(whole).checks), "");
      const short = whole.subarray(0, whole.length - 1);
      assert.equal(verdict(scanFile(short).checks), "C");
    });
  }
});
