import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, IS_FIREFOX, TestBrowser } from "./browser.ts";
import { button, goBack, names, row } from "./files_page.ts";

/** A page with some files and folders. */
function withFiles(work: (page: Page, other: Client) => Promise<void>): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start();
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const other = await browser.server.as(1);
    await other.upload("models", { "x.txt": "x", "y.txt": "y" });
    await other.upload("", { "alpha.txt": "a", "beta.txt": "b", "zeta.txt": "z" });
    const page = await browser.signIn();
    await row(page, "zeta.txt").waitFor();
    await work(page, other);
  };
}

const ignore = !HAS_BROWSER;
const item = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });
const labels = (page: Page) => page.getByRole("menuitem").locator("span").allTextContents();
const focused = (page: Page) => page.evaluate(`document.activeElement.textContent`);
const copied = (page: Page) => page.evaluate(`navigator.clipboard.readText()`);
const OF_FILE = [
  "Download",
  "Rename",
  "Move",
  "Copy",
  "Share",
  "Scan",
  "History",
  "New tag…",
  "Copy path",
  "Copy digest",
  "Delete",
];

/** Renames the next file that begins with a letter, by the keyboard, so that a message tells of it. */
async function rename(page: Page, letter: string, to: string): Promise<void> {
  await page.getByRole("grid").focus();
  await page.keyboard.press(letter);
  await page.keyboard.press("F2");
  await page.getByLabel("New name").fill(to);
  await page.keyboard.press("Enter");
  await row(page, to).waitFor();
  // An event shows the row before the reply ends the dialog.
  await button(page, "Undo").waitFor();
  await page.locator(".grid:focus").waitFor();
}

Deno.test({
  name: "C 24 a row has a menu by its button, the other mouse button and the keyboard",
  ignore,
  fn: withFiles(async (page) => {
    await button(page, "Actions for alpha.txt").click();
    await page.getByRole("menu").waitFor();
    assert.deepEqual(await labels(page), ["Open", ...OF_FILE]);
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.locator(".grid:focus .grid-row.is-active").getByText("alpha.txt").waitFor();

    await row(page, "models").click({ button: "right" });
    assert.ok(!(await labels(page)).includes("Copy digest"), "a folder has no digest");
    await item(page, "Copy path").click();
    await page.getByText("Copied the path").waitFor();
    assert.equal(await copied(page), "models");

    await page.locator(".grid:focus").waitFor();
    // Playwright does not know the other key for Firefox.
    for (const key of ["Shift+F10", ...(IS_FIREFOX ? [] : ["ContextMenu"])]) {
      await page.keyboard.press("End");
      await page.keyboard.press(key);
      await page.getByRole("menu", { name: "Actions for “zeta.txt”" }).waitFor();
      assert.match(String(await focused(page)), /^Open/);
      await page.keyboard.press("ArrowUp");
      assert.match(String(await focused(page)), /^Delete/);
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      assert.match(String(await focused(page)), /^Download/);
      await page.keyboard.press("Escape");
      await page.locator(".grid:focus").waitFor();
    }
    await page.keyboard.press("Shift+F10");
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await page.getByLabel("New name").fill("omega.txt");
    await page.keyboard.press("Enter");
    await row(page, "omega.txt").waitFor();
    await page.locator(".grid:focus").waitFor();
  }),
});

Deno.test({
  name: "C 24 a menu of a selected row is about all that is selected",
  ignore,
  fn: withFiles(async (page, other) => {
    await page.getByRole("checkbox", { name: "Select alpha.txt" }).click();
    await page.getByRole("checkbox", { name: "Select beta.txt" }).click();
    await row(page, "beta.txt").click({ button: "right" });
    await page.getByRole("menu", { name: "Actions for 2 files" }).waitFor();
    assert.ok(!(await labels(page)).includes("Rename"));
    await item(page, "Delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row(page, "beta.txt").waitFor({ state: "detached" });
    assert.ok(!(await other.tree()).includes("alpha.txt"));
  }),
});

Deno.test({
  name: "C 24 the page of a file has the actions of its row, and leads to the files beside it",
  ignore,
  fn: withFiles(async (page) => {
    await page.evaluate("location.hash = '#/file/models/x.txt'");
    await button(page, "More actions").click();
    assert.deepEqual(await labels(page), OF_FILE);
    await item(page, "Copy digest").click();
    await page.getByText("Copied the SHA-256").waitFor();
    assert.equal(
      await copied(page),
      "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    );
    await button(page, "Next file").click();
    await page.getByRole("heading", { name: "y.txt" }).waitFor();
    await button(page, "Next file").click();
    await page.getByText("This is the last file here").waitFor();
    await button(page, "Previous file").click();
    await page.getByRole("heading", { name: "x.txt" }).waitFor();
    await button(page, "More actions").click();
    await item(page, "Rename").click();
    await page.getByLabel("New name").fill("w.txt");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "w.txt" }).waitFor();
  }),
});

