import * as assert from "node:assert/strict";
import { mintToken } from "../support/server.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";

const SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

Deno.test({
  name: "C 24: the room Access shows what the credential permits, and revokes links",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("models", { "a.txt": "hello" });
    const { text } = await client.send("POST", "/links/", {
      headers: { "Content-Type": "application/json" },
      body: `{"path":"models/a.txt","expires_in":"1d"}`,
    });
    const { data: { url } } = JSON.parse(text);
    const page = await browser.signIn();
    await page.getByRole("link", { name: "Access" }).click();

    await t.step("privileges, one a row", async () => {
      await page.getByRole("row", { name: "Upload files resources.upload Yes" }).waitFor();
      await page.getByRole("row", { name: "Read the metrics metrics.view No" }).waitFor();
      await page.getByText("1 in 1 folder").waitFor();
      assert.equal(await page.getByRole("region", { name: "Waivers" }).count(), 0);
      await assertAccessible(page);
    });
    await t.step("a link is revoked", async () => {
      await page.getByRole("row", { name: "models/a.txt Active User 1" }).waitFor();
      await page.getByRole("button", { name: "Revoke link 1" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("There are no links.").waitFor();
      assert.equal((await fetch(url)).status, 404);
    });
  },
});

Deno.test({
  name: "C 24: administrators add waivers and remove them in the room Access",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { gate: "mark" } });
    const page = await browser.signIn({ privileges: [...WORKER, "resources.admin"] });
    await page.getByRole("link", { name: "Access" }).click();
    await page.getByText("There are no waivers.").waitFor();
    await page.getByRole("button", { name: "New waiver" }).click();
    await page.getByLabel("SHA-256 of the content").fill(SHA256);
    await page.getByLabel("Reason").fill("<b>reviewed</b>");
    await page.getByRole("button", { name: "Let it through" }).click();
    await page.getByRole("cell", { name: "<b>reviewed</b>" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Remove waiver 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("There are no waivers.").waitFor();
  },
});

Deno.test({
  name: "C 24: shared trees of the credential are listed, and one is shown on request",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.context.newPage();
    await page.goto(browser.server.origin);
    const credential = await mintToken({
      userId: 1,
      privileges: ["resources.view"],
      trees: { "7": ["resources.view", "resources.delete"] },
    });
    await page.getByLabel("Credential").fill(credential);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Access" }).click();
    await page.getByRole("row", { name: "User 7 resources.view, resources.delete" }).waitFor();
    await page.getByRole("row", { name: "Delete resources.delete No" }).waitFor();
    await page.getByRole("button", { name: "Show tree 7" }).click();
    await page.getByRole("row", { name: "Delete resources.delete Yes" }).waitFor();
  },
});
