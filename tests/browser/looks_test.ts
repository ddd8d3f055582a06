import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, choose, names, row } from "./files_page.ts";

const HOSTILE = await Deno.readFile(
  new URL("../fixtures/models/pickle/hostile/eval.pkl", import.meta.url),
);

async function upload(browser: TestBrowser): Promise<void> {
  const client = await browser.server.as(1, ...WORKER);
  await client.upload("", { "eval.pkl": HOSTILE, "notes.txt": "x".repeat(5000) });
  await client.mkdir("models");
}

/** Whether the page, or a part of it that cannot be scrolled to its end, is wider than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

Deno.test({
  name: "C 24 a phone shows verdict, size and date of each file",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({
      settings: { gate: "block" },
      viewport: { width: 390, height: 844 },
    });
    await upload(browser);
    const page = await browser.signIn();
    const file = row(page, "eval.pkl");
    for (
      const part of [file.getByText("Dangerous"), file.getByText("bytes"), file.locator("time")]
    ) {
      await part.waitFor();
      const box = await part.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390);
    }
    const name = await file.getByRole("link", { name: "eval.pkl" }).boundingBox();
    const verdict = await file.getByText("Dangerous").boundingBox();
    assert.ok(name !== null && verdict !== null && name.y + name.height <= verdict.y);
    for (
      const room of await page.getByRole("navigation", { name: "Rooms" }).getByRole("link").all()
    ) {
      const box = await room.boundingBox();
      assert.ok(box !== null && box.height < 40 && box.x + box.width <= 390, JSON.stringify(box));
    }
    assert.equal(await overflow(page), 0);
    await assertAccessible(page);
  },
});

Deno.test({
  name: "C 24 a row of files is seen at 400 percent, and nothing is wider than the window",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ viewport: { width: 320, height: 256 } });
    await upload(browser);
    const page = await browser.signIn();
    const file = row(page, "models");
    await file.waitFor();
    const box = await file.boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 256, JSON.stringify(box));
    const top = await page.getByRole("banner").boundingBox();
    assert.ok(top !== null && top.y === 0 && top.height < 60, JSON.stringify(top));
    assert.equal(await overflow(page), 0);
    await assertAccessible(page);
    for (const room of ["storage", "scans", "capacity", "access"]) {
      await page.goto(`${browser.server.origin}/#/${room}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.equal(await overflow(page), 0, room);
    }
  },
});

Deno.test({
  name: "C 24 tables to read fit a phone, and pages use a wide window",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ viewport: { width: 390, height: 844 } });
    const page = await browser.signIn({}, "#/capacity");
    const table = page.getByRole("group", { name: "Tunables" });
    await table.waitFor();
    const hidden = await table.evaluate((it) => it.scrollWidth - it.clientWidth);
    assert.equal(hidden, 0);
    await assertAccessible(page);
    await page.setViewportSize({ width: 2560, height: 1200 });
    const width = async () => (await page.locator(".page").boundingBox())?.width ?? 0;
    await until(async () => await width() > 2560 * 0.8);
  },
});

Deno.test({
  name:
    "C 24 a list says how much is in it, whether it is read-only, and why a file has its verdict",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "block" } });
    await upload(browser);
    const page = await browser.signIn({ privileges: ["resources.view", "scans.view"] });
    const foot = page.locator(".list-foot");
    await foot.getByText("1 folder, 2 files, ").waitFor();
    await foot.getByText("Read-only").waitFor();
    await row(page, "eval.pkl").getByText("Dangerous").waitFor();
    await row(page, "eval.pkl").getByText("Blocked", { exact: true }).waitFor();
    assert.equal(await row(page, "notes.txt").getByText("Blocked").count(), 0);
    await row(page, "eval.pkl").click({ position: { x: 300, y: 10 } });
    await foot.getByText(/eval\.pkl: .*builtins\.eval/).waitFor();
    await assertAccessible(page);
  },
});

Deno.test({
  name:
    "C 24 a folder shows the size of all that is in it, as it changes, and is in its place by it",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("small/below", { "a.bin": "x".repeat(100), "b.bin": "x".repeat(200) });
    await client.upload("large", { "c.bin": "x".repeat(5000) });
    await client.mkdir("empty");
    const page = await browser.signIn();
    await row(page, "small").getByText("300 bytes").waitFor();
    await row(page, "large").getByText("4.88 KiB").waitFor();
    await page.getByRole("columnheader", { name: "Size" }).getByRole("button").click();
    await until(async () => (await names(page)).join() === "empty,small,large");
    await client.upload("small/below", { "d.bin": "x".repeat(9700) });
    await row(page, "small").getByText("9.77 KiB").waitFor();
    await until(async () => (await names(page)).join() === "empty,large,small");
    await client.remove({ path: "large/c.bin" });
    await row(page, "large").getByText("4.88 KiB").waitFor({ state: "detached" });
    await client.move({ source: "small/below", destination: "large/below" });
    await row(page, "large").getByText("9.77 KiB").waitFor();
    await row(page, "small").getByText("9.77 KiB").waitFor({ state: "detached" });
    await assertAccessible(page);
  },
});

Deno.test({
  name: "C 24 rows are comfortable or compact, as this browser was told",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    await upload(browser);
    const page = await browser.signIn();
    const height = async () => (await row(page, "notes.txt").boundingBox())?.height;
    await row(page, "notes.txt").waitFor();
    assert.equal(await height(), 36);
    await button(page, "Compact rows").click();
    assert.equal(await height(), 28);
    await page.reload();
    await row(page, "notes.txt").waitFor();
    assert.equal(await height(), 28);
    await page.emulateMedia({ forcedColors: "active" });
    await assertAccessible(page);
  },
});

Deno.test({
  name: "C 24 each page has a title of its own, one heading of the first level, and is announced",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    const status = page.locator(".shell > .visually-hidden[role=status]");
    const places = [
      ["#/nowhere", "Page not found", "Page not found"],
      ["#/file/none.bin", "This file does not exist", "none.bin – File"],
      ["#/scans/abc", "There is no such scan", "abc – Scans"],
      ["#/scans/999", "There is no such scan", "999 – Scans"],
      ["#/storage/nowhere", "Storage", "nowhere – Storage"],
      ["#/capacity", "Capacity", "Capacity"],
    ] as const;
    for (const [hash, heading, words] of places) {
      await page.goto(`${browser.server.origin}/${hash}`);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      assert.equal(await page.locator("h1").count(), 1);
      await status.getByText(words).waitFor({ state: "attached" });
      assert.equal(await page.title(), `${words} – strongroom`);
      await assertAccessible(page);
    }
  },
});

Deno.test({
  name: "C 24 pressure and what the host carries are words that agree, and no raw detail",
  ignore: !HAS_BROWSER,
  async fn() {
    const stats = {
      CPUCores: 4,
      LoadAvg1m: 8,
      MemTotalMB: 16_384,
      MemAvailableMB: 12_288,
      DiskFreeMB: 102_400,
    };
    await using browser = await TestBrowser.start({ host: { stats: () => stats } });
    const page = await browser.signIn({}, "#/capacity");
    await page.getByText("Pressure: Critical").waitFor();
    await page.getByText("The processors are busy (load 200 %)").waitFor();
    await page.getByText(/Memory is there for \d+ more scans, but what runs is slower/).waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), /capacity_mode=|level=/);
  },
});

Deno.test({
  name: "C 24 uploads are announced at once, then at most every five seconds, and in the end",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    await page.clock.install();
    const head = page.locator(".uploads-head strong");
    const status = page.locator(".uploads [role=status]");
    const send = (name: string) =>
      page.locator(`input[type=file][aria-label="Upload files"]`).setInputFiles([
        { name, mimeType: "text/plain", buffer: Buffer.from(name) },
      ]);
    await send("one.txt");
    await head.getByText("Uploaded 1 file").waitFor();
    await page.clock.fastForward(5000);
    await status.getByText("Uploaded 1 file").waitFor({ state: "attached" });
    await page.clock.fastForward(5000);
    await page.clock.pauseAt(await page.evaluate<number>("Date.now() + 1000"));
    await send("two.txt");
    // The upload itself has timers, too.
    while (await head.textContent() !== "Uploaded 2 files") await page.clock.runFor(2);
    assert.notEqual(await status.textContent(), "Uploaded 2 files");
    await page.clock.runFor(5000);
    await status.getByText("Uploaded 2 files").waitFor({ state: "attached" });
  },
});

Deno.test({
  name: "C 24 a phone shows the whole name of a file that is there, above what to do about it",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ viewport: { width: 390, height: 844 } });
    await upload(browser);
    const page = await browser.signIn();
    await row(page, "notes.txt").waitFor();
    await choose(page, "Upload files", { name: "notes.txt", size: 10 });
    const action = await button(page, "Keep both notes.txt").boundingBox();
    const file = await page.locator(".uploads-file").boundingBox();
    assert.ok(action !== null && file !== null && file.y + file.height <= action.y);
    assert.ok(file.width > 300, `${file.width}`);
    assert.equal(await overflow(page), 0);
    await assertAccessible(page);
  },
});
