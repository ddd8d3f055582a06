import * as assert from "node:assert/strict";
import { printable } from "../../schemas/printable.ts";
import { ROOT } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { seed } from "../support/seed.ts";
import { mintToken } from "../support/server.ts";
import { until } from "../support/until.ts";
import { assertAccessible } from "./axe.ts";
import { enterCredential, HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, choose, names, row } from "./files_page.ts";

const HOSTILE = await Deno.readFile(`${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`);
const ignore = !HAS_BROWSER;

Deno.test({
  name: "C 24 two windows see each other's changes, made by keyboard and by pointer",
  ignore,
  async fn(t) {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(1)).upload("", { "a.txt": "a", "b.txt": "b", "c.txt": "c" });
    const one = await browser.signIn();
    const two = await browser.open();
    await row(two, "c.txt").waitFor();

    await t.step("a folder is made", async () => {
      await button(one, "New folder").click();
      await one.getByLabel("Name", { exact: true }).fill("inbox");
      await one.keyboard.press("Enter");
      await row(two, "inbox").waitFor();
      assert.deepEqual(await names(two), ["inbox", "a.txt", "b.txt", "c.txt"]);
    });
    await t.step("a file is renamed with F2", async () => {
      await row(one, "inbox").waitFor();
      await one.getByRole("grid").focus();
      await one.keyboard.press("ArrowDown");
      await one.keyboard.press("F2");
      await one.getByLabel("New name").fill("z.txt");
      await one.keyboard.press("Enter");
      await row(two, "z.txt").waitFor();
      assert.deepEqual(await names(two), ["inbox", "b.txt", "c.txt", "z.txt"]);
    });
    await t.step("a name that is taken is refused, and the dialog stays", async () => {
      await row(one, "b.txt").click({ position: { x: 300, y: 10 } });
      await button(one, "Rename").click();
      await one.getByLabel("New name").fill("c.txt");
      await one.keyboard.press("Enter");
      await one.getByText("“c.txt” exists already").waitFor();
      await one.keyboard.press("Escape");
    });
    await t.step("files are moved by dragging", async () => {
      await row(one, "z.txt").dragTo(row(one, "inbox"));
      await row(two, "z.txt").waitFor({ state: "detached" });
      await row(two, "inbox").getByRole("link").click();
      await row(two, "z.txt").waitFor();
    });
    await t.step("files are copied", async () => {
      await row(one, "c.txt").getByRole("checkbox").check();
      await row(one, "b.txt").getByRole("checkbox").check();
      await button(one, "Copy").click();
      await one.getByRole("dialog").getByRole("treeitem", { name: "inbox" }).click();
      await one.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
      await row(two, "b.txt").waitFor();
      assert.deepEqual(await names(two), ["b.txt", "c.txt", "z.txt"]);
    });
    await t.step("all files are selected and deleted by keyboard, after a question", async () => {
      await two.getByRole("grid").focus();
      await two.keyboard.press("Control+a");
      await two.keyboard.press("Delete");
      await two.getByRole("dialog").getByText("Delete 3 files?").waitFor();
      await two.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await two.getByText("This folder is empty").waitFor();
      assert.deepEqual(await names(one), ["inbox", "b.txt", "c.txt"]);
    });
    await t.step("what is below is searched for", async () => {
      await (await browser.server.as(1)).upload("deep/er", { "needle.bin": "x" });
      await one.getByLabel("Search in this folder and below").fill("NEEDLE deep");
      await row(one, "needle.bin").waitFor();
      assert.deepEqual(await names(one), ["deep/er/needle.bin"]);
    });
  },
});

Deno.test({
  name: "C 24 of 100 000 files, the console renders those that are visible",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start();
    const paths = Array.from({ length: 100_000 }, (_, index) => `shard-${100_000 + index}.csv`);
    await seed(browser.server.tree.records, paths);
    const page = await browser.signIn();
    await row(page, "shard-100000.csv").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("End");
    await row(page, "shard-199999.csv").waitFor();
    assert.ok((await names(page)).length < 60);
    assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "100001");
    await page.keyboard.press("Home");
    await row(page, "shard-100000.csv").waitFor();
  },
});

