/**
 * `deno task test:large`: a file of 2 GB through the console, beside the same by curl, with the memory of the
 * tab, and both beside what they send to a server that drops it; 5000 small files, and the longest frame meanwhile; and
 * the first paint, here and far away. The variable CONSOLE_MB says how large the file is. Needs chromium and curl,
 * and 8 GB of disk.
 */

import * as assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { mintToken, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { HAS_BROWSER, openContext, sessionOf, TestBrowser } from "../browser/browser.ts";
import { button, choose } from "../browser/files_page.ts";
import { DistantProxy } from "./distant_proxy.ts";

const BYTES = Number(Deno.env.get("CONSOLE_MB") ?? 2000) * 1_000_000;
const FILES = 5000;
/** By how much the tab may grow, whatever the size of the file: 64 MiB. */
const MAX_GROWTH = 64 * 2 ** 20;

/** The memory of all tabs of a browser, in bytes (Linux). */
async function memoryOfTabs(context: BrowserContext): Promise<number> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = await session?.send("SystemInfo.getProcessInfo") ?? {};
  await session?.detach();
  let bytes = 0;
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    const status = await Deno.readTextFile(`/proc/${id}/status`);
    bytes += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  }
  return bytes;
}

/** Seconds until the console has uploaded what was chosen. */
async function upload(page: Page, label: string, path: string, files: string): Promise<number> {
  const started = performance.now();
  await choose(page, label, path);
  await page.getByRole("strong").filter({ hasText: `Uploaded ${files}` }).waitFor({
    timeout: 600_000,
  });
  const seconds = (performance.now() - started) / 1000;
  await button(page, "Close uploads").click();
  return seconds;
}

/** Seconds until curl has uploaded a file. */
async function curl(url: string, path: string, headers: readonly string[]): Promise<number> {
  const started = performance.now();
  const lines = [...headers, "Expect:"].flatMap((it) => ["-H", it]);
  const { code, stderr } = await run("curl", ["-sSf", ...lines, "-T", path, url]);
  assert.equal(code, 0, stderr);
  return (performance.now() - started) / 1000;
}

/** A server that drops what it receives. */
const DROPPING = `
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, async (it) => {
  await it.body?.pipeTo(new WritableStream());
  return new Response("<input type=file>", { headers: { "Content-Type": "text/html" } });
});`;

