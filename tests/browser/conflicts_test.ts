import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { TempDir } from "../support/temp_dir.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, row } from "./files_page.ts";
import { uploadLimit } from "./slow_uploads.ts";

const ignore = !HAS_BROWSER;

/** Chooses files with some content. */
function chosen(...names: string[]) {
  return names.map((name) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from("newer"),
  }));
}

Deno.test({
  name:
    "C 17, C 24: an upload to a taken name says what is there, and is skipped, kept or replaces it",
  ignore,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    const names = ["a.txt", "b.txt", "c.txt"];
    await client.upload("", Object.fromEntries(names.map((name) => [name, "as before"])));
    await client.upload("", { "b (2).txt": "taken, too" });
    const page = await browser.signIn();
    await row(page, "a.txt").waitFor();
    const field = page.locator('input[aria-label="Upload files"]');
    const text = async (path: string) => new TextDecoder().decode(await client.bytes({ path }));
    await field.setInputFiles(chosen(...names));

    await t.step("what is there is shown", async () => {
      const there = page.getByText("There is a file of this name: 9 bytes, changed just now");
      await there.nth(2).waitFor();
      await page.getByText("3 files are there already").waitFor();
      await assertAccessible(page);
    });
    await t.step("one is skipped, one kept beside it, one replaced", async () => {
      await button(page, "Skip a.txt").click();
      await button(page, "Keep both b.txt").click();
      await row(page, "b (3).txt").waitFor();
      await button(page, "Replace c.txt").click();
      await page.getByRole("strong").filter({ hasText: "Uploaded 2 files" }).waitFor();
      assert.equal(await text("a.txt"), "as before");
      assert.equal(await text("b.txt"), "as before");
      assert.equal(await text("b (3).txt"), "newer");
      assert.equal(await text("c.txt"), "newer");
    });
    await t.step("all are kept at once", async () => {
      await field.setInputFiles(chosen("a.txt", "b.txt"));
      await button(page, "Keep both of all").click();
      await row(page, "b (4).txt").waitFor();
      assert.equal(await text("a (2).txt"), "newer");
    });
  },
});

Deno.test({
  name: "C 17, C 24: Replace is not offered without the right to edit",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(1)).upload("", { "a.txt": "x", "b.txt": "x" });
    const privileges = WORKER.filter((it) => it !== "resources.edit");
    const page = await browser.signIn({ privileges });
    await row(page, "a.txt").waitFor();
    await page.locator('input[aria-label="Upload files"]').setInputFiles(chosen("a.txt", "b.txt"));
    await button(page, "Skip all").waitFor();
    await button(page, "Skip a.txt").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Replace/ }).count(), 0);
  },
});

Deno.test({
  name: "C 21, C 24: after a reload in the middle, the rest of a folder is listed, and goes on",
  ignore,
  async fn() {
    await using directory = await TempDir.make();
    const folder = `${directory.path}/shards`;
    await Deno.mkdir(folder);
    const names = Array.from({ length: 8 }, (_, index) => `shard-${index}.bin`);
    for (const name of names) await Deno.writeFile(`${folder}/${name}`, new Uint8Array(600e3));
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    page.on("dialog", (dialog) => void dialog.accept());
    const limit = await uploadLimit(page);
    await limit(300e3);
    await page.locator('input[aria-label="Upload folder"]').setInputFiles(folder);
    await page.getByRole("strong").filter({ hasText: "Uploading 8 files" }).waitFor();
    await page.reload();
    await limit(undefined);
    await page.getByRole("strong").filter({ hasText: /^[5-8] unfinished uploads$/ }).waitFor();
    await assertAccessible(page);
    await page.locator('input[aria-label="Choose the folder again"]').setInputFiles(folder);
    await page.getByRole("strong").filter({ hasText: /^Uploaded [5-8] files$/ }).waitFor();
    const stored = await (await browser.server.as(1)).tree();
    assert.deepEqual(stored, ["shards", ...names.map((name) => `shards/${name}`)]);
  },
});
