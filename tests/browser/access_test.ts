import * as assert from "node:assert/strict";
import { dirname } from "node:path";
import { Client } from "../support/client.ts";
import { HUB_VERSIONS } from "../support/hub_clients.ts";
import { mintToken } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button } from "./files_page.ts";

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
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();

    await t.step("privileges, one a row", async () => {
      await page.getByRole("row", { name: "Upload files resources.upload Yes" }).waitFor();
      await page.getByRole("row", { name: "Read the metrics metrics.view No" }).waitFor();
      await page.getByText("1 in 1 folder").waitFor();
      const waivers = page.getByRole("region", { name: "Waivers" });
      await waivers.getByText("lacks the privilege resources.admin").waitFor();
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
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
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
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    await page.getByRole("row", { name: "User 7 resources.view, resources.delete" }).waitFor();
    await page.getByRole("row", { name: "Delete resources.delete No" }).waitFor();
    await page.getByRole("button", { name: "Show tree 7" }).click();
    await page.getByRole("row", { name: "Delete resources.delete Yes" }).waitFor();
  },
});

Deno.test({
  name: "C 24: a credential is made, shown once, copied and revoked in the room Access",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await browser.signIn({
      jti: "main",
      trees: { "7": ["resources.view"] },
      ttlSeconds: 7200,
    });
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    const card = page.getByRole("region", { name: "Credentials" });
    const dialog = page.getByRole("dialog");
    let token = "";

    await t.step("nothing is recorded at first", async () => {
      await card.getByText("No credential is recorded.").waitFor();
    });
    await t.step("one that would permit nothing is refused in the dialog", async () => {
      await card.getByRole("button", { name: "New credential" }).click();
      await dialog.getByRole("button", { name: "Create" }).click();
      await dialog.getByRole("alert").waitFor();
      await assertAccessible(page);
    });
    await t.step("one with some of the own privileges is made", async () => {
      await dialog.getByLabel("What it is for").fill("<b>nightly</b> sync");
      const own = dialog.getByRole("group", { name: "It may" }).first();
      await own.getByLabel("See files, folders and verdicts").check();
      await own.getByLabel("Upload files").check();
      await own.getByLabel("Upload files").uncheck();
      assert.equal(await own.getByLabel("Read the metrics").count(), 0);
      const shared = dialog.getByRole("group", { name: "In the tree of user 7, it may" });
      await shared.getByLabel("See files, folders and verdicts").check();
      assert.equal(await shared.getByLabel("Delete").count(), 0);
      const lifetimes = await dialog.getByLabel("It expires").locator("option").allTextContents();
      assert.deepEqual(lifetimes, ["With your credential, after a year at most", "In 1 hour"]);
      await dialog.getByLabel("It expires").selectOption("In 1 hour");
      await dialog.getByLabel("For which clients").selectOption(
        "Clients that need it short (hf_…)",
      );
      await dialog.getByRole("button", { name: "Create" }).click();
    });
    await t.step("its token is shown and copied, and works", async () => {
      await page.getByRole("heading", { name: "Your new credential" }).waitFor();
      token = await dialog.getByLabel("Token").inputValue();
      // C 31
      assert.match(token, /^hf_\w{37}$/);
      await button(dialog, "Copy").click();
      await page.getByText("Copied the credential").waitFor();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), token);
      await assertAccessible(page);
      await dialog.getByRole("button", { name: "Done" }).click();
      const client = new Client(browser.server.url, token);
      assert.equal((await client.list()).status, 200);
      assert.equal((await client.inTree(7).list()).status, 200);
      assert.equal((await client.mkdir("a")).status, 403);
    });
    await t.step("it is listed without the token", async () => {
      const row = card.getByRole("row", { name: "<b>nightly</b> sync" });
      await row.getByText("resources.view; tree 7: resources.view").waitFor();
      await row.getByText("Expires").waitFor();
      assert.equal((await page.content()).includes(token), false);
      await assertAccessible(page);
    });
    await t.step("it is revoked", async () => {
      await card.getByRole("button", { name: "Revoke <b>nightly</b> sync" }).click();
      await dialog.getByText("and those that it has made, are refused").waitFor();
      await dialog.getByRole("button", { name: "Revoke" }).click();
      await card.getByRole("cell", { name: "Revoked just now" }).waitFor();
      assert.equal((await new Client(browser.server.url, token).list()).status, 401);
    });
  },
});

