/** What tests do on the page of the room Files. */

import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";

/** The row of a file or folder in the table. */
export function row(page: Page, name: string) {
  return page.getByRole("grid").getByRole("row").filter({
    has: page.getByRole("checkbox", { name: `Select ${name}`, exact: true }),
  });
}

/** The names in the table, in its order. */
export async function names(page: Page): Promise<string[]> {
  return await page.getByRole("grid").locator(".grid-body .name").allTextContents();
}

export function button(page: Pick<Page, "getByRole">, name: string) {
  return page.getByRole("button", { name, exact: true });
}

/** Chooses files for a button of the toolbar: by their paths on this computer, or made up. */
export async function choose(
  page: Page,
  label: string,
  files: string | { name: string; size: number },
) {
  const field = page.locator(`input[type=file][aria-label="${label}"]`);
  if (typeof files === "string") return await field.setInputFiles(files);
  const { name, size } = files;
  await field.setInputFiles({ name, mimeType: "a/b", buffer: Buffer.alloc(size, name) });
}

/** Goes back within the console. Playwright would wait for a load, which never comes in Firefox. */
export async function goBack(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener("hashchange", resolve, { once: true });
    history.back();
  })`);
}