/** Seconds until curl, and a page in the browser, have sent a file to a server that drops it. */
async function dropped(path: string): Promise<{ byCurl: number; byPage: number }> {
  const server = new Deno.Command(Deno.execPath(), { args: ["eval", DROPPING], stdout: "piped" })
    .spawn();
  try {
    const output = server.stdout.getReader();
    const { value } = await output.read();
    await output.cancel();
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/`;
    const byCurl = await curl(url, path, []);
    const context = await openContext();
    try {
      const page = await context.newPage();
      await page.goto(url);
      await page.setInputFiles("input", path);
      // As the console sends a file, and nothing else.
      const ms = await page.evaluate<number>(`new Promise((resolve, reject) => {
        const started = performance.now();
        const xhr = new XMLHttpRequest();
        xhr.open("PATCH", "/");
        xhr.onload = () => resolve(performance.now() - started);
        xhr.onerror = reject;
        xhr.send(document.querySelector("input").files[0].slice(0));
      })`);
      return { byCurl, byPage: ms / 1000 };
    } finally {
      await context.close();
    }
  } finally {
    server.kill();
    await server.status;
  }
}

Deno.test({
  name: `C 24 the memory of the tab does not grow with an upload of ${BYTES / 1e6} MB`,
  ignore: !HAS_BROWSER || Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    const path = `${directory.path}/weights.bin`;
    using file = await Deno.open(path, { write: true, create: true });
    for (let at = 0; at < BYTES; at += 2 ** 20) {
      const chunk = crypto.getRandomValues(new Uint8Array(2 ** 16));
      for (let part = 0; part < 16; part++) await file.write(chunk);
    }
    await file.truncate(BYTES);
    await using browser = await TestBrowser.start({
      limits: {
        maxUploadFileSize: BYTES,
        maxUploadTotalSize: BYTES,
        maxUploadRequestSize: 2 * BYTES,
      },
    });
    const page = await browser.signIn();
    await button(page, "Upload files").waitFor();
    const bare = await dropped(path);
    const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
    const byCurl = await curl(`${browser.server.url}/files/by-curl.bin`, path, [
      `Authorization: Bearer ${token}`,
    ]);
    // The server would compare equal content.
    const removal = await (await browser.server.as(1)).remove({ "paths[]": "by-curl.bin" });
    assert.equal(removal.status, 200, removal.text);
    await browser.server.storedHashes();
    const before = await memoryOfTabs(browser.context);
    let highest = 0;
    const timer = setInterval(async () => {
      highest = Math.max(highest, await memoryOfTabs(browser.context));
    }, 500);
    const byConsole = await upload(page, "Upload files", path, "1 file").finally(() =>
      clearInterval(timer)
    );
    const growth = highest - before;
    const rate = (seconds: number) => `${Math.round(BYTES / 1e6 / seconds)} MB/s`;
    console.log(
      `curl ${rate(byCurl)}, console ${rate(byConsole)}; the tab grew by ${growth >> 20} MiB; ` +
        `to a server that drops it: curl ${rate(bare.byCurl)}, the browser ${rate(bare.byPage)}`,
    );
    assert.ok(highest > 0);
    assert.ok(growth < MAX_GROWTH, `the tab grew by ${growth >> 20} MiB`);
  },
});

Deno.test({
  name: `C 24 a folder of ${FILES} small files arrives through the console, whose page stays alive`,
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const folder = `${directory.path}/many`;
    await Deno.mkdir(folder);
    for (let index = 0; index < FILES; index++) {
      await Deno.writeTextFile(`${folder}/${index}.txt`, `${index}`.repeat(1000));
    }
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    await page.evaluate(`{
      let before = performance.now();
      globalThis.longestFrame = 0;
      const frame = (now) => {
        globalThis.longestFrame = Math.max(globalThis.longestFrame, now - before);
        before = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }`);
    const started = performance.now();
    await choose(page, "Upload folder", folder);
    // Not by a locator, which looks at the page in each frame.
    const title = `document.querySelector(".uploads-head strong")?.textContent`;
    while (await page.evaluate<string>(title) !== "Uploaded 5,000 files") {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const seconds = (performance.now() - started) / 1000;
    const frame = await page.evaluate<number>("globalThis.longestFrame");
    console.log(
      `${FILES} files in ${seconds.toFixed(1)} s; the longest frame took ${Math.round(frame)} ms`,
    );
    const client = await browser.server.as(1);
    assert.equal((await client.paths({ path: "many", recursive: "true" })).length, FILES + 1);
  },
});

Deno.test({
  name: "C 24 a browser that has never seen the console shows it, and a file, at any distance",
  ignore: !HAS_BROWSER,
  async fn() {
    for (const roundTripMs of [0, 0, 0, 150, 150, 150]) {
      await using browser = await TestBrowser.start();
      await (await browser.server.as(1)).upload("", { "file.txt": "content" });
      using proxy = new DistantProxy(browser.server.server.address.port, roundTripMs);
      await using context = await openContext();
      await context.addCookies([await sessionOf({ origin: proxy.origin })]);
      const page = await context.newPage();
      await page.goto(`${proxy.origin}/`, { waitUntil: "commit" });
      await page.getByRole("link", { name: "file.txt" }).waitFor();
      const row = await page.evaluate<number>("performance.now()");
      const paint = await page.evaluate<number>(
        `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
      );
      const requests = await page.evaluate<number>(
        `performance.getEntriesByType("resource").length + 1`,
      );
      const bytes = await page.evaluate<number>(
        `performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)`,
      );
      console.log(
        `round trips of ${roundTripMs} ms: first contentful paint after ${Math.round(paint)} ms, ` +
          `the first row after ${Math.round(row)} ms, ${requests} requests, ${bytes} bytes loaded`,
      );
      assert.ok(bytes > 0 && bytes <= 160_000, `${bytes} bytes`);
    }
  },
});
