import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { CapacityHistory, getHostSize, getStats, readTunables } from "../../core/capacity/mod.ts";
import { dataOf } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";

const ignore = !HAS_BROWSER;
const cells = (page: Page) => page.getByRole("list", { name: "Sizes as areas" });

/** Uploads some folders and files of chosen sizes. */
async function fill(browser: TestBrowser): Promise<void> {
  const client = await browser.server.as(1, ...WORKER);
  const bytes = (size: number) => new Uint8Array(size);
  await client.upload("models/llama", { "a.safetensors": bytes(600_000), "b.json": bytes(1000) });
  await client.upload("models", { "c.gguf": bytes(300_000), "empty.txt": "" });
  const small = Array.from({ length: 40 }, (_, index) => [`${index}.txt`, bytes(100 + index)]);
  await client.upload("models/small", Object.fromEntries(small));
}

function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

Deno.test({
  name: "C 24 a treemap shows what takes the space, as links by the keyboard, and as a table",
  ignore,
  async fn(t) {
    await using browser = await TestBrowser.start({ limits: { userQuota: 2_000_000 } });
    await fill(browser);
    const page = await browser.signIn({}, "#/files/models");
    await page.getByRole("link", { name: "What takes the space" }).click();
    await page.getByRole("heading", { name: "Storage", level: 1 }).waitFor();

    await t.step("areas are in proportion to sizes", async () => {
      await page.getByText("885 KiB in 4 entries").waitFor();
      const folder = cells(page).getByRole("link", { name: "llama 587 KiB 66 %, 2 files" });
      const file = cells(page).getByRole("link", { name: "c.gguf 293 KiB 33 %" });
      const [a, b] = [await folder.boundingBox(), await file.boundingBox()];
      assert.ok(a !== null && b !== null);
      const ratio = (a.width * a.height) / (b.width * b.height);
      assert.ok(Math.abs(ratio - 601 / 300) < 0.1, `${ratio}`);
      await cells(page).getByText("2 others").waitFor({ state: "attached" });
      await assertAccessible(page);
    });
    await t.step("the table has the same numbers", async () => {
      await page.getByText("Show as table").first().click();
      const table = page.getByRole("group", { name: "Sizes of what is in this folder" });
      const row = table.getByRole("row").filter({ hasText: "small" });
      assert.match(await row.innerText(), /small\s*, a folder\s+40\s+4\.67 KiB\s+< 1 %/);
      assert.equal(await table.getByRole("row").count(), 5);
      await assertAccessible(page);
    });
    await t.step("Enter on an area opens the folder, or the page of the file", async () => {
      await cells(page).getByRole("link", { name: /^llama/ }).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/#\/storage\/models\/llama$/);
      await cells(page).getByRole("link", { name: /^a\.safetensors/ }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "a.safetensors", level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole("navigation", { name: "Folders above" })
        .getByRole("link", { name: "Top folder" }).click();
      await cells(page).getByRole("link", { name: /^models .* 100 %, 44 files$/ }).waitFor();
    });
    await t.step("formats and the quota have words and bars", async () => {
      const formats = page.getByRole("group", { name: "Sizes by format" });
      const row = formats.getByRole("row").filter({ hasText: ".safetensors" });
      assert.match(await row.innerText(), /1\s+586 KiB\s+66 %/);
      await page.getByText("45 % of 1.91 MiB").waitFor();
      assert.equal(await page.getByRole("group", { name: "Sizes by user" }).count(), 0);
    });
    await t.step("C 26 what tags and history take is told beside the quota", async () => {
      const client = await browser.server.as(1, ...WORKER);
      dataOf(await client.json("POST", "/tags/", { name: "kept", path: "models/llama/b.json" }));
      dataOf(await client.remove({ path: "models/llama/a.safetensors" }));
      await page.reload();
      await page.getByText("586 KiB, not counted by the quota").waitFor();
      await page.getByText("2.44 KiB").waitFor();
      await page.getByText("15 % of 1.91 MiB").waitFor();
    });
    await t.step("a folder that is gone says so", async () => {
      await page.goto(`${browser.server.origin}/#/storage/nowhere`);
      await page.getByText("there is no such directory").waitFor();
      await assertAccessible(page);
    });
  },
});

Deno.test({
  name: "C 24 administrators see what the tree of each user holds, and look into it",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start();
    await fill(browser);
    await (await browser.server.as(7, ...WORKER)).upload("team", { "a.bin": "x".repeat(5000) });
    const team = { name: "vision", number: 7 };
    dataOf(await (await browser.server.admin()).json("POST", "/teams/", team));
    const page = await browser.signIn({ userId: 2, privileges: ["resources.admin"] }, "#/storage");
    await page.getByText("This folder is empty.").waitFor();
    const users = page.getByRole("group", { name: "Sizes by user" });
    assert.match(
      await users.getByRole("row").filter({ hasText: "vision" }).innerText(),
      /1\s+4\.88 KiB\s+< 1 %/,
    );
    await users.getByRole("link", { name: "User 1" }).waitFor();
    await users.getByRole("link", { name: "vision" }).click();
    await cells(page).getByRole("link", { name: /^team/ }).waitFor();
    await assertAccessible(page);
  },
});

