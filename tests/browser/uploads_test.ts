import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { enterCredential, HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, choose, names, row } from "./files_page.ts";
import { begin, drop, makeFile, MOVING, STOPPED, uploadLimit } from "./slow_uploads.ts";

/** The field that takes the file of an unfinished upload. */
function fieldOf(page: Page, name: string) {
  return page.locator(`input[aria-label="Choose ${name} again"]`);
}

Deno.test({
  name: "C 21, C 24: an upload goes on where it stopped after the browser was started again",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using profile = await TempDir.make();
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    const content = await makeFile(file);
    await using browser = await TestBrowser.start({ profile: profile.path });

    await t.step("another window does not offer to resume what this one sends", async () => {
      await begin(await browser.signIn(), file);
      const other = await browser.open();
      await button(other, "Upload files").waitFor();
      await other.waitForTimeout(1000);
      assert.equal(await other.getByRole("region", { name: "Uploads" }).count(), 0);
    });
    await browser.reopen();
    const page = await browser.signIn();
    await t.step("it is listed with where it stopped", async () => {
      await page.getByRole("strong").filter({ hasText: "1 unfinished upload" }).waitFor();
      await page.getByText(STOPPED).waitFor();
      await assertAccessible(page);
    });
    await t.step("a file that is not the one from before is refused with the reason", async () => {
      await fieldOf(page, "weights.bin")
        .setInputFiles({ name: "weights.bin", mimeType: "", buffer: Buffer.alloc(9) });
      await page.getByText("“weights.bin” has 9 bytes, and the upload began with 38.1 MiB")
        .waitFor();
      await page.getByText(STOPPED).waitFor();
    });
    await t.step("the same file goes on, without a new upload", async () => {
      const created: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") created.push(request.url());
      });
      await fieldOf(page, "weights.bin").setInputFiles(file);
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      assert.deepEqual(created, []);
      const stored = await (await browser.server.as(1)).bytes({ path: "weights.bin" });
      assert.ok(content.equals(stored));
    });
    await t.step("then there is nothing to resume", async () => {
      const other = await browser.open();
      await row(other, "weights.bin").waitFor();
      await other.waitForTimeout(1000);
      assert.equal(await other.getByRole("region", { name: "Uploads" }).count(), 0);
    });
  },
});

Deno.test({
  name: "C 21, C 24: an unfinished upload is given up, goes on with a drop, or is said to be gone",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    const content = await makeFile(file);
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    const status = async (id: string) => (await client.send("GET", `/uploads/${id}`)).status;

    await t.step("cancelling removes it from the server too", async () => {
      const first = await browser.signIn();
      const id = await begin(first, file);
      await first.close();
      const page = await browser.open();
      await page.getByText(STOPPED).waitFor();
      assert.equal(await status(id), 200);
      await button(page, "Cancel weights.bin").click();
      await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" });
      await until(async () => await status(id) === 404);
      await page.close();
    });
    await t.step("one that the server has no more is said to have expired", async () => {
      const first = await browser.open();
      const id = await begin(first, file);
      await first.close();
      await until(async () => {
        const headers = { "Tus-Resumable": "1.0.0" };
        return (await client.send("DELETE", `/uploads/${id}`, { headers })).status === 204;
      });
      const page = await browser.open();
      await page.getByText("The upload of “weights.bin” expired before it was finished").waitFor();
      assert.equal(await page.getByRole("region", { name: "Uploads" }).count(), 0);
      await page.close();
    });
    await t.step("another person does not see it", async () => {
      const first = await browser.open();
      await begin(first, file);
      await button(first, "Sign out").click();
      await enterCredential(first, { userId: 2 });
      await first.waitForTimeout(1000);
      assert.equal(await first.getByRole("region", { name: "Uploads" }).count(), 0);
      await button(first, "Sign out").click();
      await first.getByLabel("Credential").waitFor();
      await first.close();
    });
    await t.step("a file dropped at the same place goes on", async () => {
      const page = await browser.signIn();
      await page.getByText(STOPPED).waitFor();
      await drop(page, [file]);
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      assert.ok(content.equals(await client.bytes({ path: "weights.bin" })));
    });
  },
});

