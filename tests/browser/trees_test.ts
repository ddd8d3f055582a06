import * as assert from "node:assert/strict";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { row } from "./files_page.ts";

Deno.test({
  name: "C 19, C 24: an administrator chooses any tree, and its address keeps it",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(7)).upload("folder", { "of seven.txt": "7" });
    await (await browser.server.as(1)).upload("", { "of one.txt": "1" });
    const admin = await browser.server.admin();
    await admin.inTree(9).upload("", { "of the team.txt": "9" });
    const page = await browser.signIn({ privileges: [...WORKER, "resources.admin"] });
    await row(page, "of one.txt").waitFor();
    const choice = page.getByLabel("Tree", { exact: true });

    await t.step("C 27 by the name of its user, once somebody has it", async () => {
      await choice.selectOption("Another tree…");
      const named = page.getByLabel("Name or number of its user or team");
      await named.fill("vision");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByRole("alert").getByText('No team "vision"').waitFor();
      await admin.json("POST", "/teams/", { name: "vision", number: 9 });
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await row(page, "of the team.txt").waitFor();
      assert.equal(await choice.locator("option:checked").innerText(), "vision");
      assert.equal(new URL(page.url()).hash, "#/files?tree=9");
    });
    await t.step("by the number of its user", async () => {
      await choice.selectOption("Another tree…");
      const number = page.getByLabel("Name or number of its user or team");
      await number.fill("7");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await row(page, "folder").waitFor();
      assert.equal(await choice.inputValue(), "7");
    });
    await t.step("after a reload, and in another window", async () => {
      await row(page, "folder").getByRole("link", { name: "folder" }).first().click();
      await row(page, "of seven.txt").waitFor();
      assert.equal(new URL(page.url()).hash, "#/files/folder?tree=7");
      await page.reload();
      await row(page, "of seven.txt").waitFor();
      const other = await browser.open("#/file/folder/of%20seven.txt?tree=7");
      await other.getByRole("heading", { name: "of seven.txt" }).waitFor();
    });
    await t.step("Back leads to the tree before", async () => {
      await page.goBack();
      await row(page, "folder").waitFor();
      await page.goBack();
      await row(page, "of the team.txt").waitFor();
      await page.goBack();
      await row(page, "of one.txt").waitFor();
      assert.equal(await choice.inputValue(), "1");
    });
  },
});

Deno.test({
  name: "C 19, C 24: who must sign in first comes to the tree that the address names",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    await (await browser.server.as(7)).upload("", { "of seven.txt": "7" });
    const page = await browser.signIn({ trees: { "7": ["resources.view"] } }, "#/files?tree=7");
    await row(page, "of seven.txt").waitFor();
    assert.equal(await page.getByLabel("Tree", { exact: true }).inputValue(), "7");
  },
});