Deno.test({
  name: "C 24 pictures fit 320 pixels, 400 percent and wide windows, in dark and in forced colors",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    await fill(browser);
    await settledVerdicts(await browser.server.as(1, ...WORKER));
    const page = await browser.signIn({}, "#/storage/models");
    const windows = [
      [320, 640, { colorScheme: "dark" }],
      [320, 256, { colorScheme: "light" }],
      [2560, 1200, { forcedColors: "active" }],
    ] as const;
    for (const [width, height, media] of windows) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", ...media });
      for (const room of ["storage/models", "scans", "capacity"]) {
        await page.goto(`${browser.server.origin}/#/${room}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        if (room === "scans") await page.getByRole("img", { name: /^Clean: / }).waitFor();
        if (room === "storage/models") {
          await cells(page).getByRole("link", { name: /^llama/ }).waitFor();
          const links = await cells(page).getByRole("link").all();
          for (const link of links) {
            const box = await link.boundingBox();
            assert.ok(box !== null && box.width >= 24 && box.height >= 24, JSON.stringify(box));
          }
        }
        assert.equal(await overflow(page), 0, `${room} at ${width} × ${height}`);
        await assertAccessible(page);
      }
    }
  },
});

Deno.test({
  name: "C 24 verdicts by day are bars for each verdict, and a table, and follow new verdicts",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", {
      "a.pkl": await modelFile("pickle/hostile/eval.pkl"),
      "b.json": "{}",
    });
    await settledVerdicts(client);
    const page = await browser.signIn({}, "#/scans");
    await page.getByRole("img", { name: "Clean: 1 file in 30 days, at most 1 a day" }).waitFor();
    await page.getByRole("img", { name: "Dangerous: 1 file in 30 days, at most 1 a day" })
      .waitFor();
    await page.getByText("Show as table").click();
    const table = page.getByRole("group", { name: "Verdicts by day" });
    await table.getByRole("columnheader", { name: "Dangerous" }).waitFor();
    await assertAccessible(page);
    await client.upload("", { "c.json": "[]" });
    await page.getByRole("img", { name: "Clean: 2 files in 30 days" }).waitFor();
  },
});

Deno.test({
  name: "C 24 the last hour of the host is shown as plots, and as a table",
  ignore,
  async fn() {
    const { tunables, origins } = readTunables(() => undefined, getHostSize());
    let load = 1;
    const stats = () => ({ ...getStats("."), CPUCores: 4, LoadAvg1m: load });
    const read = Promise.withResolvers<void>();
    let readings = 0;
    using capacityHistory = new CapacityHistory({
      host: { stats, tunables, origins },
      queued: () => {
        if (++readings === 3) load = 3;
        if (readings === 6) read.resolve();
        return Promise.resolve(readings > 3 ? 5 : 0);
      },
      intervalMs: 20,
    });
    await using browser = await TestBrowser.start({ app: { capacityHistory } });
    await read.promise;
    const page = await browser.signIn({}, "#/capacity");
    const plots = page.getByRole("region", { name: "The last hour" });
    await plots.getByRole("img", { name: /^Load: 75 % now, / }).waitFor();
    await plots.getByRole("img", { name: /^Waiting: 5 now, / }).waitFor();
    await plots.getByText("Show as table").click();
    const table = plots.getByRole("group", { name: "Readings of the last hour" });
    assert.match(await table.getByRole("row").nth(1).innerText(), /75 %\s+\d+ %\s+.*\s+5$/);
    await assertAccessible(page);
  },
});
