import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { RULES } from "../support/rules.ts";
import { anchorsIn, citationsIn } from "./citations.ts";
import { textFiles } from "./text_files.ts";

/** The file in docs/reference/spec that defines the rules of each document. */
const FILES: Readonly<Record<string, string>> = {
  RS: "resource-service.md",
  SR: "scan-report.md",
  HC: "host-capacity.md",
  C: "contract.md",
  evasion: "evasions.md",
  scanning: "detection.md",
};

/** The rules that docs/reference/spec defines, each with its file. */
async function anchors(): Promise<[rule: string, file: string][]> {
  const files = [...new Set(Object.values(FILES))];
  const found = files.map(async (file) => {
    const markdown = await Deno.readTextFile(`${ROOT}docs/reference/spec/${file}`);
    return anchorsIn(markdown).map((rule): [string, string] => [rule, file]);
  });
  return (await Promise.all(found)).flat();
}

Deno.test("docs/reference/spec defines each rule once, in the file of its document", async () => {
  const defined = await anchors();
  const misplaced = defined.filter(([rule, file]) => FILES[rule.split(" ")[0] ?? ""] !== file);
  assert.deepEqual(misplaced, []);
  const rules = defined.map(([rule]) => rule);
  assert.deepEqual(rules.filter((rule, index) => rules.indexOf(rule) !== index), []);
});

Deno.test("docs/reference/spec defines every rule that is built", async () => {
  const defined = new Map(await anchors());
  assert.deepEqual(RULES.filter((rule) => !defined.has(rule)), []);
});

Deno.test("every citation in source, tests and documents resolves to a rule in docs/reference/spec", async () => {
  const defined = new Map(await anchors());
  const unresolved: string[] = [];
  let count = 0;
  for await (const path of textFiles()) {
    if (import.meta.url.endsWith(path)) continue;
    for (const { rule, line } of citationsIn(await Deno.readTextFile(ROOT + path))) {
      count++;
      if (!defined.has(rule)) unresolved.push(`${path}:${line} ${rule}`);
    }
  }
  assert.ok(count > 1000, `only ${count} citations`);
  assert.equal(unresolved.length, 0, `citations without a rule:\n${unresolved.join("\n")}`);
});

Deno.test("citationsIn() finds lists, ranges and citations that wrap", async (t) => {
  const samples: [text: string, rules: string[]][] = [
    ["`RS 4.2.5` is rule 5, C 6.", ["RS 4.2.5", "C 6"]],
    ["RS 4.1.3 and 4.1.7, C 8", ["RS 4.1.3", "RS 4.1.7", "C 8"]],
    ["HC 3, 7 and 8 leases", ["HC 3", "HC 7", "HC 8"]],
    ["C 17, 18, and C 5.2", ["C 17", "C 18", "C 5.2"]],
    ["C 15 to C 17, or C 1–2", ["C 15", "C 16", "C 17", "C 1", "C 2"]],
    ["SR 2.9 to 2.11", ["SR 2.9", "SR 2.10", "SR 2.11"]],
    ["RS 4.1.5–7", ["RS 4.1.5", "RS 4.1.6", "RS 4.1.7"]],
    ["RS 4.4 single 1, RS 4.4 multiple 3", ["RS 4.4 single 1", "RS 4.4 multiple 3"]],
    ["/**\n * As in RS 4.4\n * multiple 3 and\n * C 7.\n */", ["RS 4.4 multiple 3", "C 7"]],
    ["evasion 37, 2 files", ["evasion 37"]],
    ["Evasions 52, 53 and 60", ["evasion 52", "evasion 53", "evasion 60"]],
    ["C 16, scanning 2.7", ["C 16", "scanning 2.7"]],
    ["scanning 2.11, 3: reports links", ["scanning 2.11", "scanning 3"]],
    ["scanning 2.5 and 2.7, scanning 2.10", ["scanning 2.5", "scanning 2.7", "scanning 2.10"]],
    ["scanning 2.2 to 2.4", ["scanning 2.2", "scanning 2.3", "scanning 2.4"]],
    ["/** Reads pickles (scanning\n * 2.1). */", ["scanning 2.1"]],
    ["scanning 3 files, HC 7", ["HC 7"]],
    ["RS256, C3 and C64", []],
  ];
  for (const [text, rules] of samples) {
    await t.step(JSON.stringify(text), () => {
      assert.deepEqual(citationsIn(text).map(({ rule }) => rule), rules);
    });
  }
  assert.deepEqual(citationsIn("\n\nSR 2.5"), [{ rule: "SR 2.5", line: 3 }]);
});
