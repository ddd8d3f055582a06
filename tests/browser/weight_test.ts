import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { HAS_BROWSER, sessionOf, TestBrowser } from "./browser.ts";
import { row } from "./files_page.ts";

/** What a page asks for, and how many bytes arrive: of bodies as they are sent, and of heads. */
async function traffic(page: Page): Promise<{ requests: string[]; bytes: () => number }> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Network.enable");
  const requests: string[] = [];
  const received = new Map<string, number>();
  protocol.on("Network.requestWillBeSent", ({ request }) => void requests.push(request.url));
  protocol.on("Network.responseReceived", ({ requestId, response }) => {
    received.set(requestId, response.encodedDataLength);
  });
  protocol.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    received.set(requestId, (received.get(requestId) ?? 0) + encodedDataLength);
  });
  return { requests, bytes: () => received.values().reduce((sum, bytes) => sum + bytes, 0) };
}

/** What the page asks for when a row of files is there is in `window.later`. */
const NOTE_LATER = `{
  const real = window.fetch;
  window.later = [];
  window.fetch = (...given) => {
    if (document.querySelector(".grid-body .name") !== null) window.later.push(String(given[0]));
    return real(...given);
  };
}`;

Deno.test({
  name:
    "C 24 a browser that has never seen the console has the first row of 2000 after 12 requests and 160 kB",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    const files = Array.from({ length: 2000 }, (_, index) => [`${index}.txt`, `${index}`]);
    await client.upload("", Object.fromEntries(files));
    await browser.context.addCookies([await sessionOf(browser.server)]);
    const page = await browser.context.newPage();
    await page.addInitScript(NOTE_LATER);
    const { requests, bytes } = await traffic(page);
    await page.goto(`${browser.server.origin}/`);
    await row(page, "0.txt").waitFor();
    const later = await page.evaluate<string[]>("window.later");
    const before = requests.filter((it) => !later.some((path) => it.endsWith(path)));
    assert.ok(before.length <= 12, before.join("\n"));
    assert.ok(bytes() <= 160_000, `${bytes()} bytes`);
  },
});

Deno.test({
  name: "C 24 a room is loaded when it is opened, and says so where that fails",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    const { requests } = await traffic(page);
    const scripts = () => requests.filter((it) => it.endsWith(".js")).length;
    await page.getByRole("link", { name: "Capacity" }).click();
    await page.getByRole("heading", { name: "Capacity", level: 1 }).waitFor();
    const loaded = scripts();
    assert.ok(loaded > 0);
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("link", { name: "Capacity" }).click();
    await page.getByRole("heading", { name: "Capacity", level: 1 }).waitFor();
    assert.equal(scripts(), loaded);
    await page.route("**/*.js", (route) => route.abort());
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    await page.getByText("This part of the console could not be loaded").waitFor();
    await page.unroute("**/*.js");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Access", level: 1 }).waitFor();
  },
});