Deno.test({
  name: "C 24 folders dropped from the desktop arrive whole, with empty folders in them",
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const root = `${directory.path}/model`;
    await Deno.mkdir(`${root}/weights/old/empty`, { recursive: true });
    await Deno.mkdir(`${root}/logs`);
    await Deno.writeTextFile(`${root}/config.json`, "{}");
    // Browsers list directories in pieces of 100.
    const shards = Array.from({ length: 230 }, (_, index) => `weights/shard-${1000 + index}.bin`);
    for (const shard of shards) await Deno.writeTextFile(`${root}/${shard}`, shard);
    await Deno.writeTextFile(`${directory.path}/notes.txt`, "notes");
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    await client.mkdir("inbox");
    const page = await browser.signIn({}, "#/files/inbox");
    await page.getByText("This folder is empty").waitFor();
    await drop(page, [root, `${directory.path}/notes.txt`]);
    await page.getByRole("strong").filter({ hasText: "Uploaded 232 files" }).waitFor();
    await row(page, "notes.txt").waitFor();
    assert.deepEqual(await names(page), ["model", "notes.txt"]);
    const expected = ["logs", "weights", "weights/old", "weights/old/empty", "config.json"];
    assert.deepEqual(
      (await client.paths({ path: "inbox", recursive: "true" })).sort(),
      [
        ...["inbox", "inbox/notes.txt", "inbox/model"],
        ...[...expected, ...shards].map((path) => `inbox/model/${path}`),
      ].sort(),
    );
  },
});

Deno.test({
  name: "C 24 a restart of the server while a file is uploaded loses nothing",
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    const content = await makeFile(file);
    await using browser = await TestBrowser.start({ graceMs: 100 });
    const page = await browser.signIn();
    const limit = await uploadLimit(page);
    await limit(8e6);
    await choose(page, "Upload files", file);
    await page.getByText(MOVING).waitFor();
    await browser.restart(async () => {
      await page.getByText("No connection to the server").waitFor();
    });
    await limit(undefined);
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    await row(page, "weights.bin").waitFor();
    await page.getByText("No connection to the server").waitFor({ state: "detached" });
    const stored = await (await browser.server.as(1)).bytes({ path: "weights.bin" });
    assert.ok(content.equals(stored));
  },
});

Deno.test({
  name: "C 24 an upload that is paused before its first byte sends none",
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    const content = await makeFile(file);
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.method()));
    // The upload has been created, and is about to be kept in the browser.
    await page.evaluate(`{
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...args) {
        document.querySelector('[aria-label="Pause weights.bin"]').click();
        return put.apply(this, args);
      };
    }`);
    const isCreation = (url: URL) => url.pathname.endsWith("/uploads/");
    await page.route(isCreation, async (route) => {
      await button(page, "Pause weights.bin").waitFor();
      await route.continue();
    });
    await choose(page, "Upload files", file);
    await button(page, "Resume weights.bin").waitFor();
    assert.deepEqual(sent.filter((method) => method === "PATCH"), []);
    await button(page, "Resume weights.bin").click();
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    const stored = await (await browser.server.as(1)).bytes({ path: "weights.bin" });
    assert.ok(content.equals(stored));
  },
});

Deno.test({
  name: "C 24 an upload of a file that has changed since it was chosen ends with the reason",
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    await makeFile(file);
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    await begin(page, file);
    await button(page, "Pause weights.bin").click();
    await Deno.writeTextFile(file, "other content");
    await button(page, "Resume weights.bin").click();
    await page.getByText(/^“weights.bin” cannot be read: /).waitFor();
    await page.getByRole("strong").filter({ hasText: "1 file not uploaded" }).waitFor();
  },
});
