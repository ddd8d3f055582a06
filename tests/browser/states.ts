/** States of the console, and how they come to be shown. */

import type { Page } from "playwright-core";
import { assertAccessibleInBoth } from "./axe.ts";

/** How a state comes to be shown, from a page that is signed in: an address, and what is done there, if anything. */
export type State = readonly [
  name: string,
  hash: string,
  show: (page: Page) => Promise<void>,
];

export const heading = (title: string | RegExp) => (page: Page) =>
  page.getByRole("heading", { name: title }).first().waitFor();
export const words = (text: string | RegExp) => (page: Page) =>
  page.getByText(text).first().waitFor();
export const region = (name: string) => (page: Page) =>
  page.getByRole("region", { name, exact: true }).first().waitFor();

export async function dialog(page: Page): Promise<void> {
  await page.locator("dialog[open]").waitFor();
}

/** Has the server not answer, or refuse, until the page is left. @param hash Where that is seen. */
export function answered(
  path: string,
  how: "never" | "with an error",
  { hash, then }: { readonly hash: string; readonly then: (page: Page) => Promise<void> },
) {
  return async (page: Page) => {
    const isMeant = (url: URL) => url.pathname.endsWith(path);
    await page.route(isMeant, async (route) => {
      if (how === "with an error") await route.fulfill({ status: 500, json: {} });
    });
    await page.evaluate((it) => location.hash = it, hash);
    await then(page);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  };
}

/** Shows each state in a page that nothing is left in of the one before, and asserts that axe-core finds nothing. */
export async function assertStates(
  t: Deno.TestContext,
  page: Page,
  states: readonly State[],
): Promise<void> {
  const origin = new URL(page.url()).origin;
  for (const [name, hash, show] of states) {
    await t.step(name, async () => {
      await page.goto("about:blank");
      await page.goto(`${origin}/${hash}`);
      await page.getByRole("navigation", { name: "Rooms" }).waitFor();
      await show(page);
      await assertAccessibleInBoth(page);
    });
  }
}
