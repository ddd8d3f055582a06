import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, choose, goBack, names, row } from "./files_page.ts";

/** A page of a person, and another program of the same person. */
function withOther(
  work: (page: Page, other: Client, browser: TestBrowser) => Promise<void>,
): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start();
    const other = await browser.server.as(1);
    await other.upload("models/a", { "x.txt": "x", "y.txt": "y" });
    await work(await browser.signIn(), other, browser);
  };
}

const ignore = !HAS_BROWSER;
const hashOf = (page: Page) => page.evaluate<string>("location.hash");

Deno.test({
  name:
    "C 24 an open folder that another client moves, or whose parent is moved, stays open where it is",
  ignore,
  fn: withOther(async (page, other) => {
    await page.goto(`${page.url().replace(/#.*/, "")}#/files/models/a`);
    await row(page, "x.txt").waitFor();
    await other.move({ source: "models/a", destination: "models/b" });
    await page.getByText("“models/a” was moved to “models/b”").waitFor();
    assert.equal(await hashOf(page), "#/files/models/b");
    await row(page, "x.txt").waitFor();
    await other.move({ source: "models", destination: "other" });
    await page.getByText("“models/b” was moved to “other/b”").waitFor();
    await choose(page, "Upload files", { name: "new.txt", size: 3 });
    await row(page, "new.txt").waitFor();
    // The folder where it was is not made again.
    assert.deepEqual(
      await other.tree(),
      ["other", "other/b", "other/b/new.txt", "other/b/x.txt", "other/b/y.txt"],
    );
    // Nor does the way back lead there.
    await goBack(page);
    assert.equal(await hashOf(page), "");
  }),
});

Deno.test({
  name: "C 24 an open folder that is deleted says so, and leads to the one above",
  ignore,
  fn: withOther(async (page, other) => {
    await page.goto(`${page.url().replace(/#.*/, "")}#/files/models/a`);
    await row(page, "x.txt").waitFor();
    await other.remove({ path: "models/a" });
    await page.getByText("This folder does not exist").waitFor();
    await page.getByRole("link", { name: "Open the folder above" }).click();
    await page.getByText("This folder is empty").waitFor();
    assert.equal(await hashOf(page), "#/files/models");
  }),
});

Deno.test({
  name: "C 24 the page of a file follows it when another client renames it",
  ignore,
  fn: withOther(async (page, other) => {
    await page.goto(`${page.url().replace(/#.*/, "")}#/file/models/a/x.txt`);
    await page.getByRole("heading", { name: "x.txt" }).waitFor();
    await other.move({ source: "models/a/x.txt", destination: "models/a/z.txt" });
    await page.getByRole("heading", { name: "z.txt" }).waitFor();
    assert.equal(await hashOf(page), "#/file/models/a/z.txt");
  }),
});

Deno.test({
  name: "C 24 what a search has found changes with the files",
  ignore,
  fn: withOther(async (page, other) => {
    await row(page, "models").waitFor();
    await page.getByLabel("Search in this folder and below").fill("a/");
    const shows = (text: string) => page.getByRole("grid").getByText(text);
    await shows("models/a/x.txt").waitFor();
    await other.upload("models/a", { "new.txt": "new" });
    await shows("models/a/new.txt").waitFor();
    await other.remove({ path: "models/a/x.txt" });
    await shows("models/a/x.txt").waitFor({ state: "detached" });
    await other.move({ source: "models/a/y.txt", destination: "y.txt" });
    await shows("models/a/y.txt").waitFor({ state: "detached" });
    assert.deepEqual(await names(page), ["models/a/new.txt"]);
  }),
});

Deno.test({
  name:
    "C 24 the address of a file that is a folder leads to the folder, and back to where one was",
  ignore,
  fn: withOther(async (page) => {
    await row(page, "models").waitFor();
    await page.evaluate("location.hash = '#/file/models'");
    await row(page, "a").waitFor();
    assert.equal(await hashOf(page), "#/files/models");
    await goBack(page);
    await button(page, "New folder").waitFor();
    await row(page, "models").waitFor();
  }),
});

Deno.test({
  name:
    "C 24 a selection is deleted whatever its length, and so is the rest of one of which a part is gone",
  ignore,
  fn: withOther(async (page, other) => {
    const shard = (index: number) => `model-00${index}-of-00800-${"a long name ".repeat(5)}.txt`;
    const shards = Array.from({ length: 800 }, (_, index) => [shard(index), `${index}`]);
    await other.upload("shards", Object.fromEntries(shards));
    await page.goto(`${page.url().replace(/#.*/, "")}#/files/shards`);
    await row(page, shard(0)).waitFor();
    await page.getByLabel("Select all").check();
    await button(page, "Delete").click();
    // The console learns of it only after the question has been asked.
    await other.remove({ path: `shards/${shard(1)}` });
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted 799 files; one was gone already").waitFor();
    assert.deepEqual(
      (await other.tree()).filter((path) => path.startsWith("shards")),
      ["shards"],
    );
  }),
});
