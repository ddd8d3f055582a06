import * as assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Asserts that axe-core finds nothing in what a page shows. */
export async function assertAccessible(page: Page): Promise<void> {
  // While something fades in, its contrast is lower than what people read.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(axe.source);
  const found: string[] = await page.evaluate(`
    axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ": " + html + "\\n" + failureSummary)
      )
    )
  `);
  assert.deepEqual(found, []);
}
