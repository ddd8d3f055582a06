import { type ComponentChild, h } from "preact";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { count } from "../shared/format.ts";
import { Icon, type IconName } from "./icon.ts";

const SHOWN: Readonly<Record<Verdict, { word: string; icon: IconName; meaning: string }>> = {
  dangerous: {
    word: "Dangerous",
    icon: "cross",
    meaning: "The scan found what does harm when the file is loaded. Do not load it.",
  },
  suspicious: {
    word: "Suspicious",
    icon: "alert",
    meaning: "The scan found what may be harmful. Read why before you use the file.",
  },
  failed: {
    word: "Failed",
    icon: "question",
    meaning: "The scan failed, so nothing is known about this content.",
  },
  inconclusive: {
    word: "Inconclusive",
    icon: "question",
    meaning: "The scan could not read all of the file, and found nothing worse so far.",
  },
  unknown: {
    word: "Unknown",
    icon: "question",
    meaning: "No scanner knows this format, so what the file does could not be checked.",
  },
  pending: { word: "Pending", icon: "wait", meaning: "A scan of this content is on its way." },
  unscanned: {
    word: "Not scanned",
    icon: "minus",
    meaning: "This content has not been scanned yet.",
  },
  clean: { word: "Clean", icon: "check", meaning: "The scan found nothing worse than a note." },
};

/** What a verdict means, in the same words wherever it is shown. */
export function meaningOf(verdict: Verdict): string {
  return SHOWN[verdict].meaning;
}

/** The word for a verdict. */
export function verdictWord(verdict: Verdict): string {
  return SHOWN[verdict].word;
}

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