Deno.test({
  name: "C 24 nothing in a file name becomes markup",
  ignore,
  async fn() {
    // Some characters of markup are refused in paths; those of attributes and entities are not.
    const hostile = [
      "&lt;img src=x onerror=alert(1)&gt;",
      "${alert(1)}",
      "'); alert(1); ('",
      "‮gpj.exe",
      "a%2Fb &amp; __proto__",
      "constructor",
    ];
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    for (const name of hostile) {
      const { status, text } = await client.mkdir(`${name}/in`);
      assert.equal(status, 200, text);
    }
    const page = await browser.signIn();
    page.on("dialog", () => assert.fail("a script of a name ran"));
    await row(page, "constructor").waitFor();
    assert.deepEqual((await names(page)).sort(), hostile.map(printable).sort());
    const heading = page.getByRole("heading", { level: 1 });
    for (const name of hostile) {
      await page.goto(`${browser.server.origin}/#/files/${encodeURIComponent(name)}`);
      // The folder before has such a row, too.
      await until(async () => await heading.textContent() === printable(name));
      await row(page, "in").waitFor();
    }
    assert.equal(await page.locator("img, main script, main style").count(), 0);
  },
});

Deno.test({
  name: "C 24 the session ends with the credential, and comes back at the same place",
  ignore,
  async fn(t) {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(1)).upload("inbox", { "a.txt": "a" });
    // Within the leeway for clocks for some more seconds.
    const page = await browser.signIn({ ttlSeconds: -22 }, "#/files/inbox");
    await row(page, "a.txt").waitFor();

    await t.step("an expired credential asks for another one, and says why", async () => {
      await page.getByText("The credential has expired. Sign in again to go on.").waitFor();
      assert.equal(await page.getByRole("grid").count(), 0);
      await enterCredential(page);
      await row(page, "a.txt").waitFor();
    });
    await t.step("signing out removes the cookie, and what was shown", async () => {
      await button(page, "Sign out").click();
      await page.getByLabel("Credential").waitFor();
      assert.deepEqual(await browser.context.cookies(), []);
      await page.reload();
      await page.getByLabel("Credential").waitFor();
    });
    await t.step("a credential that is not one is refused with the reason", async () => {
      await page.getByLabel("Credential").fill("nonsense");
      await button(page, "Sign in").click();
      await page.getByRole("alert").getByText("The credential is invalid").waitFor();
    });
    await t.step("without privileges, the room says which one is missing", async () => {
      await enterCredential(page, { privileges: ["scans.view"] });
      await page.getByText("It needs the privilege resources.view.").waitFor();
    });
    await t.step("the tree of a team is chosen", async () => {
      await (await browser.server.as(7)).upload("", { "of the team.txt": "x" });
      await button(page, "Sign out").click();
      await enterCredential(page, { privileges: WORKER, trees: { "7": ["resources.view"] } });
      await page.getByLabel("Tree", { exact: true }).selectOption("Tree 7");
      await row(page, "of the team.txt").waitFor();
      assert.equal(await button(page, "Upload files").count(), 0);
    });
    await t.step("scripts cannot read the credential", async () => {
      assert.equal(await page.evaluate("document.cookie"), "");
      assert.notEqual(
        (await browser.context.cookies())[0]?.value,
        await mintToken({ userId: 1, privileges: [] }),
      );
    });
  },
});

Deno.test({
  name: "C 24 axe-core finds nothing, in light and dark, from a phone's width up",
  ignore,
  async fn(t) {
    for (const [colorScheme, width] of [["light", 320], ["dark", 1440]] as const) {
      await t.step(`${colorScheme}, ${width} pixels`, async () => {
        await using browser = await TestBrowser.start({
          settings: { gate: "mark" },
          viewport: { width, height: 800 },
          colorScheme,
        });
        const client = await browser.server.as(1);
        await client.upload("", { "weights.bin": "x", "config.json": "{}" });
        await client.upload("models", { "a.pkl": HOSTILE });
        const page = await browser.open();
        await page.getByLabel("Credential").waitFor();
        await assertAccessible(page);
        await enterCredential(page);
        await row(page, "models").getByText("Dangerous").waitFor();
        await assertAccessible(page);
        await choose(page, "Upload files", { name: "weights.bin", size: 10 });
        await page.getByText("There is a file of this name").waitFor();
        // On a phone, what is sent lies over the list.
        await button(page, "Hide files").click();
        await row(page, "config.json").getByRole("checkbox").check();
        await button(page, "Show files").click();
        await assertAccessible(page);
        await button(page, "Close uploads").click();
        await button(page, "Move").click();
        await page.getByRole("dialog").getByRole("treeitem", { name: "models" }).waitFor();
        await assertAccessible(page);
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        assert.equal(overflow, 0);
      });
    }
  },
});

