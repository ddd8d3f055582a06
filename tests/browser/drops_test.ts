import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { HAS_BROWSER, IS_FIREFOX, TestBrowser } from "./browser.ts";
import { row } from "./files_page.ts";

const ignore = !HAS_BROWSER;

/** A page with a folder and a file. */
function withFiles(work: (page: Page, other: Client) => Promise<void>): () => Promise<void> {
  return async () => {
    await using browser = await TestBrowser.start();
    const other = await browser.server.as(1);
    await other.upload("models", { "x.txt": "x" });
    await other.upload("", { "alpha.txt": "a" });
    const page = await browser.signIn();
    await row(page, "alpha.txt").waitFor();
    await work(page, other);
  };
}

/**
 * Drags an entry over a folder: by the mouse, or by what the browser makes of that in Firefox, which a driver's mouse
 * begins no drag in. Returns what drops it.
 */
async function dragEntry(page: Page, name: string, folder: string): Promise<() => Promise<void>> {
  const [from, to] = [row(page, name), row(page, folder)];
  if (!IS_FIREFOX) {
    await from.hover();
    await page.mouse.down();
    await to.hover();
    await to.hover();
    return () => page.mouse.up();
  }
  const dataTransfer = await page.evaluateHandle("new DataTransfer()");
  await from.dispatchEvent("dragstart", { dataTransfer });
  await to.dispatchEvent("dragover", { dataTransfer });
  return () => to.dispatchEvent("drop", { dataTransfer });
}

Deno.test({
  name: "C 24 files that are pasted go into the open folder",
  ignore,
  fn: withFiles(async (page, other) => {
    await page.evaluate("location.hash = '#/files/models'");
    await row(page, "x.txt").waitFor();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["pasted"], "pasted.txt"));
      const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
      // As an option of the event, Firefox takes it without its files.
      Object.defineProperty(event, "clipboardData", { value: clipboardData });
      document.body.dispatchEvent(event);
    }`);
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    assert.ok((await other.tree()).includes("models/pasted.txt"));
  }),
});

Deno.test({
  name: "C 24 a drag says where it would land: in the folder under the pointer, or in the open one",
  ignore,
  fn: withFiles(async (page) => {
    const over = (element: string, type = "dragover") =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["dragged"], "dragged.txt"));
        const event = new DragEvent("${type}", { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector('${element}').dispatchEvent(event);
      }`);
    await over(".drop-zone");
    await page.getByText("Drop to upload to the top folder").waitFor();
    await over(".grid-body .grid-row");
    await page.getByText("Drop to upload to “models”").waitFor();
    await over(".grid-body .grid-row", "dragleave");
    await page.getByText("Drop to upload").waitFor({ state: "detached" });

    // Entries of the list.
    const drop = await dragEntry(page, "alpha.txt", "models");
    await page.getByText("Drop to move to “models”").waitFor();
    await drop();
    await row(page, "alpha.txt").waitFor({ state: "detached" });
    await page.getByText("Drop to move").waitFor({ state: "detached" });
  }),
});

Deno.test({
  name:
    "C 24 a file dropped on the row of a folder goes into it, and one dropped elsewhere nowhere",
  ignore,
  fn: withFiles(async (page, other) => {
    // The browser would open the file if an event was not handled.
    const drop = (element: string, name: string) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["dropped"], "${name}"));
        for (const type of ["dragover", "drop"]) {
          const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector('${element}').dispatchEvent(event);
          if (!event.defaultPrevented) throw new Error(type + " was not handled");
        }
      }`);
    await drop(".top", "nowhere.txt");
    await drop(".grid-body .grid-row", "inside.txt");
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    const stored = (await other.tree()).filter((path) => /inside|nowhere/.test(path));
    assert.deepEqual(stored, ["models/inside.txt"]);
  }),
});
