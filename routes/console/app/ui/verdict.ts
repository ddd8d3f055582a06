import { type ComponentChild, h } from "preact";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { count } from "../shared/format.ts";
import { Icon, type IconName } from "./icon.ts";

const SHOWN: Readonly<Record<Verdict, { word: string; icon: IconName; meaning: string }>> = {
  dangerous: { word: "Dangerous", icon: "cross", meaning: "A critical finding" },
  suspicious: { word: "Suspicious", icon: "alert", meaning: "A warning" },
  failed: { word: "Failed", icon: "question", meaning: "The scan failed" },
  inconclusive: { word: "Inconclusive", icon: "question", meaning: "Not read to its end" },
  unknown: { word: "Unknown", icon: "question", meaning: "Of no format that a scanner knows" },
  pending: { word: "Pending", icon: "wait", meaning: "A scan is on its way" },
  unscanned: { word: "Not scanned", icon: "minus", meaning: "No scan yet" },
  clean: { word: "Clean", icon: "check", meaning: "Nothing worse than a note was found" },
};

/** The verdicts, worst first. */
export const BY_CONCERN: readonly Verdict[] = [
  "dangerous",
  "suspicious",
  "failed",
  "inconclusive",
  "unknown",
  "pending",
  "unscanned",
  "clean",
];

/** The worse of two verdicts. */
export function worse(a: Verdict | undefined, b: Verdict): Verdict {
  return a !== undefined && BY_CONCERN.indexOf(a) <= BY_CONCERN.indexOf(b) ? a : b;
}

/**
 * A verdict in a word, an icon and a color: each of them alone says it.
 *
 * @param files How many files have it, for the badge of a folder.
 */
export function VerdictBadge(
  { verdict, detail, files }: {
    readonly verdict: Verdict;
    readonly detail?: string | undefined;
    readonly files?: number;
  },
): ComponentChild {
  const { word, icon, meaning } = SHOWN[verdict];
  return h(
    "span",
    { class: `badge badge-${verdict}`, title: detail ?? meaning },
    h(Icon, { name: icon }),
    files === undefined || verdict === "clean" ? word : `${count(files)} ${word.toLowerCase()}`,
  );
}
