import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { notebook, PARQUET, png, safetensors, tar, zip } from "./preview_files.ts";

const HOSTILE = new URL("../fixtures/models/pickle/hostile/eval.pkl", import.meta.url);

const CARD = `---
license: mit
---
# A model

With **words** &amp; \`code\`, [its settings](config.json), [a page](https://example.com/a).

| Task | Score |
| ---- | ----- |
| sum  | 0.91  |

\`\`\`python
def run(): pass  # nothing
\`\`\`

![A plot](plots/loss.png) ![A counter](https://example.com/count.gif)

<b onclick="alert(1)">markup</b>
`;

const NOTEBOOK = notebook([
  { cell_type: "markdown", source: ["# Training\n", "Some *words*"] },
  {
    cell_type: "code",
    source: "print('loss')",
    outputs: [
      { output_type: "stream", text: ["loss 0.5\n"] },
      { output_type: "display_data", data: { "image/png": png(12, 6).toBase64() } },
      { output_type: "display_data", data: { "text/html": "<b>table</b>" } },
    ],
  },
]);

const LAYERS = Object.fromEntries(
  Array.from({ length: 4 }, (_, layer) => [
    `model.layers.${layer}.weight`,
    { dtype: "F16", shape: [512], data_offsets: [layer * 1024, (layer + 1) * 1024] },
  ]),
);

/** The files, and what their pages show. */
const FILES: readonly (readonly [
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  region: string,
  texts: readonly string[],
])[] = [
  ["notes.txt", "first line\nsecond \u202eenil", "Text", ["second \\u{202e}enil"]],
  ["wide.txt", "\ufeffwide", "Text", ["wide"]],
  ["rows.csv", 'name,words\na,"two, with ""quotes"""\n', "Table", ['two, with "quotes"', "1 row"]],
  ["rows.tsv", "name\tn\nleft\t7\n", "Table", ["left", "7"]],
  ["config.json", '{"hidden_size":4096,"a":[true]}', "Structure", ["4096", "true"]],
  ["broken.json", '{"a":', "Structure", ["The content is not JSON", '{"a":']],
  ["a.ipynb", NOTEBOOK, "Notebook", ["Training", "loss 0.5", "12 × 6 pixels", "text/html"]],
  ["image.png", png(40, 20), "Image", ["40 × 20 pixels"]],
  ["image.bin", png(40, 21), "Image", ["40 × 21 pixels"]],
  ["a.zip", zip({ "a/b.txt": "12345" }), "Members", ["a/b.txt", "5 bytes"]],
  ["a.tar", tar({ "c/d.txt": "123", "e.txt": "4" }), "Members", ["c/d.txt", "e.txt"]],
  ["a.parquet", PARQUET, "Table", ["3 rows in 2 columns", "label", "int32"]],
  ["m.safetensors", safetensors(LAYERS), "Sizes by layer", ["model.layers.2", "1.00 KiB"]],
];

async function open(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = "#/file/${encodeURIComponent(path)}"`);
  await page.getByRole("heading", { level: 1, name: path }).waitFor();
}

function region(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

Deno.test({
  name:
    "C 24 a file can be looked at: texts, tables, structures, notebooks, images, members, layers",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    for (const [path, content] of FILES) {
      assert.equal((await client.put(path, content)).status, 201, path);
    }
    await client.put("README.md", CARD);
    const page = await browser.signIn();
    for (const [path, , title, texts] of FILES) {
      await t.step(path, async () => {
        await open(page, path);
        for (const text of texts) await region(page, title).getByText(text).first().waitFor();
        await assertAccessible(page);
      });
    }
    await t.step("the first rows of a table in Parquet, on request", async () => {
      await open(page, "a.parquet");
      await page.getByRole("button", { name: "Show the first rows" }).click();
      await page.getByRole("row", { name: "three 3" }).waitFor();
    });
    await t.step("a document is made of elements, without its markup and its images", async () => {
      await open(page, "README.md");
      const document = region(page, "Document");
      await document.getByRole("heading", { name: "A model" }).waitFor();
      await document.getByText("words & code").waitFor();
      await document.getByRole("cell", { name: "0.91" }).waitFor();
      await document.getByText('<b onclick="alert(1)">').waitFor();
      // Words are marked where the person looks.
      await document.getByText("# nothing").scrollIntoViewIfNeeded();
      await document.locator(".token-word", { hasText: "def" }).waitFor();
      assert.equal(await document.locator("img, b").count(), 0);
      const within = document.getByRole("link", { name: "its settings" });
      assert.equal(await within.getAttribute("href"), "#/file/config.json");
      const image = document.getByRole("link", { name: "Image: A plot" });
      assert.equal(await image.getAttribute("href"), "#/file/plots/loss.png");
      const elsewhere = document.getByRole("link", { name: "a page (example.com)" });
      assert.equal(await elsewhere.getAttribute("rel"), "noopener noreferrer");
      await document.getByRole("button", { name: "Source" }).click();
      await document.getByText("license: mit").waitFor();
      await assertAccessible(page);
    });
  },
});

Deno.test({
  name: "C 24 of a long text, the first MiB is read, and more on request",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    const lines = Array.from({ length: 25_000 }, (_, index) => `line ${index} ${"é".repeat(30)}`);
    await client.put("long.log", lines.join("\n"));
    const page = await browser.signIn();
    const ranges: string[] = [];
    page.on("request", async (request) => {
      const { range } = await request.allHeaders();
      if (range !== undefined) ranges.push(range);
    });
    await open(page, "long.log");
    await page.getByText(/^The first 1\.00 MiB of 1\.\d\d MiB\.$/).waitFor();
    assert.deepEqual(ranges, ["bytes=0-4095", "bytes=0-1048575"]);
    assert.equal(await page.getByText("line 24999 ").count(), 0);
    await page.getByRole("button", { name: /^Show .* more$/ }).click();
    await until(async () => await page.getByText("line 24999 ").count() === 1);
    assert.equal(ranges.length, 3);
    // Where a part ends in the middle of a character, nothing is lost.
    const shown = await page.getByRole("group", { name: "Text of the file" }).textContent();
    assert.equal(shown, lines.join("\n"));
  },
});

Deno.test({
  name:
    "C 18 and C 24 nothing is shown of a file that the gate blocks but the reason of the server",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "block" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.put("bad.pkl", await Deno.readFile(HOSTILE));
    await client.put("bad.zip", zip({ "bad.pkl": await Deno.readFile(HOSTILE) }));
    const page = await browser.signIn();
    for (const path of ["bad.pkl", "bad.zip"]) {
      await open(page, path);
      await region(page, "Verdict").getByText("Dangerous").waitFor();
      await region(page, "Content").getByText(/\(dangerous, S104\)\. The gate blocks/).waitFor();
      assert.equal(await region(page, "Members").count(), 0);
    }
  },
});

Deno.test({
  name:
    "C 24 what shows a file is loaded when one is looked at; files of other trees are shown, too",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(2, ...WORKER);
    await client.put("card.md", "# Of another tree");
    const page = await browser.signIn({ trees: { "2": ["resources.view", "resources.download"] } });
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await page.getByLabel("Tree").selectOption("2");
    const link = page.getByRole("link", { name: "card.md" });
    await link.waitFor();
    assert.deepEqual(scripts, []);
    await link.click();
    await page.getByRole("heading", { name: "Of another tree" }).waitFor();
    assert.ok(scripts.length > 0);
  },
});
