import * as assert from "node:assert/strict";
import { assertAccessible } from "./axe.ts";
import { ENDLESS } from "../support/endless_scanner.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";

const MODELS = new URL("../fixtures/models/", import.meta.url);

/** A pickle that names markup as what it imports. */
const HOSTILE = "cos\nsystem\n(S'id'\ntR0c<img src=x onerror=alert(1)>\n<b>name</b>\n(tR.";

Deno.test({
  name: "C 24: a scan is started, read worst first, filtered, downloaded and compared",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    const evil = await Deno.readFile(new URL("pickle/hostile/eval.pkl", MODELS));
    await client.upload("models", { "config.json": `{"hidden_size":8}`, "evil.pkl": evil });
    const page = await browser.signIn();
    const scan = async (path: string) => {
      await page.getByRole("link", { name: "Scans" }).first().click();
      await page.getByRole("button", { name: "New scan" }).click();
      await page.getByLabel("Path of a file or folder").fill(path);
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByRole("heading", { name: "Report" }).waitFor();
      await page.getByText("Took", { exact: true }).waitFor();
      assert.doesNotMatch(await page.getByRole("main").innerText(), /Took\s+0 s/);
    };

    await t.step("without scans, the room says what a scan does", async () => {
      await page.getByRole("link", { name: "Scans" }).click();
      await page.getByRole("heading", { name: "No scans yet" }).waitFor();
      await assertAccessible(page);
    });
    await t.step("a path that does not exist is refused in the dialog", async () => {
      await page.getByRole("button", { name: "New scan" }).click();
      await page.getByLabel("Path of a file or folder").fill("missing");
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
    });
    await t.step("the report says what, why, what to do, and the evidence", async () => {
      await scan("models");
      await page.getByText("1 critical finding in 2 files.").waitFor();
      const file = page.getByRole("region", { name: "models/evil.pkl" });
      await file.getByText("Imports and calls builtins.eval").waitFor();
      await file.getByText("Runs Python code that the file brings along").waitFor();
      await file.getByText("Do not load this file").waitFor();
      await file.getByText("Evidence").click();
      await file.getByText("STACK_GLOBAL").waitFor();
      await assertAccessible(page);
    });
    await t.step("filters narrow it down", async () => {
      await page.getByRole("button", { name: "Critical 1" }).click();
      await page.getByText("No finding matches the filters.").waitFor();
      await page.getByRole("button", { name: "Critical 1" }).click();
      await page.getByLabel("Filter by path").fill("config");
      await page.getByText("No finding matches the filters.").waitFor();
    });
    await t.step("on a phone, too, the words say which download is which", async () => {
      const viewport = page.viewportSize() ?? { width: 1280, height: 800 };
      await page.setViewportSize({ width: 360, height: 800 });
      for (const format of ["JSON", "SARIF"]) {
        const word = page.getByRole("button", { name: `Download ${format}` }).locator("span");
        const { width = 0 } = await word.boundingBox() ?? {};
        assert.ok(width > 50, `${format}: ${width} pixels`);
      }
      await page.setViewportSize(viewport);
    });
    await t.step("it is downloaded as the server sent it", async () => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download JSON" }).click();
      const path = await (await download).path();
      const { text } = await client.send("GET", "/scans/1/report");
      assert.equal(await Deno.readTextFile(path), text);
    });
    await t.step("it is downloaded as SARIF", async () => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download SARIF" }).click();
      const file = await download;
      assert.equal(file.suggestedFilename(), "scan-1.sarif");
      const log = JSON.parse(await Deno.readTextFile(await file.path()));
      assert.equal(log.runs[0].results[0].ruleId, "S104");
    });
    await t.step("two reports are compared", async () => {
      await client.upload("models", { "other.pkl": HOSTILE });
      await scan("models");
      await page.getByRole("link", { name: "Scans" }).first().click();
      await page.getByLabel("Compare scan 1").check();
      await page.getByLabel("Compare scan 2").check();
      await assertAccessible(page);
      await page.getByRole("link", { name: "Compare" }).click();
      await page.getByRole("heading", { name: "Scans 1 and 2 compared" }).waitFor();
      await page.getByText("0 findings gone, 1 finding in both.").waitFor();
      const added = page.getByRole("region", { name: "New" });
      await added.getByRole("link", { name: "models/other.pkl" }).waitFor();
      assert.equal(await page.getByRole("link", { name: "models/evil.pkl" }).count(), 0);
    });
    await t.step("what a report quotes never becomes markup", async () => {
      await page.goto(`${browser.server.origin}/#/scans/2/models/other.pkl`);
      await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
      assert.equal(await page.locator("main img, main b").count(), 0);
      assert.equal(await page.getByLabel("Filter by path").inputValue(), "models/other.pkl");
    });
  },
});

Deno.test({
  name: "C 24: a scan that runs is shown while it runs, and can be cancelled",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({
      // No scan ends by itself.
      contents: ENDLESS,
    });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("models", { "a.bin": "a" });
    const page = await browser.signIn();
    await page.getByRole("link", { name: "Scans" }).click();
    await page.getByRole("heading", { name: "No scans yet" }).waitFor();
    await client.send("POST", "/scans/", {
      headers: { "Content-Type": "application/json" },
      body: `{"path":"models"}`,
    });
    await page.getByRole("progressbar", { name: "Progress of scan 1" }).waitFor();
    await page.getByText("0 of 1 file").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("region", { name: "Finished" }).getByText("Cancelled").waitFor();
  },
});

Deno.test({
  name: "C 24: without the privilege, the room Scans says which one is missing",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.signIn({ privileges: ["resources.view"] });
    await page.getByRole("link", { name: "Scans" }).click();
    await page.getByText("It needs the privilege scans.view.").waitFor();
  },
});
