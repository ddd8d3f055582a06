import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import type { Role, Roles } from "../../core/people/roles.ts";
import { TestAuthenticator } from "../support/authenticator.ts";
import { addPerson, inviteTo, TestConsole } from "../support/console.ts";
import { Client, dataOf } from "../support/client.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import {
  type BrowserOptions,
  credentialOf,
  enterCredential,
  HAS_BROWSER,
  IS_FIREFOX,
  sessionOf,
  TestBrowser,
  WORKER,
} from "./browser.ts";
import { button, row } from "./files_page.ts";

const ignore = !HAS_BROWSER;
const ADMIN = [...WORKER, "resources.admin", "users.admin"];
/** Longer than the console waits until it asks again, in milliseconds. */
const AGAIN_MS = 31_000;

/** As when a person comes back to the window. */
const COME_BACK = `document.dispatchEvent(new Event("visibilitychange"))`;

/** What the stream of events has told the page so far is in `window.told`. */
const LISTEN = `{
  const real = window.fetch;
  window.told = "";
  window.fetch = async (...given) => {
    const response = await real(...given);
    if (!String(given[0]).includes("/events/") || response.body === null) return response;
    const [one, two] = response.body.tee();
    void (async () => {
      for await (const text of two.pipeThrough(new TextDecoderStream())) window.told += text;
    })().catch(() => {});
    return new Response(one, response);
  };
}`;

/** A test with a page of an administrator whose clock it moves, and another program of the same person. */
function withPage(
  hash: string,
  work: (page: Page, other: Client, browser: TestBrowser) => Promise<void>,
  options: BrowserOptions = {},
) {
  return async () => {
    await using browser = await TestBrowser.start(options);
    const page = await browser.context.newPage();
    await page.addInitScript(LISTEN);
    await page.clock.install();
    await page.goto(`${browser.origin}/${hash}`);
    // Who mints credentials has one that can be revoked.
    const claims = { userId: 1, privileges: ADMIN, jti: "main" };
    await enterCredential(page, claims);
    await work(page, new Client(browser.server.url, await credentialOf(claims)), browser);
  };
}

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const HISTORY = { settings: { history: 86_400_000 } };

Deno.test({
  name: "C 24 a page is shown however many changes come while it is loaded",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start(HISTORY);
    const other = await browser.server.as(1, ...WORKER);
    await other.upload("", { "old.txt": "old" });
    await other.remove({ path: "old.txt" });
    const page = await browser.signIn();
    // A reply takes longer than the console waits after an event.
    await page.route((url) => url.pathname.endsWith("/trash"), async (route) => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.fulfill({ response }).catch(() => {});
    });
    let isShown = false;
    const changes = (async () => {
      for (let index = 0; !isShown; index++) await other.put("busy.txt", `${index}`);
    })();
    try {
      await page.evaluate(`location.hash = "#/trash"`);
      await page.getByRole("link", { name: "old.txt" }).waitFor();
    } finally {
      isShown = true;
      await changes;
      await page.unrouteAll({ behavior: "ignoreErrors" });
    }
  },
});

Deno.test({
  name: "C 24 how long ago something was goes on while it is shown",
  ignore,
  fn: withPage("#/scans", async (page, other) => {
    await other.upload("", { "notes.txt": "notes" });
    // Nothing else has the page rendered anew.
    await page.waitForFunction(`window.told.includes("resource.added")`);
    await page.evaluate(`location.hash = "#/history/notes.txt"`);
    await page.getByRole("row", { name: /Added/ }).getByText("just now").waitFor();
    await page.clock.setSystemTime(Date.now() + 3 * 60_000);
    await page.evaluate(COME_BACK);
    await page.getByRole("row", { name: /Added/ }).getByText("3 minutes ago").waitFor();
  }, HISTORY),
});

Deno.test({
  name: "C 24 the page of a file leads to the newest report, whether its verdict is new or not",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", { "notes.txt": "notes" });
    await settledVerdicts(client);
    const page = await browser.signIn({}, "#/file/notes.txt");
    await region(page, "Verdict").getByText("Scanned", { exact: true }).waitFor();
    for (const number of [1, 2]) {
      await client.json("POST", "/scans/?wait=60", { path: "notes.txt" });
      await page.getByRole("link", { name: `Full report of scan ${number}` }).waitFor();
    }
  },
});

