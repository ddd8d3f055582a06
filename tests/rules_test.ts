import * as assert from "node:assert/strict";
import { ROOT } from "./support/child_server.ts";
import { RULES } from "./support/rules.ts";

/** The rules that a title or the line of a table names: `RS 4.1.3 and 4.1.7, C 8` names three. */
function rulesOf(title: string): string[] {
  const reference =
    /\b(RS|SR|HC|C) (\d[\d.]*(?: (?:common|single|multiple) \d)?)((?:(?:,| and| to) \d[\d.]*)*)/g;
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
