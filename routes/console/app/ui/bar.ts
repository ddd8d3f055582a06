import { type ComponentChild, h } from "preact";

/** Units of the longest bar. */
const LENGTH = 160;

/** How much something is of the most, beside the numbers that say it. @param part From 0 to 1. */
export function Bar({ part }: { readonly part: number }): ComponentChild {
  // Any part is seen.
  const width = part === 0 ? "0" : Math.max(1, LENGTH * Math.min(1, part)).toFixed(1);
  return h(
    "svg",
    {
      class: "bar",
      viewBox: `0 0 ${LENGTH} 8`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    h("rect", { class: "bar-all", width: LENGTH, height: 8 }),
    h("rect", { class: "bar-part", width, height: 8 }),
  );
}
