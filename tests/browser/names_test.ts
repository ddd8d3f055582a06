import { Buffer } from "node:buffer";
import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { button, names, row } from "./files_page.ts";

/** A name that looks like that of a PDF: what follows the mark is shown from right to left. */
const DECEPTIVE = "invoice\u202efdp.exe";
const SHOWN = "invoice\\u{202e}fdp.exe";

/** What is shown, or read out, in the page and its title, without what a person copies or sends. */
async function shownText(page: Page): Promise<string> {
  const html = await page.content();
  return html.replaceAll(/ (?:href|data-path|value)="[^"]*"/g, "") + await page.title();
}

Deno.test({
  name:
    "C 24 a name that hides something is shown with escapes in lists, pages, reports and messages",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", { [DECEPTIVE]: "x", "card.md": "[x](a\u202eb.txt) a\u2066b" });
    const scan = await client.json("POST", "/scans/?wait=60", { path: DECEPTIVE });
    assert.equal(scan.status, 202, scan.text);
    const page = await browser.signIn();
    const assertShown = async () => {
      await page.getByText(SHOWN).first().waitFor();
      assert.doesNotMatch(await shownText(page), /[\u200b\u202a-\u202e\u2066-\u2069]/);
    };
    await t.step("the list and its search", async () => {
      await assertShown();
      await page.getByRole("searchbox").fill("invoice");
      await assertShown();
    });
    await t.step("the page of a file, its title, and its dialogs", async () => {
      await page.getByRole("link", { name: SHOWN }).click();
      await page.getByRole("heading", { name: SHOWN }).waitFor();
      await assertShown();
      assert.ok((await page.title()).startsWith(SHOWN), await page.title());
      await button(page, "Share").click();
      await page.getByRole("dialog").getByText(`Share “${SHOWN}”`).waitFor();
      await assertShown();
      await page.keyboard.press("Escape");
    });
    await t.step("messages", async () => {
      const moved = await client.move({ source: DECEPTIVE, destination: `b${DECEPTIVE}` });
      assert.equal(moved.status, 200, moved.text);
      await page.getByText(`“${SHOWN}” was moved to “b${SHOWN}”`).waitFor();
      await assertShown();
    });
    await t.step("scans and reports", async () => {
      await page.goto(`${browser.server.origin}/#/scans`);
      await assertShown();
      await page.goto(`${browser.server.origin}/#/scans/1`);
      await page.getByRole("button", { name: "Download JSON" }).waitFor();
      await assertShown();
      await assertAccessible(page);
    });
    await t.step("documents", async () => {
      await page.goto(`${browser.server.origin}/#/file/card.md`);
      await page.getByText("a\\u{2066}b").waitFor();
      assert.doesNotMatch(await shownText(page), /[\u202e\u2066]/);
    });
  },
});

Deno.test({
  name:
    "C 4 and C 24 the panel of uploads shows the names that are stored, or why they are refused",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    const page = await browser.signIn();
    const buffer = Buffer.from("x");
    await page.locator('input[type=file][aria-label="Upload files"]').setInputFiles(
      [" lead.txt", "back\\slash.bin", "what?.txt"].map((name) => ({
        ...{ name, mimeType: "a/b", buffer },
      })),
    );
    const panel = page.getByRole("region", { name: "Uploads" });
    await row(page, "lead.txt").waitFor();
    await row(page, "back").waitFor();
    await panel.getByText(/a segment contains the character/).waitFor();
    const shown = await panel.locator(".uploads-name bdi").allTextContents();
    assert.deepEqual(shown.sort(), ["back/slash.bin", "lead.txt", "what?.txt"]);
    assert.deepEqual(await client.tree(), ["back", "back/slash.bin", "lead.txt"]);
    assert.deepEqual((await names(page)).sort(), ["back", "lead.txt"]);
  },
});
