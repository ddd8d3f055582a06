import { type ComponentChild, h } from "preact";
import { Store, useStore } from "../shared/store.ts";
import { Button } from "./button.ts";

const KEY = "strongroom console density";

/**
 * Whether rows are low, so that more of them are seen. This browser keeps the choice.
 * See docs/design/console_looks.md.
 */
const isCompact = new Store(localStorage.getItem(KEY) === "compact");

/** Gives the page the height of rows that was chosen. Call it once. */
export function followDensity(): void {
  const apply = () => {
    document.documentElement.dataset["density"] = isCompact.value ? "compact" : "comfortable";
    // What measures rows does so when its place changes its size.
    dispatchEvent(new Event("resize"));
  };
  isCompact.subscribe(apply);
  apply();
}

/** The choice of the height of rows. */
export function DensityButton(): ComponentChild {
  const compact = useStore(isCompact);
  return h(Button, {
    label: "Compact rows",
    pressed: compact,
    icon: "rows",
    iconOnly: true,
    kind: "quiet",
    onClick: () => {
      isCompact.set(!compact);
      localStorage.setItem(KEY, compact ? "comfortable" : "compact");
    },
  });
}
