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
    const page = await browser.signIn({ privileges: [...WORKER, "resources.admin"] });
    await row(page, "of one.txt").waitFor();
    const choice = page.getByLabel("Tree", { exact: true });

    await t.step("by the number of its user", async () => {
      await choice.selectOption("Another tree…");
      const number = page.getByLabel("Number of its user");
      await number.fill("seven");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByRole("alert").getByText("The number of a user is 1 or more").waitFor();
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
