/** The way of someone who has never seen the console: the test and the screenshots take it. */

import type { Page } from "playwright-core";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { assertAccessible } from "./axe.ts";
import { type BrowserOptions, enterCredential, TestBrowser } from "./browser.ts";
import { button, choose, row } from "./files_page.ts";

/** Uploads a folder, finds the dangerous file, reads why, and downloads the rest to `saved`. */
export async function walk(
  options: BrowserOptions,
  { saved, take }: {
    readonly saved: string;
    /** Called at each step, when the page shows it. */
    readonly take: (page: Page, title: string) => Promise<void>;
  },
): Promise<void> {
  await using directory = await TempDir.make();
  const folder = `${directory.path}/llama-finetuned`;
  await Deno.mkdir(`${folder}/checkpoint`, { recursive: true });
  await Deno.writeTextFile(`${folder}/config.json`, '{"hidden_size":4096}');
  await Deno.writeTextFile(`${folder}/tokenizer.json`, "{}");
  const hostile = `${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`;
  await Deno.copyFile(hostile, `${folder}/checkpoint/optimizer.pkl`);
  await using browser = await TestBrowser.start({ settings: { gate: "block" }, ...options });
  const page = await browser.open();
  await page.getByLabel("Credential").waitFor();
  await take(page, "sign-in");
  await enterCredential(page);
  await page.getByText("No files yet").waitFor();
  await take(page, "empty");
  await choose(page, "Upload folder", folder);
  await page.getByRole("strong").filter({ hasText: "Uploaded 3 files" }).waitFor();
  await row(page, "llama-finetuned").getByText("1 dangerous").waitFor();
  await take(page, "uploaded");
  await button(page, "Close uploads").click();
  await row(page, "llama-finetuned").getByRole("checkbox").check();
  await button(page, "Download").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The gate blocks 1 file").waitFor();
  await assertAccessible(page);
  await take(page, "blocked");
  await dialog.getByRole("link").click();
  await page.getByText("Imports and calls builtins.eval").waitFor();
  await page.getByText("The gate blocks this file").waitFor();
  await take(page, "why");
  await page.goBack();
  await row(page, "llama-finetuned").getByRole("checkbox").check();
  await button(page, "Download").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download the other 2 files" }).click(),
  ]);
  await page.getByText("Download of 2 items started").waitFor();
  await take(page, "saved");
  await download.saveAs(saved);
  await row(page, "llama-finetuned").getByRole("link", { name: "llama-finetuned" }).click();
  await row(page, "checkpoint").getByRole("link", { name: "1 dangerous" }).waitFor();
  await take(page, "folder");
}
