import * as assert from "node:assert/strict";
import { PASSED, scan, scanner, source } from "./fake_scanners.ts";

Deno.test("SR 2.7 hashes of members are collected with their paths in the file", async (t) => {
  /** Reports a member `m` of each container as `report` returns it, for `depth` nested containers. */
  const container = (depth: number, report: (path: string[]) => Record<string, unknown>) =>
    scanner("zip", function* (content, context) {
      const path = content.depth === 0 ? ["m"] : [content.name, "m"];
      context.addMetadata(report(path));
      if (content.depth < depth) context.scanMember(`in${content.depth}`, source("x"));
      yield PASSED;
    });
  const records = (path: string[]) => ({
    member_file_hashes: {
      [path.join(":")]: { logical_path: path.join(":"), path_segments: path, file_size: 1n },
    },
    member_file_hashes_total: 1,
  });
  await t.step("including members of members", () => {
    const { metadata } = scan("x", [container(2, records)]);
    assert.deepEqual(metadata, {
      member_file_hashes: {
        "m": { logical_path: "m", path_segments: ["m"], file_size: 1 },
        "in0:m": { logical_path: "in0:m", path_segments: ["in0", "m"], file_size: 1 },
        "in0:in1:m": {
          logical_path: "in0:in1:m",
          path_segments: ["in0", "in1", "m"],
          file_size: 1,
        },
      },
      member_file_hashes_total: 3,
    });
  });
  await t.step("including those with the same key", () => {
    const same = () => ({ member_file_hashes: { m: { file_size: 1 } } });
    const { metadata } = scan("x", [container(1, same)]);
    assert.deepEqual(Object.keys(metadata["member_file_hashes"] ?? {}), ["m", "m#2"]);
    assert.equal(metadata["member_file_hashes_total"], 2);
  });
  await t.step("up to 1000", () => {
    const names = Array.from({ length: 600 }, (_, n) => `${n}`);
    const many = () => ({
      member_file_hashes: Object.fromEntries(names.map((it) => [it, { file_size: 1 }])),
      member_file_hashes_total: 610,
      member_file_hashes_truncated: true,
      member_file_hashes_omitted: 10,
    });
    const { metadata } = scan("x", [container(1, many)]);
    assert.equal(Object.keys(metadata["member_file_hashes"] ?? {}).length, 1000);
    assert.equal(metadata["member_file_hashes_total"], 1220);
    assert.equal(metadata["member_file_hashes_truncated"], true);
    assert.equal(metadata["member_file_hashes_omitted"], 220);
  });
  await t.step("ignoring values of other types", () => {
    for (const hashes of [7, "text", ["a"], null, { m: 7 }]) {
      const { metadata } = scan("x", [container(0, () => ({ member_file_hashes: hashes }))]);
      assert.deepEqual(Object.keys(metadata["member_file_hashes"] ?? {}), []);
    }
  });
});