Deno.test({
  name: "C 24 a scan that begins while the list of scans is loaded is in it",
  ignore,
  fn: withPage("#/files", async (page, other) => {
    await other.upload("", { "notes.txt": "notes" });
    await row(page, "notes.txt").waitFor();
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const isList = ({ pathname }: URL) => pathname.endsWith("/scans/");
    await page.route(isList, async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await held.promise;
      await route.fulfill({ response });
    });
    await page.evaluate(`location.hash = "#/scans"`);
    await asked.promise;
    await other.json("POST", "/scans/?wait=60", { path: "notes.txt" });
    await page.waitForFunction(`window.told.includes("scan.finished")`);
    held.resolve();
    await page.getByRole("link", { name: "notes.txt" }).waitFor();
    await page.getByText("Nothing found").waitFor();
  }),
});

Deno.test({
  name: "C 24 verdicts by day follow files that are deleted",
  ignore,
  fn: withPage("#/scans", async (page, other) => {
    await other.upload("", { "a.txt": "a", "b.txt": "b" });
    await other.json("POST", "/scans/?wait=60", { paths: ["a.txt", "b.txt"] });
    const card = region(page, "Verdicts by day");
    const counted = async (words: string) => {
      await page.clock.fastForward(6000);
      return await card.getByText(words, { exact: true }).count() > 0;
    };
    await until(() => counted("2 files"));
    await other.remove({ path: "a.txt" });
    await page.waitForFunction(`window.told.includes("resource.deleted")`);
    await until(() => counted("1 file"));
  }),
});

Deno.test({
  name: "C 24 what one card of Access changes, or a file, is seen in the others",
  ignore,
  fn: withPage("#/access", async (page, other, browser) => {
    const made = dataOf(
      await other.json("POST", "/tokens/", {
        privileges: ["resources.view", "resources.download"],
        label: "sharing",
      }),
    );
    assert.ok(typeof made === "object" && made !== null && "token" in made);
    const usage = region(page, "The shown tree");
    await usage.getByText("0 in 0 folders").waitFor();
    await other.upload("d", { "a.txt": "a", "b.txt": "b" });
    await usage.getByText("2 in 1 folder").waitFor();
    const program = new Client(browser.server.url, String(made.token));
    for (const path of ["d/a.txt", "d/b.txt"]) {
      await program.json("POST", "/links/", { path, expires_in: "1d" });
    }
    await page.clock.fastForward(AGAIN_MS);
    const links = region(page, "Links");
    await links.getByRole("row", { name: /b\.txt Active/ }).waitFor();
    await other.remove({ path: "d/a.txt" });
    await links.getByRole("row", { name: /a\.txt Its file is gone/ }).waitFor();
    await button(region(page, "Credentials"), "Revoke sharing").click();
    await button(page.getByRole("dialog"), "Revoke").click();
    await links.getByRole("row", { name: /b\.txt Ended with its credential/ }).waitFor();
    await region(page, "Audit log").getByRole("row", { name: /Credential sharing/ }).first()
      .waitFor();
  }),
});

Deno.test({
  name: "C 24 what other people change is seen in Access and among tags, without an event",
  ignore,
  fn: withPage("#/access", async (page, other, browser) => {
    const claims = { userId: 1000, privileges: ADMIN, jti: "other" };
    const admin = new Client(browser.server.url, await credentialOf(claims));
    for (const name of ["Waivers", "Credentials", "People", "Teams"]) {
      await region(page, name).waitFor();
    }
    await region(page, "Where you are signed in").getByText("This one").waitFor();
    await admin.json("POST", "/waivers/", { sha256: "a".repeat(64), reason: "reviewed" });
    await admin.json("POST", "/tokens/", { privileges: ["resources.view"], label: "of another" });
    await admin.json("POST", "/users/", { name: "ana", groups: [] });
    await admin.json("POST", "/teams/", { name: "vision" });
    await sessionOf(browser.server);
    await page.clock.fastForward(AGAIN_MS);
    await region(page, "Waivers").getByText("reviewed").waitFor();
    await region(page, "Credentials").getByText("of another").waitFor();
    await region(page, "People").getByText("ana").waitFor();
    await region(page, "Teams").getByText("vision").waitFor();
    await region(page, "Where you are signed in").getByRole("button", { name: /^End / }).waitFor();
    await region(page, "Audit log").getByRole("row", { name: /Waiver 1/ }).waitFor();

    await page.evaluate(`location.hash = "#/tags"`);
    await page.getByText("There are no tags.").waitFor();
    await other.upload("", { "a.txt": "a" });
    await other.json("POST", "/tags/", { name: "v1", path: "" });
    // Who comes back to a window sees what is there.
    await page.evaluate(COME_BACK);
    await page.getByRole("link", { name: "v1" }).waitFor();
  }),
});

