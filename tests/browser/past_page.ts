/** What tests do on the pages of the console that show the past. */

import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { button, row } from "./files_page.ts";

export const dialog = (page: Page) => page.getByRole("dialog");

/** Chooses an entry of a menu. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await button(page, menu).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Deletes a file or folder, which can be brought back. */
export async function deleteRow(page: Page, name: string): Promise<void> {
  await choose(page, `Actions for ${name}`, "Delete");
  await dialog(page).getByText("It can be brought back from the trash.").waitFor();
  await button(dialog(page), "Delete").click();
  await row(page, name).waitFor({ state: "detached" });
}

/** Uploads a file in place of the one in the folder that is shown. */
export async function replaceFile(page: Page, name: string, text: string): Promise<void> {
  await page.locator('input[type=file][aria-label="Upload files"]').setInputFiles({
    name,
    mimeType: "a/b",
    buffer: Buffer.from(text),
  });
  await button(page, `Replace ${name}`).click();
  await page.getByText(`Replaced “${name}”`).waitFor();
}

/** Names the folder that is shown. */
export async function makeTag(page: Page, name: string): Promise<void> {
  await choose(page, "More actions for this folder", "New tag…");
  await dialog(page).getByLabel("Name").fill(name);
  await dialog(page).getByLabel("Message").fill("The release");
  await button(dialog(page), "Create").click();
  await page.getByText(`Made the tag “${name}”`).waitFor();
}

/** Shows the folder as a tag has it. */
export async function showTag(page: Page, name: string): Promise<void> {
  await choose(page, "More actions for this folder", "As of…");
  await dialog(page).getByLabel("Tag").selectOption(name);
  await button(dialog(page), "Show").click();
  await page.getByText(`As of “${name}”`).waitFor();
}
