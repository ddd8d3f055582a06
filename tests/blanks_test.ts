import * as assert from "node:assert/strict";
import { ROOT } from "./support/child_server.ts";

/** What goes wrong in a checkout whose path has a blank, and what is written instead. */
const MISTAKES: readonly (readonly [mistake: RegExp, instead: string])[] = [
  [/import\.meta\.url\)\.pathname/, "fileURLToPath()"],
  [/[`"]file:\/\/\$\{/, "pathToFileURL()"],
  [/\bfrom "\$\{ROOT\}/, "pathToFileURL()"],
  // A word of a shell, after others.
  [/`[^`\n]* [^`\n]*(?<!['"])\$\{(?:ROOT|Deno\.execPath\(\))\}/, "quotes around the path"],
];

function mistakesIn(code: string): string[] {
  return MISTAKES.flatMap(([mistake, instead]) => {
    const [text] = mistake.exec(code) ?? [];
    return text === undefined ? [] : `${text}: use ${instead}`;
  });
}

async function* modules(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(ROOT + directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) yield* modules(path);
    else if (name.endsWith(".ts") && path !== "tests/blanks_test.ts") yield path;
  }
}

Deno.test("a checkout may be in a directory with a blank in its name", async (t) => {
  for (const directory of ["tests", "packaging"]) {
    await t.step(`nothing in ${directory} splits or encodes its path`, async () => {
      const found: string[] = [];
      for await (const path of modules(directory)) {
        const mistakes = mistakesIn(await Deno.readTextFile(ROOT + path));
        found.push(...mistakes.map((it) => `${path}: ${it}`));
      }
      assert.deepEqual(found, []);
    });
  }
  await t.step("the check knows each mistake", () => {
    const wrong = [
      "new URL(import.meta.url).pathname",
      'new URL("../..", import.meta.url).pathname',
      "import(`file://${ROOT}main.ts`)",
      'import { run } from "${ROOT}cli/scan/scan.ts";',
      "`'${Deno.execPath()}' run ${ROOT}main.ts`",
      "`deno task --config=${ROOT}deno.json`",
    ];
    assert.deepEqual(wrong.filter((code) => mistakesIn(code).length !== 1), []);
    const right = ["`${ROOT}main.ts`", "`--config=${ROOT}deno.json`", "`sh '${ROOT}a' b`"];
    assert.deepEqual(right.flatMap(mistakesIn), []);
  });
});
