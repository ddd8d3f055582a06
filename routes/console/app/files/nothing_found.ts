import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { may } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Notice } from "../ui/states.ts";
import type { Asked } from "./asked.ts";
import { startScan } from "./start_scan.ts";

/** What a folder shows if nothing in it is what is asked for, and why that may be. */
export function NothingFound(
  { asked, entries }: {
    readonly asked: Asked;
    /** What is in the folder. */
    readonly entries: readonly ResourceEntry[];
  },
): ComponentChild {
  const title = "Nothing matches";
  if (Object.keys(asked.conditions).length === 0) return h(Notice, { icon: "search", title });
  return h(
    Notice,
    { icon: "search", title },
    h("p", null, "Facts come with scans: a model that was never scanned is not found by them."),
    may("scans.run") && entries.length > 0 &&
      h(Button, {
        label: "Scan all that is here",
        icon: "scans",
        onClick: () => void startScan(...entries.map(({ path }) => path)),
      }),
  );
}
