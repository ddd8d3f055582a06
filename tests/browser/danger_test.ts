import * as assert from "node:assert/strict";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, names, row } from "./files_page.ts";
import { zip } from "./preview_files.ts";

const HOSTILE = await Deno.readFile(
  new URL("../fixtures/models/pickle/hostile/eval.pkl", import.meta.url),
);
const MEANING = "The scan found what does harm when the file is loaded. Do not load it.";

Deno.test({
  name: "C 18 and C 24 danger is said in the same words, first why, and saving it is a choice",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", {
      "bad.pkl": HOSTILE,
      "bad.zip": zip({ "harmless.txt": "a", "inner/bad.pkl": HOSTILE }),
      "good.txt": "good",
    });
    await client.upload("more", { "bad.pkl": HOSTILE, "config.json": "{}" });
    const scan = await client.json("POST", "/scans/?wait=60", { path: "bad.pkl" });
    assert.equal(scan.status, 202, scan.text);
    const page = await browser.signIn();

    for (const [width, height] of [[390, 844], [1280, 800]] as const) {
      await t.step(`no row moves when verdicts come after the list, at ${width} px`, async () => {
        await page.setViewportSize({ width, height });
        const held = Promise.withResolvers<void>();
        await page.route((url) => url.pathname.endsWith("/verdicts"), async (route) => {
          await held.promise;
          await route.continue();
        });
        await page.reload();
        await row(page, "good.txt").waitFor();
        const before = await row(page, "good.txt").boundingBox();
        held.resolve();
        await button(page, "Dangerous 3").waitFor();
        assert.deepEqual(await row(page, "good.txt").boundingBox(), before);
        await assertAccessible(page);
        await page.unrouteAll({ behavior: "wait" });
      });
    }
    await t.step("a list counts verdicts, and shows those of one", async () => {
      await row(page, "bad.zip").getByText("Dangerous").waitFor();
      await row(page, "more").getByText("1 dangerous").waitFor();
      await button(page, "Dangerous 3").click();
      await until(async () => (await names(page)).join() === "more,bad.pkl,bad.zip");
      await assertAccessible(page);
      await button(page, "Dangerous 3").click();
      await row(page, "good.txt").waitFor();
      // The counts follow changes.
      await client.remove({ path: "more" });
      await button(page, "Dangerous 2").waitFor();
      await client.upload("more", { "bad.pkl": HOSTILE, "config.json": "{}" });
      await button(page, "Dangerous 3").waitFor();
    });
    await t.step("the list, the page and the report say the same", async () => {
      const badge = row(page, "bad.pkl").getByText("Dangerous");
      assert.equal(await badge.getAttribute("title"), "S104: Imports and calls builtins.eval");
      await row(page, "more").getByTitle(/^more\/bad\.pkl: S104: /).waitFor();
      await page.goto(`${browser.server.origin}/#/file/bad.pkl`);
      const verdict = page.getByRole("region", { name: "Verdict" });
      await verdict.getByText(MEANING).waitFor();
      const finding = await verdict.locator(".finding").first().innerText();
      await page.getByRole("link", { name: /Full report/ }).click();
      const card = page.getByRole("region", { name: "bad.pkl" });
      await card.getByText("Dangerous").waitFor();
      const reported = await card.locator(".finding").first().innerText();
      // The report has evidence as well.
      assert.equal(reported.replace(/\s*Evidence$/, ""), finding);
      assert.match(finding, /pos \d+/);
    });
    await t.step("of the list of scans, too", async () => {
      const other = await client.json("POST", "/scans/?wait=60", { path: "good.txt" });
      assert.equal(other.status, 202, other.text);
      await page.goto(`${browser.server.origin}/#/scans`);
      await page.getByText("Dangerous: 1 critical").waitFor();
      await button(page, "Clean 1").click();
      await page.getByText("Dangerous: 1 critical").waitFor({ state: "detached" });
      await page.getByText("Nothing found").waitFor();
    });
    await t.step("the page of a dangerous file offers the reason first", async () => {
      await page.goto(`${browser.server.origin}/#/file/bad.pkl`);
      const actions = page.getByRole("group", { name: "This file" });
      await actions.getByRole("button", { name: "See why" }).click();
      await until(() =>
        page.evaluate<boolean>(
          'document.activeElement?.getAttribute("aria-labelledby") === "card-Verdict"',
        )
      );
      assert.equal(await actions.locator(".button-primary").innerText(), "See why");
      await actions.getByRole("button", { name: "Download" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(MEANING).waitFor();
      await assertAccessible(page);
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Download anyway" }).click(),
      ]);
      assert.equal(saved.suggestedFilename(), "bad.pkl");
    });
    await t.step("so does what is selected in a list", async () => {
      await page.goto(`${browser.server.origin}/#/files`);
      await row(page, "more").getByRole("checkbox").check();
      await button(page, "See why").click();
      await page.getByRole("heading", { name: "bad.pkl", level: 1 }).waitFor();
    });
    await t.step("a finding stands beside the member that it is about", async () => {
      await page.goto(`${browser.server.origin}/#/file/bad.zip`);
      const members = page.getByRole("region", { name: "Members" });
      const bad = members.getByRole("row").filter({ hasText: "inner/bad.pkl" });
      await bad.getByText("Imports and calls builtins.eval").waitFor();
      assert.equal(await members.getByText("builtins.eval").count(), 1);
      await page.getByRole("region", { name: "Verdict" }).getByText("inner/bad.pkl").waitFor();
      await assertAccessible(page);
    });
  },
});

Deno.test({
  name: "C 18 and C 24 with the gate, a dangerous file cannot be saved, and its page says why",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "block" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.put("bad.pkl", HOSTILE);
    const page = await browser.signIn({}, "#/file/bad.pkl");
    await page.getByText("The gate blocks this file").waitFor();
    await button(page, "See why").waitFor();
    // They were there if the page was faster than the scan.
    for (const name of ["Download", "Share"]) {
      await button(page, name).waitFor({ state: "detached" });
    }
  },
});

Deno.test({
  name: "C 24 no download is offered before the gate has answered",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "block" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", { "eval.pkl": HOSTILE });
    await settledVerdicts(client);
    const page = await browser.signIn({}, "#/files");
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await page.route("**/api/files/**", async (route) => {
      asked.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.goto(`${browser.server.origin}/#/file/eval.pkl`);
    await page.getByRole("heading", { name: "eval.pkl", level: 1 }).waitFor();
    await asked.promise;
    assert.equal(await button(page, "Download").count(), 0);
    assert.equal(await button(page, "Share").count(), 0);
    answer.resolve();
    await button(page, "See why").waitFor();
    assert.equal(await button(page, "Download").count(), 0);
  },
});
