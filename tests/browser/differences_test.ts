import * as assert from "node:assert/strict";
import { bytesTensor, safetensorsOf } from "../support/tensors.ts";
import { assertAccessible, assertAccessibleInBoth } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button } from "./files_page.ts";

/** Text that would run or load something where it was taken for markup. */
const HOSTILE = "<img src=x onerror=window.hasRun=1>";

Deno.test({
  name:
    "C 29 a person reads what has changed in a model since its last version, and compares it with another",
  ignore: !HAS_BROWSER,
  async fn(t) {
    // The page asks again while weights are read.
    await using browser = await TestBrowser.start({ patienceMs: 1 });
    const client = await browser.server.as(1, ...WORKER);
    const first = safetensorsOf({
      kept: bytesTensor(1),
      tuned: bytesTensor(2),
      gone: bytesTensor(3),
    });
    await client.upload("models/acme/llama", {
      "config.json": '{"layers":1,"rope":{"factor":2}}',
      "model.safetensors": first,
      "README.md": "# Llama\n\nOne\nTwo\nThree\n",
    });
    await client.upload("models/acme/other", { "config.json": "{}", "model.safetensors": first });
    const replaced = await client.replace("models/acme/llama", {
      "config.json": '{"layers":2,"rope":{"factor":2}}',
      "model.safetensors": safetensorsOf({
        kept: bytesTensor(1),
        tuned: bytesTensor(4),
        [HOSTILE]: bytesTensor(5),
      }),
      "README.md": `# Llama\n\nOne\n${HOSTILE}\nThree\n`,
    });
    assert.equal(replaced.status, 200, replaced.text);
    const page = await browser.signIn();
    const region = (name: string) => page.getByRole("region", { name, exact: true });
    const { origin } = browser.server;

    await t.step(
      "from the page of the model, its last change leads to what is different",
      async () => {
        await page.goto(`${origin}/#/model/models/acme/llama`);
        await region("Last change").getByRole("link").click();
        await page.getByText("3 files are different, 0 equal.").waitFor();
        const tensors = region("Tensors of model.safetensors");
        await tensors.getByText("1 tensor changed, 1 added, 1 removed, 1 equal.").waitFor();
        await tensors.getByRole("row").filter({ hasText: "tuned" }).getByText("Changed: values")
          .waitFor();
        await tensors.getByText(HOSTILE).waitFor();
        const config = region("config.json").getByRole("row").nth(1);
        assert.deepEqual(await config.getByRole("cell").allTextContents(), ["layers", "1", "2"]);
        const lines = region("README.md");
        await lines.locator("del").getByText("Two").waitFor();
        await lines.locator("ins").getByText(HOSTILE).waitFor();
        await assertAccessibleInBoth(page);
      },
    );
    await t.step("on a phone, nothing of it is wider than the page", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await region("README.md").locator("del").waitFor();
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(width, 360);
      await assertAccessible(page);
      await page.setViewportSize({ width: 1280, height: 800 });
    });
    await t.step("the way back leads to the page of the model", async () => {
      await page.goto(`${origin}/#/model/models/acme/llama`);
      await region("Last change").getByRole("link").click();
      await page.getByRole("link", { name: "Model page" }).click();
      await page.getByRole("heading", { name: "llama", level: 1, exact: true }).waitFor();
    });
    await t.step("another model is chosen by its folder", async () => {
      await page.goto(`${origin}/#/model/models/acme/llama`);
      await button(page, "Compare with…").click();
      await button(page.getByRole("dialog"), "Compare").click();
      await page.getByRole("dialog").getByText("Choose a former version or another folder")
        .waitFor();
      await assertAccessible(page);
      await page.getByRole("dialog").getByRole("textbox", { name: "Folder" })
        .fill("models/acme/other");
      await button(page.getByRole("dialog"), "Compare").click();
      await page.getByRole("heading", { name: "Changes from other to llama" })
        .waitFor();
      await region("Files").getByText("README.md").waitFor();
      await region("Tensors of model.safetensors").getByText("gone").waitFor();
    });
    await t.step("a former version is chosen by its time", async () => {
      await page.goto(`${origin}/#/model/models/acme/llama`);
      await button(page, "Compare with…").click();
      const versions = page.getByRole("dialog").getByRole("combobox", { name: "What it was" });
      await versions.selectOption({ index: 1 });
      await button(page.getByRole("dialog"), "Compare").click();
      await page.getByRole("heading", { name: /^Changes from version \d+ to now$/ }).waitFor();
      await region("config.json").getByText("layers").waitFor();
    });
    await t.step("the history of a file leads to what is different in it", async () => {
      await page.goto(`${origin}/#/compare/models/acme/llama/config.json?from=1`);
      await page.getByRole("link", { name: "Compare contents" }).click();
      await region("config.json").getByText("layers").waitFor();
      await page.getByRole("link", { name: "Changed files" }).click();
      await page.getByRole("heading", { name: "config.json: version 1 and now compared" })
        .waitFor();
    });
    assert.equal(await page.evaluate("window.hasRun"), undefined);
  },
});
