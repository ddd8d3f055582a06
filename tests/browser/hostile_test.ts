import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import * as v from "valibot";
import { printable } from "../../schemas/printable.ts";
import { until } from "../support/until.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { notebook, png, safetensors, tar, zip } from "./preview_files.ts";

type Content = string | Uint8Array<ArrayBuffer>;

/** Where nothing may be fetched from. The test browser reports each request that leaves its server. */
const ELSEWHERE = "https://elsewhere.example";
/** What a script does that runs: it makes a mark that the test finds. */
const RUN = "window.hasRun=1";

/** What runs or loads something where it is taken for markup. */
const MARKUP: readonly string[] = [
  `<script>${RUN}</script>`,
  `<script src=${ELSEWHERE}/a.js></script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=${ELSEWHERE}/a.png>`,
  `<svg onload=${RUN}></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe src=${ELSEWHERE}></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data=${ELSEWHERE}/a.swf></object>`,
  `<link rel=stylesheet href=${ELSEWHERE}/a.css>`,
  `<style>@import "${ELSEWHERE}/a.css";body{display:none}</style>`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<base href=${ELSEWHERE}>`,
  `<video src=${ELSEWHERE}/a.mp4 autoplay></video>`,
  `<form action=${ELSEWHERE}><button autofocus onfocus=${RUN}>x</button></form>`,
  `<details open ontoggle=${RUN}>x</details>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<math><mtext></p><img src=x onerror=${RUN}></math>`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `</code></pre><img src=x onerror=${RUN}>`,
  `"><img src=x onerror=${RUN}>`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `<input autofocus onfocus=${RUN}>`,
  `<body onload=${RUN}>`,
  `{{constructor.constructor("${RUN}")()}}`,
];

/** What a document may lead or load by. */
const ADDRESSES: readonly string[] = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  ` javascript:${RUN}`,
  `java&#115;cript:${RUN}`,
  `&#x6a;avascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  `blob:${ELSEWHERE}/x`,
  `file:///etc/passwd`,
  `//elsewhere.example/a.png`,
  `\\\\elsewhere.example\\a.png`,
  `${ELSEWHERE}/a.png`,
  `/resources/download`,
  `../../../../etc/passwd`,
  `%2e%2e/%2e%2e/x`,
  `?tree=2`,
];

/** Attributes that a person could add to a node in JSON, if a structure were taken for one. */
const NODES: readonly unknown[] = [
  { type: "img", props: { src: `${ELSEWHERE}/a.png`, onerror: RUN } },
  { type: "div", props: { dangerouslySetInnerHTML: { __html: MARKUP[2] } }, __v: 1, key: null },
  { constructor: undefined, type: "script", props: { children: RUN } },
  { __proto__: { hasRun: 1 }, toString: 1, hasOwnProperty: 1 },
  { "__proto__": { src: ELSEWHERE }, "constructor": { prototype: { hasRun: 1 } } },
];

