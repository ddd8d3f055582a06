import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible } from "./axe.ts";
import { HAS_BROWSER } from "./browser.ts";
import { furnish, PLACES } from "./furnished.ts";

/** A phone, the narrowest window, a window at 400 %, and a wide one. */
const SIZES = [[390, 844], [320, 568], [320, 256], [2560, 1200]] as const;

/** What is wider than the window, and cannot be scrolled to within the page. */
const OVERFLOW = `(() => {
  const { scrollWidth } = document.documentElement;
  if (scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll("body *")]
    .filter((it) => it.getBoundingClientRect().right > innerWidth)
    .map((it) => it.outerHTML.slice(0, 120));
})()`;

/** What moves: animations, and what would take time to change. */
const MOVING = `[
  ...document.getAnimations().map((it) => it.constructor.name),
  ...[...document.querySelectorAll("body *")]
    .filter((it) => parseFloat(getComputedStyle(it).transitionDuration) > 0.01)
    .map((it) => it.outerHTML.slice(0, 120)),
]`;

/** Words of controls that are cut off, or lie on what is beside them, and parts of pictures beside these. */
const CUT = `[
  ...[...document.querySelectorAll("main .button")]
    .filter((it) => [...it.childNodes].some((part) => {
      if (part.nodeType !== Node.TEXT_NODE) return false;
      const range = document.createRange();
      range.selectNodeContents(part);
      return range.getBoundingClientRect().width > it.getBoundingClientRect().width;
    })),
  ...[...document.querySelectorAll("main .treemap li > *")]
    .filter((it) => it.getBoundingClientRect().right > it.closest("ul").getBoundingClientRect().right + 1),
  ...[...document.querySelectorAll("main .button > span, main .badge, main time")]
  .filter((it) => it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 1 && getComputedStyle(it).display !== "inline"),
].map((it) => it.textContent)`;

Deno.test({
  name:
    "C 24 each room fits a phone, 320 pixels, 400 percent and a wide window, in forced colors and without motion",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using it = await furnish();
    const { page } = it;
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const [name, hash, shown] of PLACES) {
      await t.step(name, async () => {
        await page.goto("about:blank");
        await page.goto(`${it.browser.server.origin}/${hash}`);
        await shown(page);
        // Each part of a room comes by itself.
        await page.getByText(/^Loading .*…$/).first().waitFor({ state: "detached" });
        for (const [width, height] of SIZES) {
          await page.setViewportSize({ width, height });
          await assertFits(page, width);
          assert.deepEqual(await page.evaluate(CUT), [], `${width}`);
        }
        await page.setViewportSize({ width: 320, height: 568 });
        assert.deepEqual(await page.evaluate(MOVING), []);
        await page.emulateMedia({ forcedColors: "active" });
        await assertFocusIsSeen(page);
        await assertAccessible(page);
        await page.emulateMedia({ forcedColors: "none" });
      });
    }
  },
});

/** What measures its own width follows the window a frame later. */
async function assertFits(page: Page, width: number): Promise<void> {
  await page.evaluate(
    "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))",
  );
  assert.deepEqual(await page.evaluate(OVERFLOW), [], `${width}`);
}

/** In forced colors, what has the focus has an outline. */
async function assertFocusIsSeen(page: Page): Promise<void> {
  await page.keyboard.press("Tab");
  const outline = await page.evaluate<string>(
    "getComputedStyle(document.activeElement).outlineStyle",
  );
  assert.notEqual(outline, "none");
}
