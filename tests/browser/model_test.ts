import * as assert from "node:assert/strict";
import * as v from "valibot";
import { HistoryList } from "../../schemas/history.ts";
import { dataOf } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { signatureFile, SIGNED_MODEL, trusted } from "../support/signatures.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { assertAccessibleInBoth } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { row } from "./files_page.ts";

const ELSEWHERE = "https://elsewhere.example";

/** A card whose text and keys would run or load something where they were taken for markup. */
const CARD = `---
license: apache-2.0
base_model: "<img src=x onerror=window.hasRun=1>"
tags: ["<script>window.hasRun=1</script>"]
---
# A hostile card

<script>window.hasRun=1</script>
<img src=${ELSEWHERE}/a.png onerror=window.hasRun=1>
![pixel](${ELSEWHERE}/pixel.png)
[click](javascript:window.hasRun=1)
<iframe src=${ELSEWHERE}></iframe>
`;

Deno.test({
  name: "C 29 a model has a page with its card, facts, tensors, files, signature and lines to copy",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start({
      settings: { gate: "mark" },
      signers: await trusted(),
    });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("models/acme/llama", {
      "README.md": await modelFile("huggingface/model/README.md"),
      "config.json": await modelFile("huggingface/model/config.json"),
      "model.safetensors": await modelFile("safetensors/perceptron.safetensors"),
      "evil.pkl": await modelFile("pickle/hostile/eval.pkl"),
    });
    for (const [path, content] of Object.entries(SIGNED_MODEL)) {
      await client.put(`models/acme/signed/${path}`, content);
    }
    await client.put("models/acme/signed/model.sig", await signatureFile("certificate.sig"));
    await client.upload("models/acme/hostile", { "README.md": CARD, "evil.py": "x" });
    await client.put("models/acme/hostile/model.sig", await signatureFile("p256.sig"));
    await settledVerdicts(client);
    const page = await browser.signIn();
    const region = (name: string) => page.getByRole("region", { name, exact: true });

    await t.step("its folder leads there, and a folder without a model does not", async () => {
      await page.goto(`${browser.server.origin}/#/files/models/acme`);
      await row(page, "llama").waitFor();
      assert.equal(await page.getByRole("link", { name: "Model page" }).count(), 0);
      await page.goto(`${browser.server.origin}/#/files/models/acme/llama`);
      await page.getByRole("link", { name: "Model page" }).click();
      await page.getByRole("heading", { name: "llama", level: 1 }).waitFor();
    });
    await t.step("facts, card, tensors and files are shown, the dangerous one first", async () => {
      await region("Facts").getByText("LlamaForCausalLM").waitFor();
      await region("Card").getByRole("heading").first().waitFor();
      await region("Tensors").getByText("26 parameters").waitFor();
      const first = region("Files").getByRole("row").nth(1);
      await first.getByText("evil.pkl").waitFor();
      await first.getByText("Dangerous").waitFor();
      await page.locator(".page-head").getByText("1 dangerous").waitFor();
      assert.match(
        await page.locator(".page-head").getByRole("button", { name: "Download" })
          .getAttribute("class") ?? "",
        /button-plain/,
      );
      await assertAccessibleInBoth(page);
      await page.getByRole("button", { name: "See why" }).click();
      await page.getByRole("heading", { name: "evil.pkl", level: 1 }).waitFor();
      await page.goto(`${browser.server.origin}/#/model/models/acme/llama`);
    });
    await t.step("lines for hf, transformers, strongroom and curl can be copied", async () => {
      const { origin } = browser.server;
      const card = region("Get it");
      await card.getByText(`HF_ENDPOINT=${origin}/hub hf download acme/llama`).waitFor();
      await card.getByText('AutoModel.from_pretrained("acme/llama")').waitFor();
      await card.getByText("strongroom get models/acme/llama .").waitFor();
      await card.getByText(`${origin}/api/v1/resources/download?`).waitFor();
      assert.equal(await card.getByRole("button", { name: "Copy" }).count(), 4);
    });
    await t.step("what is not signed says so", async () => {
      await region("Signature").getByText("Not signed").waitFor();
    });
    await t.step("a model without a card has its facts all the same, and whose it is", async () => {
      await page.goto(`${browser.server.origin}/#/model/models/acme/signed`);
      await region("Signature").getByText("Signed by staff (release@example.com)").waitFor();
      await region("Facts").getByText("llama").waitFor();
      assert.equal(await region("Card").count(), 0);
      await assertAccessibleInBoth(page);
    });
    await t.step("the page of a file says it beside the verdict", async () => {
      await page.goto(`${browser.server.origin}/#/file/models/acme/signed/config.json`);
      await region("Verdict").getByText("Signed by staff (release@example.com)").waitFor();
      await page.goto(`${browser.server.origin}/#/file/models/acme/hostile/evil.py`);
      await region("Verdict").getByText("release has not signed it: it was added").waitFor();
    });
    await t.step(
      "C 26 as it was, it says what its files said, and who had signed them",
      async () => {
        const bundle = "models/acme/signed/model.sig";
        const reply = await client.send("GET", `/resources/history?path=${bundle}`);
        const { version } = v.parse(HistoryList, dataOf(reply)).items[0] ?? {};
        await client.send("DELETE", `/resources?path=${bundle}`);
        await page.goto(`${browser.server.origin}/#/model/models/acme/signed`);
        await region("Signature").getByText("Not signed").waitFor();
        await page.goto(`${browser.server.origin}/#/model/models/acme/signed?at=${version}`);
        await region("Signature").getByText("Signed by staff (release@example.com)").waitFor();
        await client.send("DELETE", "/resources?path=models/acme/signed");
        await page.goto(`${browser.server.origin}/#/files`);
        await page.goto(`${browser.server.origin}/#/model/models/acme/signed?at=${version}`);
        await region("Facts").getByText("llama").waitFor();
      },
    );
    await t.step("a hostile card runs nothing, loads nothing, and is text", async () => {
      await page.goto(`${browser.server.origin}/#/model/models/acme/hostile`);
      await region("Card").getByRole("heading", { name: "A hostile card" }).waitFor();
      await region("Facts").getByText("<img src=x onerror=window.hasRun=1>").waitFor();
      await region("Signature").getByText("Signature invalid").waitFor();
      await region("Signature").getByRole("row", { name: "evil.py added" }).waitFor();
      assert.equal(await page.evaluate("window.hasRun"), undefined);
      assert.equal(await page.locator("main img, main iframe, main script").count(), 0);
      await assertAccessibleInBoth(page);
    });
  },
});
