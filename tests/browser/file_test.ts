import * as assert from "node:assert/strict";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";

const MODELS = new URL("../fixtures/models/", import.meta.url);

/** A name that is markup once it is decoded. The server takes no angle brackets. */
const HOSTILE = "&lt;img src=x onerror='document.title=1'&gt; %3Cb%3E ${1}.safetensors";

/** A safetensors file with one tensor. */
function safetensors(header: unknown): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return Deno.readFile(new URL(name, MODELS));
}

Deno.test({
  name: "C 24: the page of a file shows facts, the tensors of its header, and why it is dangerous",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("models", {
      "perceptron.safetensors": await fixture("safetensors/perceptron.safetensors"),
      "chat.gguf": await fixture("gguf/chat.gguf"),
      "evil.pkl": await fixture("pickle/hostile/eval.pkl"),
      "config.json": `{"hidden_size":4096}`,
      "train.yaml": "model: &m\n  name: Größe\n  layers: [4, 8]\nbase: *m\n",
      "pyproject.toml": 'title = "größer"\n[tool.run]\nsteps = 10\ntags = ["a", "b"]\n',
    });
    const scan = await client.send("POST", "/scans/", {
      query: { wait: "60" },
      headers: { "Content-Type": "application/json" },
      body: `{"path":"models"}`,
    });
    assert.equal(scan.status, 202);
    const page = await browser.signIn();
    const open = async (path: string) => {
      await page.goto(`${browser.server.origin}/#/file/${encodeURI(path)}`);
      await page.getByRole("heading", { name: path.slice(path.indexOf("/") + 1) }).waitFor();
    };

    await t.step("of safetensors, names, types, shapes and the number of parameters", async () => {
      await open("models/perceptron.safetensors");
      await page.getByText("26 parameters").waitFor();
      await page.getByRole("row", { name: "hidden.weight F32 4 × 3 12" }).waitFor();
      await assertAccessible(page);
    });
    await t.step("tensors can be filtered by name", async () => {
      await page.getByLabel("Filter tensors by name").fill("bias");
      const rows = page.getByRole("region", { name: "Tensors" }).getByRole("row");
      await until(async () => await rows.count() === 3);
    });
    await t.step("of GGUF, the metadata as well", async () => {
      await open("models/chat.gguf");
      await page.getByText("160 parameters").waitFor();
      await page.getByRole("cell", { name: "general.architecture" }).waitFor();
    });
    await t.step("of a manifest in JSON, its structure", async () => {
      await open("models/config.json");
      await page.getByText("4096").waitFor();
    });
    await t.step("of a manifest in YAML or TOML, its keys by their way from the root", async () => {
      await open("models/train.yaml");
      await page.getByRole("row", { name: "model.name Größe" }).waitFor();
      await page.getByRole("row", { name: "model.layers 4, 8" }).waitFor();
      await page.getByRole("row", { name: "base.name Größe" }).waitFor();
      await open("models/pyproject.toml");
      await page.getByRole("row", { name: "title größer" }).waitFor();
      await page.getByRole("row", { name: "tool.run.steps 10" }).waitFor();
      await page.getByRole("row", { name: "tool.run.tags a, b" }).waitFor();
    });
    await t.step("of a dangerous file, the finding, why, and what to do", async () => {
      await open("models/evil.pkl");
      await page.getByText("Imports and calls builtins.eval").waitFor();
      await page.getByText("Runs Python code that the file brings along").waitFor();
      await page.getByText("Do not load this file").waitFor();
      await page.getByRole("link", { name: "Full report of scan 1" }).waitFor();
      await assertAccessible(page);
    });
    await t.step("a link for people without a credential, shown once", async () => {
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("button", { name: "Make a link" }).click();
      const address = await page.getByLabel("Address").inputValue();
      const reply = await fetch(address);
      assert.equal(reply.status, 200);
      assert.deepEqual(await reply.bytes(), await fixture("pickle/hostile/eval.pkl"));
    });
  },
});

Deno.test({
  name: "C 24: hostile names and headers of files never become markup, and end in a sentence",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    const tensor = { dtype: "<b>F32</b>", shape: [2 ** 53 - 1, 2 ** 53 - 1], data_offsets: [0, 0] };
    await client.upload("", { [HOSTILE]: safetensors({ "<script>alert(1)</script>": tensor }) });
    await client.put("cut.gguf", (await fixture("gguf/chat.gguf")).slice(0, 90));
    await client.put("count.gguf", await fixture("gguf/hostile/array_count.gguf"));
    await client.put("shape.safetensors", safetensors({ a: { dtype: "F32", shape: "[1]" } }));
    const page = await browser.signIn();
    const open = (path: string) =>
      page.goto(`${browser.server.origin}/#/file/${encodeURIComponent(path)}`);

    await t.step("names are text", async () => {
      await open(HOSTILE);
      await page.getByRole("heading", { name: HOSTILE }).waitFor();
      await page.getByRole("cell", { name: "<script>alert(1)</script>" }).waitFor();
      await page.getByText("more than 10¹⁸ parameters").waitFor();
      assert.equal(await page.locator("main img, main script, main b").count(), 0);
    });
    for (
      const [path, problem] of [
        ["cut.gguf", "The header is cut off"],
        ["count.gguf", "The header is cut off"],
        ["shape.safetensors", "The tensor “a” has no type or no shape"],
      ] as const
    ) {
      await t.step(`${path}: the reason is shown`, async () => {
        await open(path);
        await page.getByRole("region", { name: "Content" }).getByText(problem).waitFor();
      });
    }
    await t.step("a file that does not exist is said to be missing", async () => {
      await open("missing");
      await page.getByRole("heading", { name: "This file does not exist" }).waitFor();
    });
  },
});