/** Cells of notebooks: outputs of kinds that run or load something. */
const OUTPUTS: readonly unknown[] = [
  ...MARKUP.slice(0, 12).map((markup) => ({ "text/html": markup, "text/plain": markup })),
  { "application/javascript": RUN },
  { "image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>` },
  { "image/png": btoa(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>`) },
  { "image/png": `" onerror="${RUN}` },
  { "text/markdown": `![x](${ELSEWHERE}/a.png)` },
  { "text/latex": `$\\href{javascript:${RUN}}{x}$` },
  { "application/vnd.jupyter.widget-view+json": { model_id: RUN } },
];

/** Names that lead elsewhere, hide something, or are taken for markup. */
const NAMES: readonly string[] = [
  `&lt;img src=x onerror=${RUN}&gt;`,
  `%3Cscript%3E${RUN}%3C%2Fscript%3E`,
  `javascript&#58;${RUN}`,
  `data&#58;text,${RUN}`,
  `invoice\u202efdp.exe`,
  `zero\u200bwidth`,
  `\u2066isolate\u2069`,
  `soft\u00adhyphen`,
  `tag\u{e0061}`,
  `#`,
  `%`,
  `%2e%2e`,
  `constructor`,
  `__proto__`,
  `toString`,
];

/** Each file with what is hostile in it, by its path. */
function hostileFiles(): Map<string, Content> {
  const files = new Map<string, Content>();
  MARKUP.forEach((markup, at) => {
    files.set(`markup-${at}.md`, `# ${markup}\n\n${markup}\n\n- ${markup}\n\n| ${markup} |\n|-|\n`);
    files.set(
      `markup-${at}.csv`,
      `${markup},"${markup.replaceAll('"', '""')}"\n=cmd|' /C calc'!A0,1`,
    );
    files.set(`markup-${at}.json`, JSON.stringify({ [markup]: [markup, { [markup]: markup }] }));
  });
  ADDRESSES.forEach((address, at) => {
    const document = `[link](<${address}>) ![image](<${address}>) <${address}>\n\n[ref]\n\n` +
      `[ref]: <${address}> "${RUN}"\n\n\`\`\`${address}\n${address}\n\`\`\`\n`;
    files.set(`address-${at}.md`, document);
    files.set(`address-${at}.ipynb`, notebook([{ cell_type: "markdown", source: document }]));
  });
  NODES.forEach((node, at) => files.set(`node-${at}.json`, JSON.stringify([node])));
  OUTPUTS.forEach((data, at) => {
    const cell = {
      cell_type: "code",
      source: RUN,
      outputs: [{ output_type: "display_data", data }],
    };
    files.set(`output-${at}.ipynb`, notebook([cell]));
  });
  MARKUP.slice(0, 16).forEach((markup, at) => {
    files.set(`members-${at}.zip`, zip({ [markup]: markup, [`../${markup}`]: "" }));
    files.set(`members-${at}.tar`, tar({ [markup]: markup }));
    const tensor = { dtype: markup, shape: [1], data_offsets: [0, 0] };
    files.set(`tensors-${at}.safetensors`, safetensors({ [markup]: tensor, b: tensor }));
  });
  for (const [name, content] of brokenFiles()) files.set(name, content);
  for (const name of NAMES) files.set(`${name}.txt`, MARKUP.join("\n"));
  return files;
}

/** Files of a kind that they are not, or that claim more than they have. */
function brokenFiles(): [string, Content][] {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><image href="${ELSEWHERE}"/></svg>`;
  const image = png();
  const huge = image.slice();
  new DataView(huge.buffer).setUint32(16, 0x7fffffff);
  const archive = zip({ a: "b" });
  const endless = archive.slice();
  new DataView(endless.buffer).setUint32(endless.length - 10, 0xfffffff0, true);
  const text = (bytes: string) => new TextEncoder().encode(bytes);
  return [
    ["a.svg", svg],
    ["svg.png", svg],
    ["page.html", `<!doctype html>${MARKUP.join("")}`],
    ["page.gif", text(`GIF89a/*${MARKUP[0]}*/=1`)],
    ["cut.png", image.slice(0, 40)],
    ["huge.png", huge],
    ["cut.zip", archive.slice(0, 40)],
    ["endless.zip", endless],
    ["cut.parquet", text("PAR1 nothing PAR1")],
    ["large.parquet", text("PAR1\xff\xff\xff\x7fPAR1")],
    ["deep.json", "[".repeat(5000) + "]".repeat(5000)],
    ["deep.md", `${">".repeat(5000)} a\n`],
    ["deeper.md", `${"*a **b ".repeat(2000)}`],
    ["nested.md", Array.from({ length: 200 }, (_, at) => `${" ".repeat(2 * at)}- a`).join("\n")],
    ["wide.csv", ",".repeat(100_000)],
    ["quote.csv", `"${"a\n".repeat(10_000)}`],
    [
      "cells.ipynb",
      JSON.stringify({ cells: [null, 1, {}, { cell_type: [], outputs: [null, {}] }] }),
    ],
    ["no_cells.ipynb", "[]"],
  ];
}

/** What is in the page that should not be, and where its links lead. */
const Found = v.object({ hasRun: v.boolean(), markup: v.number(), links: v.array(v.string()) });
const LOOK = `({
  hasRun: "hasRun" in window,
  markup: document.querySelectorAll(
    "main :is(script, iframe, object, embed, link, style, meta, base, video, form, math, " +
      "input:not([type=search]), img:not([src^='blob:']), [onerror], [onload], [onclick])",
  ).length,
  links: [...document.querySelectorAll("main a")].map((it) => it.getAttribute("href") ?? ""),
})`;

async function open(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = "#/file/${encodeURIComponent(path)}"`);
  // What is shown is there when the regions of the page are, and nothing is on its way.
  await until(() =>
    page.evaluate<boolean>(`
      document.querySelector("h1")?.textContent === ${JSON.stringify(printable(path))} &&
      document.querySelector(".loading") === null &&
      document.querySelectorAll("main section").length > 2
    `)
  );
}

Deno.test({
  name:
    "C 24 of 200 hostile names, cards, tables, structures, notebooks, images and archives, no " +
    "script runs and nothing is fetched from elsewhere",
  ignore: !HAS_BROWSER,
  async fn() {
    const files = hostileFiles();
    assert.ok(files.size >= 200, `${files.size} files`);
    await using browser = await TestBrowser.start({ limits: { maxUploadFiles: 2 * files.size } });
    const client = await browser.server.as(1, ...WORKER);
    for (const [path, content] of files) {
      const { status, text } = await client.put(path, content);
      assert.equal(status, 201, `${path}: ${text}`);
    }
    const page = await browser.signIn();
    const title = await page.title();
    for (const path of files.keys()) {
      await open(page, path);
      const found = v.parse(Found, await page.evaluate(LOOK));
      assert.equal(found.hasRun, false, path);
      assert.equal(found.markup, 0, path);
      for (const link of found.links) {
        assert.match(link, /^(?:#\/|https:\/\/elsewhere\.example)/, path);
      }
      for (const other of await page.getByRole("main").locator("a[href^=https]").all()) {
        assert.equal(await other.getAttribute("rel"), "noopener noreferrer", path);
      }
    }
    assert.match(await page.title(), /strongroom$/);
    assert.notEqual(await page.title(), title);
  },
});