Deno.test({
  name: "C 24 a new name and a move are undone by a button and by Ctrl+Z",
  ignore,
  fn: withFiles(async (page, other) => {
    const before = await other.tree();
    await rename(page, "a", "renamed.txt");
    await button(page, "Undo").click();
    await row(page, "alpha.txt").waitFor();
    assert.deepEqual(await other.tree(), before);

    await page.getByRole("checkbox", { name: "Select beta.txt" }).click();
    await page.getByRole("checkbox", { name: "Select zeta.txt" }).click();
    await page.keyboard.press("Shift+F10");
    await item(page, "Move").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("models").click();
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await row(page, "zeta.txt").waitFor({ state: "detached" });
    await button(page, "Undo").waitFor();
    await page.keyboard.press("Control+z");
    await row(page, "zeta.txt").waitFor();
    assert.deepEqual(await other.tree(), before);
    await button(page, "Undo").waitFor({ state: "detached" });
  }),
});

Deno.test({
  name: "C 24 an undo that cannot be says why, and changes nothing",
  ignore,
  fn: withFiles(async (page, other) => {
    await rename(page, "a", "renamed.txt");
    await other.upload("", { "alpha.txt": "another" });
    await page.keyboard.press("Control+z");
    await page.getByText("Not undone: “alpha.txt” exists already").waitFor();
    assert.ok((await other.tree()).includes("renamed.txt"));
  }),
});

Deno.test({
  name: "C 24 a new folder with a slash in its name, or a taken one, is refused with the reason",
  ignore,
  fn: withFiles(async (page, other) => {
    const before = await other.tree();
    await button(page, "New folder").click();
    const refusals = {
      "a/b": "A name has no slashes",
      "a\\b": "A name has no slashes",
      "..": "“..” is not a valid name",
      "models": "“models” exists already",
      "alpha.txt": "“alpha.txt” exists already",
    };
    for (const [name, why] of Object.entries(refusals)) {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("alert").getByText(why).waitFor();
    }
    assert.deepEqual(await other.tree(), before);
  }),
});

Deno.test({
  name: "C 24 a question mark shows the keys, but not in a field",
  ignore,
  fn: withFiles(async (page) => {
    await page.getByRole("grid").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Rename").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.locator(".grid:focus").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("searchbox").inputValue(), "?");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }),
});

Deno.test({
  name:
    "C 24 Back leads to the words that were searched for, and to where the list was scrolled to",
  ignore,
  fn: withFiles(async (page, other) => {
    const many = Array.from({ length: 120 }, (_, index) => [`shard-${1000 + index}.bin`, "x"]);
    await other.upload("", Object.fromEntries(many));
    await row(page, "shard-1000.bin").waitFor();
    const top = () => page.evaluate(`document.querySelector(".grid").scrollTop`);
    for (const words of ["", "shard"]) {
      await page.getByRole("searchbox").fill(words);
      if (words !== "") await page.getByText("120 matches", { exact: true }).waitFor();
      await page.evaluate(`document.querySelector(".grid").scrollTop = 1500`);
      const name = "shard-1045.bin";
      // A click of Playwright scrolls before in Firefox.
      await page.getByRole("grid").getByText(name).dispatchEvent("click");
      await page.getByRole("heading", { name }).waitFor();
      await goBack(page);
      await page.getByRole("grid").getByText(name).waitFor();
      assert.equal(await page.getByRole("searchbox").inputValue(), words);
      assert.equal(await top(), 1500);
    }
    await page.evaluate("location.hash = '#/files/models'");
    await row(page, "x.txt").waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "");
  }),
});

Deno.test({
  name: "C 24 after a click on the box of all, keys go on in the table",
  ignore,
  fn: withFiles(async (page) => {
    const all = await names(page);
    await page.getByRole("checkbox", { name: "Select all" }).click();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".grid-row.is-selected").count(), 0);
    await page.keyboard.press("Control+a");
    assert.equal(await page.locator(".grid-row.is-selected").count(), all.length);
    await page.keyboard.press("F2");
    await page.getByLabel("New name").waitFor();
  }),
});
