import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { Button } from "../ui/button.ts";
import { download, type KnownVerdicts } from "./download.ts";

/**
 * What saves files. Where a scan has found danger, what leads to the reason comes first, and saving them is a choice
 * that is named.
 */
export function DownloadButtons(
  { entries, verdicts, onReason }: {
    readonly entries: readonly ResourceEntry[];
    readonly verdicts: KnownVerdicts;
    /** Shows why an entry is dangerous. */
    readonly onReason: (entry: ResourceEntry) => void;
  },
): ComponentChild {
  const dangerous = entries.find(({ id }) => verdicts.get(id)?.verdict === "dangerous");
  return [
    dangerous !== undefined && h(SeeWhy, { key: "why", onClick: () => onReason(dangerous) }),
    h(Button, {
      key: "download",
      label: "Download",
      icon: "download",
      kind: dangerous === undefined ? "primary" : "plain",
      onClick: () => void download(entries, verdicts),
    }),
  ];
}

/** The first thing to do with a file that a scan warns of. */
export function SeeWhy({ onClick }: { readonly onClick: () => void }): ComponentChild {
  return h(Button, { label: "See why", icon: "shield", kind: "primary", onClick });
}
