import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import { enterCredential, HAS_BROWSER, openContext } from "./browser.ts";
import { choose, row } from "./files_page.ts";
import { StallingProxy } from "./stalling_proxy.ts";

/** Longer than the console waits for a sign of life, in milliseconds. */
const SILENCE_MS = 36_000;

interface Stalling {
  readonly server: TestServer;
  readonly proxy: StallingProxy;
  readonly page: Page;
}

/** A page whose clock the test moves, and whose connection it can have die. */
function withStallingPage(work: (parts: Stalling) => Promise<void>): () => Promise<void> {
  return async () => {
    await using server = await TestServer.start();
    using proxy = new StallingProxy(server.server.address.port);
    await using context = await openContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${proxy.origin}/`);
    await enterCredential(page);
    await work({ server, proxy, page });
  };
}

const ignore = !HAS_BROWSER;
const lost = (page: Page) => page.getByText("No connection to the server");

Deno.test({
  name: "C 24 a stream of events that dies in silence is noticed, and followed anew",
  ignore,
  fn: withStallingPage(async ({ server, proxy, page }) => {
    await page.getByText("No files yet").waitFor();
    proxy.stall();
    await (await server.as(1)).mkdir("meanwhile");
    await page.clock.fastForward(SILENCE_MS);
    await lost(page).waitFor();
    proxy.recover();
    await lost(page).waitFor({ state: "detached" });
    await row(page, "meanwhile").waitFor();
  }),
});

Deno.test({
  name: "C 24 a list that never arrives says so, and is asked for again",
  ignore,
  fn: withStallingPage(async ({ server, proxy, page }) => {
    await (await server.as(1)).upload("d", { "a.txt": "a" });
    await row(page, "d").waitFor();
    proxy.stall();
    await row(page, "d").getByRole("link").click();
    await page.getByText("Loading files…").waitFor();
    await page.clock.fastForward(SILENCE_MS);
    await page.getByText("The server cannot be reached").waitFor();
    proxy.recover();
    await row(page, "a.txt").waitFor();
  }),
});

Deno.test({
  name: "C 24 an upload over a connection that has died goes on over another",
  ignore,
  fn: withStallingPage(async ({ server, proxy, page }) => {
    const content = noise(20_000_000);
    await page.getByText("No files yet").waitFor();
    proxy.stall(5_000_000);
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    await Deno.writeFile(file, content);
    await choose(page, "Upload files", file);
    await until(() => proxy.isStalled);
    await page.clock.fastForward(SILENCE_MS);
    await page.getByText(/The server cannot be reached/).first().waitFor();
    proxy.recover();
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    const stored = await (await server.as(1)).bytes({ path: "weights.bin" });
    assert.deepEqual(stored, content);
  }),
});
