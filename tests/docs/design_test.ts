import * as assert from "node:assert/strict";
import { SETTING_VARIABLES } from "../../schemas/settings.ts";
import { ROOT } from "../support/child_server.ts";
import { textFiles } from "./text_files.ts";

/** A name between backticks that is that of a path of the checkout, rather than of a data directory. */
const PATH = /^(?:cli|core|routes|schemas|storage|packaging|tests)\/[\w./]+$|^\w+\.ts$/;
/** A function, a class with its member, a table with its column, a setting. */
const NAME = /^[A-Za-z]\w+(?:\.\w+)*(?:\(\))?$/;

const files = new Map<string, string>();
for await (const path of textFiles()) files.set(path, await Deno.readTextFile(ROOT + path));
const pages = [...files.keys()].filter((path) => path.startsWith("docs/design/"));
const sources = [...files].filter(([path]) => !path.endsWith(".md"));

Deno.test("code cites each page of docs/design, and no document that does not exist", () => {
  const cited = new Set<string>();
  for (const [path, text] of sources) {
    for (const [document] of text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)) {
      assert.ok(files.has(document), `${path} cites ${document}`);
      cited.add(document);
    }
  }
  assert.ok(pages.length > 20);
  assert.deepEqual(pages.filter((page) => !cited.has(page)), []);
});

Deno.test("the code that a page of docs/design, or the map, names is there", async (t) => {
  const words = new Set(
    sources.filter(([path]) => !path.startsWith("tests/"))
      .flatMap(([, text]) => text.match(/\w+/g) ?? []),
  ).union(new Set(SETTING_VARIABLES));
  const names = new Set([...files.keys()].map((path) => path.split("/").at(-1)));
  const isThere = async (name: string) => {
    if (!PATH.test(name)) {
      return !NAME.test(name) || name.match(/\w+/g)?.every((it) => words.has(it));
    }
    if (!name.includes("/")) return names.has(name);
    return await Deno.stat(ROOT + name).then(() => true, () => false);
  };
  for (const page of [...pages, "docs/architecture.md"]) {
    await t.step(page, async () => {
      const code = files.get(page)?.matchAll(/`([^`\n]+)`/g).map(([, name = ""]) => name) ?? [];
      const missing: string[] = [];
      for (const name of code) if (!await isThere(name)) missing.push(name);
      assert.deepEqual(missing, []);
    });
  }
});
