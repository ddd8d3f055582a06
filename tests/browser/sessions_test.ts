import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { mintToken } from "../support/server.ts";
import { enterCredential, HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, choose, names, row } from "./files_page.ts";

const ignore = !HAS_BROWSER;

/** Two users with files of the same names, and a team. */
async function twoPeople(): Promise<TestBrowser> {
  const browser = await TestBrowser.start();
  for (const [user, own] of [[1, "of one"], [2, "of two"], [7, "of the team"]] as const) {
    await (await browser.server.as(user)).upload("", { "a.txt": own, [own]: own });
  }
  return browser;
}

/** Revokes a credential, and makes the page notice it by a change in the tree that it shows. */
async function revoke(browser: TestBrowser, jti: string, tree: number): Promise<void> {
  const { status } = await (await browser.server.admin()).send("DELETE", `/tokens/${jti}`);
  assert.equal(status, 200);
  await (await browser.server.as(tree)).mkdir(`made for ${jti}`);
}

async function ended(page: Page): Promise<void> {
  await page.getByText("Sign in again to go on.").waitFor();
}

Deno.test({
  name: "C 31 an open question of a person whose session has ended is not there for the next one",
  ignore,
  async fn() {
    await using browser = await twoPeople();
    const page = await browser.signIn({ jti: "of one" });
    await row(page, "a.txt").getByRole("checkbox").check();
    await button(page, "Delete").click();
    const question = page.getByRole("dialog");
    await question.getByText("Delete “a.txt”?").waitFor();
    await revoke(browser, "of%20one", 1);
    await ended(page);
    assert.equal(await question.count(), 0);
    await enterCredential(page, { userId: 2 });
    await row(page, "of two").waitFor();
    assert.equal(await question.count(), 0);
    assert.doesNotMatch(await page.content(), /of one/);
    assert.deepEqual(await names(page), ["a.txt", "of two"]);
    assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 0);
    assert.deepEqual(await (await browser.server.as(2)).tree(), ["a.txt", "of two"]);
  },
});

Deno.test({
  name: "C 31 the chosen tree, messages and uploads of a person are not there for the next one",
  ignore,
  async fn() {
    await using browser = await twoPeople();
    const both = { "7": ["resources.view", "resources.upload"] };
    const page = await browser.signIn({ jti: "one", trees: both });
    await page.getByLabel("Tree", { exact: true }).selectOption("Tree 7");
    await row(page, "of the team").waitFor();
    await choose(page, "Upload files", { name: "of the team", size: 10 });
    await page.getByText("There is a file of this name").waitFor();
    await page.evaluate("location.hash = '#/files/secret'");
    await page.getByText("This folder does not exist").waitFor();
    await revoke(browser, "one", 7);
    await ended(page);
    // The second person may use that tree, too.
    await enterCredential(page, { userId: 2, trees: both });
    await row(page, "of two").waitFor();
    assert.equal(await page.getByLabel("Tree", { exact: true }).inputValue(), "2");
    assert.doesNotMatch(await page.content() + page.url(), /secret|of the team/);
    await choose(page, "Upload files", { name: "new.txt", size: 10 });
    await row(page, "new.txt").waitFor();
    const inTeam = await (await browser.server.as(7)).tree();
    assert.ok(!inTeam.includes("new.txt"));
  },
});

Deno.test({
  name: "C 31 all windows of a browser show the person who signed in last, or none",
  ignore,
  async fn(t) {
    await using browser = await twoPeople();
    const one = await browser.signIn();
    const two = await browser.open();
    await row(two, "of one").waitFor();

    await t.step("signing out signs out the other window", async () => {
      await button(one, "Sign out").click();
      await one.getByLabel("Credential").waitFor();
      await two.getByLabel("Credential").waitFor();
      assert.equal(await two.getByRole("grid").count(), 0);
    });
    await t.step("and signing in signs in there", async () => {
      await enterCredential(one, { userId: 2 });
      await row(two, "of two").waitFor();
      await two.getByText("User 2").waitFor();
    });
    await t.step("the same person goes on in both with another session", async () => {
      await row(two, "a.txt").getByRole("checkbox").check();
      // The changes of the new session are followed only after one has happened.
      const isMade = Promise.withResolvers<void>();
      const isEvents = (url: URL) => url.pathname.endsWith("/events/");
      await two.route(isEvents, async (route) => {
        await isMade.promise;
        await route.continue();
      });
      const follows = two.waitForRequest((request) => isEvents(new URL(request.url())));
      await two.evaluate(`fetch("/console/session", {
        method: "POST",
        headers: { "X-Strongroom-Console": "none", "Content-Type": "application/json" },
        body: ${
        JSON.stringify(
          JSON.stringify({ credential: await mintToken({ userId: 2, privileges: WORKER }) }),
        )
      },
      }).then(() => new BroadcastChannel("strongroom_session").postMessage(null))`);
      await follows;
      await (await browser.server.as(2)).mkdir("later");
      isMade.resolve();
      for (const page of [one, two]) await row(page, "later").waitFor();
    });
    await t.step("a window that was told nothing does nothing for the other person", async () => {
      const { cookies } = await browser.context.storageState();
      await one.evaluate("delete window.BroadcastChannel");
      await row(one, "a.txt").getByRole("checkbox").check();
      await button(one, "Delete").click();
      // As a browser does whose other window has signed user 1 in.
      const client = await fetch(`${browser.server.origin}/console/session`, {
        method: "POST",
        headers: { "X-Strongroom-Console": "none", "Content-Type": "application/json" },
        body: JSON.stringify({
          credential: await mintToken({ userId: 1, privileges: WORKER }),
        }),
      });
      await client.body?.cancel();
      const [pair = ""] = (client.headers.get("Set-Cookie") ?? "").split(";");
      const [name = "", value = ""] = pair.split("=");
      const [former] = cookies;
      assert.ok(former);
      await browser.context.addCookies([{ ...former, name, value }]);
      await one.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await one.getByText("Another session has begun in this browser").waitFor();
      for (const user of [1, 2]) {
        const files = await (await browser.server.as(user)).tree();
        assert.ok(files.includes("a.txt"), `user ${user}`);
      }
    });
  },
});
