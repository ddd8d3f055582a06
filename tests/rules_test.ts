import * as assert from "node:assert/strict";
import { ROOT } from "./support/child_server.ts";

/** The rules of the specification that have been built; each is named by a test. */
const RULES: readonly string[] = [
  ...numbered("RS 1", 5),
  ...numbered("RS 4.1", 8),
  ...numbered("RS 4.2", 9),
  ...numbered("RS 4.3", 5),
  ...numbered("RS 4.4", 7),
  ...[1, 2].map((rule) => `RS 4.4 single ${rule}`),
  ...[1, 2, 3, 4, 5].map((rule) => `RS 4.4 multiple ${rule}`),
  ...numbered("RS 4.5", 8),
  ...numbered("RS 4.6", 5),
  ...numbered("RS 4.7", 6),
  "RS 5",
  ...numbered("RS 6", 2),
  "SR 1",
  ...numbered("SR 2", 12),
  ...numbered("C 5", 6),
  ...[2, 3, 7, 8].map((part) => `HC ${part}`),
  ...[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((part) => `C ${part}`),
];

function numbered(part: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${part}.${index + 1}`);
}

/** The rules that a title or the line of a table names: `RS 4.1.3 and 4.1.7, C 8` names three. */
function rulesOf(title: string): string[] {
  const reference =
    /\b(RS|SR|HC|C) (\d[\d.]*(?: (?:single|multiple) \d)?)((?:(?:,| and| to) \d[\d.]*)*)/g;
  return [...title.matchAll(reference)].flatMap(([, document, first, rest]) =>
    [first, ...(rest ?? "").matchAll(/\d[\d.]*/g)].map((it) =>
      `${document} ${String(it).replace(/\.$/, "")}`
    )
  );
}

async function* testFiles(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory) yield* testFiles(`${directory}/${name}`);
    else if (name.endsWith(".ts") && name !== "rules_test.ts") yield `${directory}/${name}`;
  }
}

Deno.test("every rule that has been built is named by a test", async () => {
  const named = new Set<string>();
  for await (const path of testFiles(`${ROOT}tests`)) {
    const code = await Deno.readTextFile(path);
    const titles = code.matchAll(/(?:test|step|refuses|name:?)\(?\s*[`"]([^`"]+)[`"]/g);
    const lines = code.matchAll(/^((?:RS|SR|HC|C) [^|]*) \|/gm);
    for (const [, title = ""] of [...titles, ...lines]) {
      for (const rule of rulesOf(title)) named.add(rule);
    }
  }
  assert.deepEqual(RULES.filter((rule) => !named.has(rule)), []);
});
