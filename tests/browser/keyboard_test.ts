import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { until } from "../support/until.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { goBack, names, row } from "./files_page.ts";

/** A page with some files and folders. */
function withFiles(work: (page: Page, other: Client) => Promise<void>): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start();
    const other = await browser.server.as(1);
    await other.upload("models/a", { "x.txt": "x" });
    await other.upload("", {
      "alpha.txt": "a",
      "beta.txt": "b",
      "bravo.txt": "c",
      "zeta.txt": "d",
    });
    const page = await browser.signIn();
    await row(page, "zeta.txt").waitFor();
    await work(page, other);
  };
}

const ignore = !HAS_BROWSER;
const grid = (page: Page) => page.getByRole("grid");
const active = (page: Page) => page.locator(".grid-row.is-active .name");
const selected = (page: Page) => page.locator(".grid-row.is-selected .name").allTextContents();

/** Types without a pause: after one, a letter begins a new name. */
async function typeQuickly(page: Page, letters: string): Promise<void> {
  await page.evaluate(`for (const key of ${JSON.stringify(letters)}) {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }`);
}

/** The title follows what is shown. */
async function hasTitle(page: Page, title: string): Promise<void> {
  await until(async () => await page.title() === title);
}

async function hasFocus(page: Page): Promise<void> {
  await page.locator(".grid:focus").waitFor();
}

Deno.test({
  name: "C 24 keys go on in the folder that Enter has opened, and Back leads to its row",
  ignore,
  fn: withFiles(async (page) => {
    await grid(page).focus();
    await page.keyboard.press("m");
    assert.equal(await active(page).textContent(), "models");
    await page.keyboard.press("Enter");
    await row(page, "a").waitFor();
    await hasFocus(page);
    await hasTitle(page, "models – Files – strongroom");
    await page.keyboard.press("Enter");
    await row(page, "x.txt").waitFor();
    await hasFocus(page);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "x.txt" }).waitFor();
    await hasTitle(page, "x.txt – File – strongroom");
    await page.locator("#main:focus").waitFor();
    for (const name of ["a", "models"]) {
      await goBack(page);
      if (name === "a") await goBack(page);
      await row(page, name).waitFor();
      await hasFocus(page);
      await active(page).getByText(name, { exact: true }).waitFor();
    }
  }),
});

Deno.test({
  name: "C 24 after files are deleted, keys act on the row at their place",
  ignore,
  fn: withFiles(async (page) => {
    await row(page, "beta.txt").getByText("beta.txt").locator("xpath=ancestor::*[@role='row']")
      .click({ position: { x: 300, y: 10 } });
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row(page, "beta.txt").waitFor({ state: "detached" });
    await page.locator(".grid-row.is-active").getByText("bravo.txt").waitFor();
    await hasFocus(page);
    await page.keyboard.press("ArrowDown");
    await page.locator(".grid-row.is-active").getByText("zeta.txt").waitFor();
  }),
});

Deno.test({
  name: "C 24 a box takes the range with Shift, and leaves the keys to the table",
  ignore,
  fn: withFiles(async (page) => {
    const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
    await box("alpha.txt").click();
    assert.deepEqual(await selected(page), ["alpha.txt"]);
    await box("bravo.txt").click({ modifiers: ["Shift"] });
    assert.deepEqual(await selected(page), ["alpha.txt", "beta.txt", "bravo.txt"]);
    await page.keyboard.press("Escape");
    assert.deepEqual(await selected(page), []);
    await page.keyboard.press("Control+a");
    assert.deepEqual(await selected(page), await names(page));
    await box("zeta.txt").click();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").getByText(/^Delete /).first().waitFor();
  }),
});

Deno.test({
  name: "C 24 letters lead to the next name that begins with them, and a slash to the search",
  ignore,
  fn: withFiles(async (page) => {
    await grid(page).focus();
    await typeQuickly(page, "bra");
    assert.equal(await active(page).textContent(), "bravo.txt");
    await page.keyboard.press("/");
    await page.keyboard.type("x.t");
    await grid(page).getByText("models/a/x.txt").waitFor();
  }),
});

Deno.test({
  name: "C 24 the address of a scan that is none says so",
  ignore,
  fn: withFiles(async (page) => {
    for (const address of ["#/scans/abc", "#/scans/compare/1/x"]) {
      await page.evaluate((it) => location.hash = it, address);
      await page.getByText("There is no such scan").waitFor();
      await page.evaluate("location.hash = '#/files'");
      await row(page, "zeta.txt").waitFor();
    }
  }),
});
