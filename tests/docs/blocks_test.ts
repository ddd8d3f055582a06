import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { assertPrints, blocksOf } from "./blocks.ts";

/** The README, and all documents in docs, by paths from the root. */
async function documents(directory = "docs"): Promise<Map<string, string>> {
  const texts = new Map([["README.md", await Deno.readTextFile(`${ROOT}README.md`)]]);
  for await (const { name, isDirectory } of Deno.readDir(ROOT + directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) { for (const [it, text] of await documents(path)) texts.set(it, text); }
    else if (name.endsWith(".md")) texts.set(path, await Deno.readTextFile(ROOT + path));
  }
  return texts;
}

/** Their blocks start containers, need a cluster, or need a program of Python: tests of their own do the like. */
const READ = ["docs/guides/fleet.md", "docs/guides/signatures.md"];

Deno.test("a test runs the blocks of each document that has some", async () => {
  const run = new Set<string>();
  for await (const { name } of Deno.readDir(`${ROOT}tests/docs`)) {
    if (!name.endsWith("_test.ts") || name === "blocks_test.ts") continue;
    const code = await Deno.readTextFile(`${ROOT}tests/docs/${name}`);
    for (const [, path = ""] of code.matchAll(/^guideTest\("([^"]+)"/gm)) run.add(path);
  }
  const withBlocks = (await documents()).entries().filter(([, text]) => blocksOf(text).length > 0)
    .map(([path]) => path).toArray();
  assert.deepEqual([...run, ...READ].sort(), withBlocks.sort());
});

Deno.test("every fence of a document opens or closes a block", async () => {
  for (const [path, text] of await documents()) {
    const fences = text.match(/^\s*(?:```|~~~)/gm) ?? [];
    assert.equal(fences.length, 2 * blocksOf(text).length, path);
  }
});

Deno.test("every link of a document leads to a file, and to a heading in it", async () => {
  const texts = await documents();
  for (const path of ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]) {
    texts.set(path, await Deno.readTextFile(ROOT + path));
  }
  const anchors = (text: string) =>
    text.matchAll(/^#+ (.+)$/gm).map(([, heading = ""]) =>
      heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")
    ).toArray();
  let count = 0;
  for (const [path, text] of texts) {
    for (const [, link = ""] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const url = new URL(link, `file:///${path}`);
      const target = url.pathname.slice(1);
      await Deno.stat(ROOT + target);
      const linked = texts.get(target);
      if (url.hash === "" || linked === undefined) continue;
      assert.ok(anchors(linked).includes(url.hash.slice(1)), `${path}: ${link}`);
      count++;
    }
  }
  assert.ok(count > 5);
});

Deno.test("assertPrints() accepts the output that is shown, and no other", () => {
  const [text, json] = blocksOf(
    '```text\na … c\n…\nend\n```\n\n```json\n{ "a": 1, "t": "2026-11-22T09:00:00.000Z", "…": "…" }\n```\n',
  );
  assert.ok(text !== undefined && json !== undefined);
  assertPrints("a b c\nmore\nend\n", text);
  assertPrints('{"a":1,"b":2,"t":"2027-01-01T00:00:00.123Z"}', json);
  for (const wrong of ["a b d\nmore\nend", "x a b c\n\nend", "a b c\n\nend\nmore", ""]) {
    assert.throws(() => assertPrints(wrong, text), assert.AssertionError, wrong);
  }
  for (const wrong of ['{"a":2,"t":"2027-01-01T00:00:00Z"}', '{"a":1}', '{"a":1,"t":"now"}']) {
    assert.throws(() => assertPrints(wrong, json), assert.AssertionError, wrong);
  }
});
