import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { buildScanner } from "../packaging/scanner/fixture_reports.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, choose, row } from "./files_page.ts";

const MODELS = new URL("../fixtures/models/", import.meta.url);
const DANGEROUS = decodeURIComponent(new URL("pickle/hostile/eval.pkl", MODELS).pathname);
const CLEAN = decodeURIComponent(new URL("pickle/plain_4.pkl", MODELS).pathname);

Deno.test({
  name: "C 24 the console checks files in the browser before they are sent, if a person likes",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await buildScanner();
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    const requests: { readonly method: string; readonly path: string }[] = [];
    page.on("request", (request) => {
      requests.push({ method: request.method(), path: new URL(request.url()).pathname });
    });
    const sent = () => requests.filter(({ method }) => method === "POST");
    const scanners = () => requests.filter(({ path }) => path.includes("/scanner/"));
    const panel = page.getByRole("region", { name: "Uploads" });

    await t.step("it is off at first, and loads nothing then", async () => {
      assert.equal(await page.getByLabel("Check files here first").isChecked(), false);
      await choose(page, "Upload files", CLEAN);
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      await button(page, "Close uploads").click();
      await panel.waitFor({ state: "detached" });
      assert.deepEqual(scanners(), []);
    });
    await t.step("it is remembered", async () => {
      await page.getByLabel("Check files here first").check();
      await page.reload();
      await button(page, "Upload files").waitFor();
      assert.equal(await page.getByLabel("Check files here first").isChecked(), true);
    });
    await t.step("a dangerous file is marked and not sent", async () => {
      requests.length = 0;
      await choose(page, "Upload files", DANGEROUS);
      await panel.getByText("Not sent. Send it anyway, or cancel it").waitFor();
      assert.match(await panel.innerText(), /Checked here:\s*Dangerous/);
      assert.deepEqual(sent(), []);
      assert.notEqual(scanners().length, 0);
      await assertAccessible(page);
    });
    await t.step("the person may leave it", async () => {
      await button(page, "Cancel eval.pkl").click();
      await panel.waitFor({ state: "detached" });
      assert.deepEqual(sent(), []);
    });
    await t.step("or send it: the verdict of the server is its own", async () => {
      await choose(page, "Upload files", DANGEROUS);
      await button(page, "Send anyway").click();
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      assert.match(await panel.innerText(), /Checked here:\s*Dangerous/);
      await row(page, "eval.pkl").getByText("Not scanned").waitFor();
    });
    await t.step("a clean file is sent without a question", async () => {
      await button(page, "Close uploads").click();
      await panel.waitFor({ state: "detached" });
      await page.locator('input[type=file][aria-label="Upload files"]').setInputFiles({
        name: "config.json",
        mimeType: "",
        buffer: Buffer.from("{}"),
      });
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      assert.match(await panel.innerText(), /Checked here:\s*Clean/);
    });
  },
});