for (const isListFirst of [true, false]) {
  Deno.test({
    name: "C 24 a change between the list and the stream of events of a tree is shown, where the " +
      (isListFirst ? "list" : "stream") + " comes first",
    ignore,
    async fn() {
      await using browser = await TestBrowser.start();
      const other = await browser.server.as(1, ...WORKER);
      await other.upload("", { "old.txt": "old" });
      await browser.context.addCookies([await sessionOf(browser.server)]);
      const page = await browser.context.newPage();
      await page.addInitScript(LISTEN);
      const [listed, changed, streamed] = Array.from(
        { length: 3 },
        () => Promise.withResolvers<void>(),
      );
      await page.route((url) => url.pathname.endsWith("/resources/"), async (route) => {
        const response = await route.fetch();
        listed?.resolve();
        if (!isListFirst) await streamed?.promise;
        await route.fulfill({ response });
      });
      await page.route((url) => url.pathname.endsWith("/events/"), async (route) => {
        await changed?.promise;
        await route.continue();
      });
      await page.goto(`${browser.origin}/#/files`);
      await listed?.promise;
      if (isListFirst) await row(page, "old.txt").waitFor();
      await other.upload("", { "new.txt": "new" });
      changed?.resolve();
      // What waits for a function evaluates it in the page, which its policy forbids in Firefox.
      await until(() => page.evaluate<boolean>(`window.told.includes("id: ")`));
      streamed?.resolve();
      await row(page, "new.txt").waitFor();
    },
  });
}

Deno.test({
  name: "C 24 what is said of a file in the way of an upload follows that file",
  ignore,
  fn: withPage("#/files", async (page, other) => {
    await other.upload("", { "a.txt": "as before" });
    await row(page, "a.txt").waitFor();
    await page.locator('input[aria-label="Upload files"]').setInputFiles({
      name: "a.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("newer"),
    });
    await page.getByText("There is a file of this name: 9 bytes").waitFor();
    await other.put("a.txt", "replaced meanwhile");
    await page.getByText("There is a file of this name: 18 bytes").waitFor();
    await other.move({ source: "a.txt", destination: "b.txt" });
    await page.getByText("There was a file of this name, which is gone now").waitFor();
    await button(page, "Replace a.txt").click();
    await row(page, "a.txt").getByText("5 bytes").waitFor();
    await row(page, "b.txt").getByText("18 bytes").waitFor();
  }),
});

Deno.test({
  name: "C 27 a page follows what its person may do, and has not loaded anything again otherwise",
  ignore: ignore || IS_FIREFOX,
  async fn() {
    const roles: Roles = new Map<string, Role>([
      ["readers", { privileges: ["resources.view"], trees: {} }],
      ["vision", { privileges: [], trees: { vision: ["resources.view"] } }],
    ]);
    await using browser = await TestBrowser.start({ roles });
    const { server } = browser;
    const admin = await server.as(1000, ...ADMIN);
    await admin.json("POST", "/teams/", { name: "vision" });
    await addPerson(admin, "bob", ["readers"]);
    const bob = new TestConsole(server);
    await bob.accept(await inviteTo(admin, "bob"), new TestAuthenticator());
    const [name = "", value = ""] = bob.cookie.split("=");
    await browser.context.addCookies([{ name, value, url: `${server.origin}/console/` }]);
    const page = await browser.open("#/files");
    await page.getByText("No files yet").waitFor();
    const lists: string[] = [];
    page.on("request", (it) => void (it.url().includes("/resources/") && lists.push(it.url())));
    const seen = async () => {
      const asked = page.waitForResponse((it) => it.url().endsWith("/console/session"));
      await page.evaluate(COME_BACK);
      await asked;
    };
    await seen();
    await seen();
    assert.deepEqual(lists, []);
    assert.equal(await page.getByLabel("Tree", { exact: true }).count(), 0);
    const changed = await admin.json("PATCH", "/users/bob", { groups: ["readers", "vision"] });
    assert.equal(changed.status, 200, changed.text);
    const choice = page.getByLabel("Tree", { exact: true });
    await until(async () => {
      await seen();
      return await choice.count() === 1;
    });
    await choice.selectOption("vision");
    await page.getByText("No files yet").waitFor();
  },
});
