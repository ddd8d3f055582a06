import * as assert from "node:assert/strict";
import axe from "axe-core/axe.min.js";
import type { Page } from "playwright-core";

/** Each page is sent it, and compiles it. The package has no types for its smaller form. */
const SOURCE = String(axe.source);

/** Asserts that axe-core finds nothing in what a page shows. */
export async function assertAccessible(page: Page): Promise<void> {
  // While something fades in, its contrast is lower than what people read.
  await page.emulateMedia({ reducedMotion: "reduce" });
  if (!await page.evaluate<boolean>(`"axe" in window`)) await page.evaluate(SOURCE);
  assert.deepEqual(await foundIn(page), []);
}

/** Asserts it in light, and then in dark, where nothing but colors can differ. */
export async function assertAccessibleInBoth(page: Page): Promise<void> {
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await foundIn(page, ["color-contrast"]), [], "in dark");
  await page.emulateMedia({ colorScheme: "light" });
}

function foundIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  return page.evaluate(`
    axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], runOnly: rules })})
      .then(({ violations }) =>
        violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => id + ": " + html + "\\n" + failureSummary)
        )
      )
  `);
}