Deno.test({
  name: "C 22, C 24: a credential that is revoked ends the session by itself, with the reason",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(1)).upload("inbox", { "a.txt": "a" });
    const parent = new Client(
      browser.server.url,
      await mintToken({ userId: 1, privileges: WORKER, jti: "parent" }),
    );
    const minted = await parent.json("POST", "/tokens/", { privileges: ["resources.view"] });
    const { data: { token, jti } } = JSON.parse(minted.text);
    const page = await browser.open("#/files/inbox");
    await page.getByLabel("Credential").fill(token);
    await button(page, "Sign in").click();
    await row(page, "a.txt").waitFor();
    const { status, text } = await parent.send("DELETE", `/tokens/${jti}`);
    assert.equal(status, 200, text);
    // Without a change to report, it would be noticed at the next sign of life, within 15 s.
    await parent.mkdir("inbox/new");
    await page.getByText(/revoked\. Sign in again to go on\./).waitFor();
    await enterCredential(page);
    await row(page, "a.txt").waitFor();
  },
});

Deno.test({
  name: "C 24 what has changed while the computer was offline is shown when it is online again",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ graceMs: 100 });
    const page = await browser.signIn();
    await page.getByText("No files yet").waitFor();
    const isEvents = (url: URL) => url.pathname === "/console/api/events/";
    await page.route(isEvents, (route) => route.abort());
    await browser.restart();
    await page.getByText("No connection to the server").waitFor();
    await (await browser.server.as(1)).mkdir("meanwhile");
    await page.unroute(isEvents);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await row(page, "meanwhile").waitFor();
  },
});

Deno.test({
  name: "C 24 what changes while a folder is listed is shown, too",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    for (const path of ["d/removed", "d/stays"]) await client.mkdir(path);
    const page = await browser.signIn();
    await row(page, "d").waitFor();
    await page.route(isListing, async (route) => {
      const response = await route.fetch();
      await client.mkdir("d/added");
      await client.remove({ path: "d/removed" });
      // This event comes after those.
      await client.mkdir("seen");
      await page.getByRole("treeitem", { name: "seen" }).waitFor();
      await route.fulfill({ response });
    });
    const folder = (name: string) => page.getByRole("treeitem", { name, exact: true });
    await folder("d").locator(".folder-chevron").click();
    await row(page, "d").getByRole("link").click();
    await row(page, "added").waitFor();
    // The list may have both, and is shown a moment before the events are.
    await row(page, "removed").waitFor({ state: "detached" });
    assert.deepEqual(await names(page), ["added", "stays"]);
    await folder("added").waitFor();
    await folder("removed").waitFor({ state: "detached" });
  },
});

function isListing({ pathname, searchParams }: URL): boolean {
  return pathname === "/console/api/resources/" && searchParams.get("path") === "d";
}

Deno.test({
  name: "C 24 deceptive names are shown with escapes, and work like any other",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start();
    const api = await browser.server.as(1);
    const hiding = ["a\u202egnp.exe", "b\u200bc.txt", "d\u2066e", "f\u3164g"];
    await api.upload("in\u2069ner", Object.fromEntries(hiding.map((it) => [it, "x"])));
    const page = await browser.signIn();
    await row(page, "in\\u{2069}ner").getByRole("link").click();
    await row(page, "a\\u{202e}gnp.exe").waitFor();
    assert.deepEqual(await names(page), [
      "a\\u{202e}gnp.exe",
      "b\\u{200b}c.txt",
      "d\\u{2066}e",
      "f\\u{3164}g",
    ]);
    await row(page, "b\\u{200b}c.txt").getByRole("checkbox").check();
    await button(page, "Delete").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Delete “b\\u{200b}c.txt”?").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await row(page, "b\\u{200b}c.txt").waitFor({ state: "detached" });
    const shown = await page.content();
    const hidden = /.{0,40}[\u200b\u202e\u2066\u2069\u3164].{0,40}/g;
    assert.deepEqual(shown.replaceAll(/ (?:href|data-path)="[^"]*"/g, "").match(hidden), null);
    await row(page, "d\\u{2066}e").click({ position: { x: 300, y: 10 } });
    await button(page, "Rename").click();
    assert.equal(await page.getByLabel("New name").inputValue(), "d\u2066e");
  },
});
