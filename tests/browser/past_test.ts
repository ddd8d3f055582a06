import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, names, row } from "./files_page.ts";
import { choose, deleteRow, dialog, makeTag, replaceFile, showTag } from "./past_page.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const ignore = !HAS_BROWSER;

/** A person who looks at some files, with what another one does in the same tree. */
function withFiles(work: (page: Page, other: Client) => Promise<void>): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start(HISTORY);
    const other = await browser.server.as(1, ...WORKER);
    await other.put("models/llama/model.bin", "first");
    await other.put("models/llama/config.json", "{}");
    await other.put("notes.txt", "x");
    const page = await browser.signIn();
    await row(page, "notes.txt").waitFor();
    await work(page, other);
  };
}

Deno.test({
  name:
    "C 26 a person who has deleted a folder by mistake gets it back: at once, and from the trash",
  ignore,
  fn: withFiles(async (page, other) => {
    await deleteRow(page, "models");
    await page.getByText("Deleted “models”").waitFor();
    await button(page, "Undo").click();
    await row(page, "models").waitFor();
    await page.getByText("Undone: “models”").waitFor();
    await deleteRow(page, "models");
    await choose(page, "More actions for this folder", "Trash");
    await page.getByRole("heading", { name: "Trash" }).waitFor();
    await page.getByText("in 2 files").first().waitFor();
    await page.getByText("24 hours left").first().waitFor();
    await assertAccessible(page);
    await page.getByRole("searchbox").fill("nothing");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("searchbox").fill("MODELS");
    await button(page, "Restore models").first().click();
    await button(dialog(page), "Restore").click();
    await page.getByText("The trash is empty").waitFor();
    assert.equal(
      new TextDecoder().decode(await other.bytes({ path: "models/llama/model.bin" })),
      "first",
    );
  }),
});

Deno.test({
  name: "C 26 a person replaces a model, compares it with what was, and goes back",
  ignore,
  fn: withFiles(async (page, other) => {
    const text = async () =>
      new TextDecoder().decode(await other.bytes({ path: "models/llama/model.bin" }));
    await page.goto(`${new URL(page.url()).origin}/#/files/models/llama`);
    await row(page, "model.bin").waitFor();
    await replaceFile(page, "model.bin", "the second");
    await button(page, "Close uploads").click();
    await choose(page, "Actions for model.bin", "History");
    await page.getByRole("heading", { name: "History of model.bin" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("checkbox", { name: "Compare version 1" }).check();
    await page.getByRole("link", { name: "Compare version 1 with now" }).click();
    await page.getByText("1 replaced.").waitFor();
    await assertAccessible(page);
    await page.getByRole("link", { name: "Before" }).click();
    await page.getByText("As of version 1").waitFor();
    await page.getByText("5 bytes").waitFor();
    await assertAccessible(page);
    await page.getByRole("region", { name: "The past" }).getByRole("button", { name: "Restore…" })
      .click();
    await button(dialog(page), "Restore").click();
    await dialog(page).getByRole("alert").waitFor();
    await dialog(page).getByLabel("Replace what is there").check();
    await button(dialog(page), "Restore").click();
    await page.getByText("Restored “model.bin”").waitFor();
    assert.equal(await text(), "first");
    await page.getByRole("link", { name: "Back to now" }).click();
    await page.getByRole("region", { name: "The past" }).waitFor({ state: "detached" });
  }),
});

Deno.test({
  name: "C 26 Undo brings back what an upload has replaced",
  ignore,
  fn: withFiles(async (page, other) => {
    await replaceFile(page, "notes.txt", "replaced");
    await button(page, "Undo").click();
    await page.getByText("Undone: “notes.txt”").waitFor();
    assert.equal(new TextDecoder().decode(await other.bytes({ path: "notes.txt" })), "x");
  }),
});

Deno.test({
  name: "C 26 a person tags a release, and downloads it a hundred changes later",
  ignore,
  fn: withFiles(async (page, other) => {
    await row(page, "models").getByRole("link", { name: "models" }).click();
    await row(page, "llama").waitFor();
    await makeTag(page, "v1.0");
    for (let change = 0; change < 98; change++) await other.put("notes.txt", `change ${change}`);
    await other.remove({ path: "models/llama/config.json" });
    await other.put("models/llama/model.bin", "another");
    await showTag(page, "v1.0");
    await row(page, "llama").getByRole("link", { name: "llama" }).click();
    await row(page, "config.json").waitFor();
    assert.deepEqual(await names(page), ["config.json", "model.bin"]);
    assert.equal(await button(page, "Upload files").count(), 0);
    await assertAccessible(page);
    await row(page, "model.bin").getByRole("checkbox").check();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Download").click(),
    ]);
    assert.equal(await Deno.readTextFile(await download.path()), "first");
    await page.getByRole("link", { name: "Back to now" }).click();
    await row(page, "config.json").waitFor({ state: "detached" });
    await choose(page, "More actions for this folder", "Tags");
    await button(page, "Remove v1.0").click();
    await button(dialog(page), "Remove").click();
    await page.getByText("There are no tags.").waitFor();
  }),
});

Deno.test({
  name: "C 26 without history, the console offers tags, and nothing else of the past",
  ignore,
  async fn() {
    await using browser = await TestBrowser.start({ settings: { history: 0 } });
    await (await browser.server.as(1)).upload("", { "a.txt": "a" });
    const page = await browser.signIn();
    await row(page, "a.txt").waitFor();
    assert.equal(await page.getByRole("link", { name: /^(History|Trash)$/ }).count(), 0);
    await button(page, "More actions for this folder").click();
    const items = await page.getByRole("menuitem").allTextContents();
    assert.deepEqual(items, ["New tag…", "As of…", "Tags"]);
    await page.keyboard.press("Escape");
    await choose(page, "Actions for a.txt", "Delete");
    await dialog(page).getByText("This cannot be undone.").waitFor();
    await button(dialog(page), "Delete").click();
    await page.getByText("Deleted “a.txt”").waitFor();
    assert.equal(await button(page, "Undo").count(), 0);
  },
});
