import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { items } from "../support/client.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, row } from "./files_page.ts";

/** Moves or copies what is selected to a folder, by the dialog that asks where to. */
async function transfer(page: Page, verb: "Move" | "Copy", destination: string): Promise<void> {
  await button(page, verb).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Folder", { exact: true }).fill(destination);
  await dialog.getByRole("button", { name: verb, exact: true }).click();
}

Deno.test({
  name: "C 24 what is moved or copied to a folder ends in it, or is refused",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    await client.upload("from/folder", { f: "1" });
    await client.upload("from", { g: "2", h: "3" });
    await client.upload("folder", { other: "4" });
    await client.mkdir("to");
    const page = await browser.signIn({}, "#/files/from");
    const select = async (...names: string[]) => {
      await page.keyboard.press("Escape");
      for (const name of names) await row(page, name).getByRole("checkbox").check();
    };
    const has = async (...paths: string[]) => {
      const listed = items(await client.list({ recursive: "true" })).map(({ path }) => path);
      for (const path of paths) assert.ok(listed.includes(path), `${path} is not in ${listed}`);
    };

    await t.step("a folder is copied into one that exists", async () => {
      await select("folder");
      await transfer(page, "Copy", "to");
      await page.getByText("Copied “folder” to “to”").waitFor();
      await has("to/folder/f");
    });
    await t.step("a folder does not end in one of its name", async () => {
      await transfer(page, "Move", "");
      await page.getByText("“folder” exists already").waitFor();
      await page.keyboard.press("Escape");
      await has("from/folder/f");
      await row(page, "folder").getByRole("checkbox").uncheck();
    });
    await t.step("files are copied to the top folder", async () => {
      await select("g", "h");
      await transfer(page, "Copy", "");
      await page.getByText("Copied 2 files to the top folder").waitFor();
      await has("g", "h");
      await row(page, "h").getByRole("checkbox").uncheck();
    });
    await t.step("a file is moved into a new folder", async () => {
      await transfer(page, "Move", "new");
      await page.getByText("Moved “g” to “new”").waitFor();
      await has("new/g");
    });
  },
});
