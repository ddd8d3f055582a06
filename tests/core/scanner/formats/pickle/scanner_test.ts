import * as assert from "node:assert/strict";
import { looksLikePickle } from "../../../../../core/scanner/formats/pickle/detect.ts";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { ORDINARY } from "./ordinary_pickles.ts";
import { bytes } from "./pickle_bytes.ts";
import { P4, PAYLOAD } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: ordinary pickles are clean, and pass every check", async (t) => {
  for (const [title, content] of ORDINARY) {
    await t.step(title, () => {
      const { failed, checks } = scan(content);
      assert.deepEqual(failed, []);
      assert.equal(checks.length, 12);
      assert.equal(new Set(checks.map(({ name }) => name)).size, 12);
      assert.ok(pickleScanner.matches({ source: memorySource(content), name: "x", depth: 1 }));
    });
  }
});

Deno.test("SR 2.5: records stack depth, instructions and suspicious findings", () => {
  assert.deepEqual(scan(bytes(P4, "(K\x01K\x02K\x03t.")).metadata, {
    max_stack_depth: 3,
    opcode_count: 7,
    suspicious_count: 0,
  });
  assert.equal(scan(bytes(P4, PAYLOAD)).metadata.suspicious_count, 1);
});

Deno.test("a file named like a pickle is scanned, and is inconclusive if it is not one", () => {
  const content = bytes("not a pickle");
  const matches = (name: string, content: Uint8Array) =>
    pickleScanner.matches({ source: memorySource(content), name, depth: 0 });
  assert.equal(matches("a.pkl", content), true);
  assert.equal(matches("a.txt", content), false);
  assert.equal(matches("a.pkl", bytes("PK\x03\x04", new Uint8Array(100))), false);
  assert.equal(matches("a.pkl", bytes()), false);
  assert.equal(scan(content).verdict, "I");
});

Deno.test("scans an empty file and a file of one byte", () => {
  assert.equal(scan(bytes()).verdict, "OK");
  assert.equal(scan(bytes(".")).verdict, "I");
});

function mutated(content: Uint8Array, random: (bound: number) => number): Uint8Array {
  const copy = [...content];
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(copy.length + 1);
    const kind = random(4);
    if (kind === 0) copy[at] = random(256);
    else if (kind === 1) copy.splice(at, random(8));
    else if (kind === 2) copy.splice(at, 0, random(256));
    else copy.splice(at, 0, ...copy.slice(random(copy.length + 1)).slice(0, 20));
  }
  return Uint8Array.from(copy);
}

Deno.test("C 16: no mutation of a pickle makes the scanner throw or exceed its limits", () => {
  const random = seeded(20260101);
  const seeds = [...ORDINARY.map(([, content]) => content), bytes(P4, PAYLOAD)]
    .filter(({ length }) => length < 1000);
  for (let i = 0; i < 4000; i++) {
    const content = mutated(seeds[i % seeds.length] ?? bytes(), random);
    const { metadata, checks } = scan(content, { limits: { maxOpcodes: 5000 } });
    assert.ok(Number(metadata.opcode_count) <= 5000, content.toHex());
    for (const { status, severity } of checks) {
      assert.equal(severity === undefined, status !== "failed", content.toHex());
    }
    looksLikePickle(memorySource(content));
  }
});