Deno.test({
  name: "C 27 a credential for hf is made and copied in two clicks, and hf logs in by the line",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    await using home = await TempDir.make();
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const trees = { "7": ["resources.view"] };
    const page = await browser.signIn({ jti: "main", trees }, "#/access");
    await button(page, "Credential for hf").click();
    await button(page, "Copy the line that logs hf in").click();
    await page.getByText("Copied the line").waitFor();
    await assertAccessible(page);
    const line = await page.evaluate<string>("navigator.clipboard.readText()");
    const [, token = ""] =
      /^export HF_ENDPOINT=\S+\/hub HF_HUB_DISABLE_XET=1; hf auth login --token (hf_\w+)$/
        .exec(line) ?? [];
    const client = new Client(browser.server.url, token);
    assert.equal((await client.put("a", "a")).status, 201);
    assert.equal((await client.inTree(7).list()).status, 200);
    assert.equal((await client.send("GET", "/capacity/")).status, 403);
    const [version] = HUB_VERSIONS;
    if (version === undefined) return;
    const { code, stdout, stderr } = await run("sh", ["-c", `${line} && hf auth whoami`], {
      env: { HOME: home.path, PATH: `${dirname(version.python)}:${Deno.env.get("PATH")}` },
    });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /\b1\b/);
  },
});

Deno.test({
  name: "C 24: the audit log is searched in the room Access, and read on",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    for (let index = 0; index < 60; index++) await client.mkdir(`folder-${index}`);
    await client.remove({ path: "folder-7" });
    await (await browser.server.as(8)).mkdir("of another");
    const page = await browser.signIn();
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    const card = page.getByRole("region", { name: "Audit log" });
    const rows = card.getByRole("group", { name: "Audit log" }).getByRole("row");

    await t.step("what was done in the person's name, newest first", async () => {
      await card.getByText("What was done in your name").waitFor();
      await rows.nth(1).getByText("folder-7", { exact: true }).waitFor();
      assert.equal(await rows.count(), 51);
      assert.equal(await card.getByText("of another").count(), 0);
      assert.equal(await card.getByLabel("User", { exact: true }).count(), 0);
      await assertAccessible(page);
    });
    await t.step("more on request", async () => {
      await card.getByRole("button", { name: "More of the audit log" }).click();
      await card.getByText("folder-0", { exact: true }).waitFor();
      assert.equal(await rows.count(), 62);
      assert.equal(await card.getByRole("button", { name: "More of the audit log" }).count(), 0);
    });
    await t.step("filtered by what was done, and where", async () => {
      await card.getByLabel("Action").fill("resources.delete");
      await card.getByRole("button", { name: "Search" }).click();
      await rows.nth(1).getByText("folder-7", { exact: true }).waitFor();
      assert.equal(await rows.count(), 2);
      await card.getByLabel("Action").fill("");
      await card.getByLabel("Path begins with").fill("folder-59");
      await card.getByLabel("From").fill("2020-01-01");
      await card.getByRole("button", { name: "Search" }).click();
      await rows.nth(1).getByText("folder-59").waitFor();
      assert.equal(await rows.count(), 2);
      await card.getByLabel("Outcome").selectOption("Not permitted");
      await card.getByRole("button", { name: "Search" }).click();
      await card.getByText("No line matches.").waitFor();
    });
  },
});

Deno.test({
  name: "C 24: an administrator sees the credentials and the audit log of all users",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const other = await mintToken({ userId: 8, privileges: WORKER, jti: "of 8" });
    const client = new Client(browser.server.url, other);
    await client.json("POST", "/tokens/", { privileges: ["resources.view"], label: "theirs" });
    await client.mkdir("of another");
    const page = await browser.signIn({ privileges: ["resources.admin"], jti: "admin" });
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    const tokens = page.getByRole("region", { name: "Credentials" });
    await tokens.getByRole("row", { name: "theirs User 8" }).waitFor();
    const audit = page.getByRole("region", { name: "Audit log" });
    await audit.getByRole("row", { name: "of another" }).waitFor();
    await audit.getByLabel("User", { exact: true }).fill("9");
    await audit.getByRole("button", { name: "Search" }).click();
    await audit.getByText("No line matches.").waitFor();
  },
});

Deno.test({
  name: "C 24: what concerns no tree counts by the own privileges, and says so",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const page = await browser.signIn({
      privileges: ["resources.view", "capacity.view"],
      trees: { "7": ["resources.view", "resources.admin"] },
    });
    await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Access" })
      .click();
    await page.getByRole("button", { name: "Show tree 7" }).click();
    const waivers = page.getByRole("region", { name: "Waivers" });
    await waivers.getByText("in all trees").waitFor();
    await page.getByRole("link", { name: "Capacity" }).click();
    await page.getByText("Pressure:").waitFor();
  },
});
