import { type ComponentChild, h } from "preact";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { count } from "../shared/format.ts";
import { Button } from "./button.ts";
import { BY_CONCERN, verdictWord } from "./verdict.ts";

/** How many of a list have each verdict. One of them alone can be shown. */
export function VerdictFilter(
  { counts, chosen, onChoose }: {
    readonly counts: ReadonlyMap<Verdict, number>;
    readonly chosen: Verdict | undefined;
    readonly onChoose: (verdict: Verdict | undefined) => void;
  },
): ComponentChild {
  if (counts.size < 2 && chosen === undefined) return null;
  return h(
    "div",
    { class: "filters verdict-filter", role: "group", "aria-label": "Verdicts" },
    BY_CONCERN.filter((it) => counts.has(it) || it === chosen).map((verdict) =>
      h(Button, {
        key: verdict,
        label: `${verdictWord(verdict)} ${count(counts.get(verdict) ?? 0)}`,
        pressed: verdict === chosen,
        onClick: () => onChoose(verdict === chosen ? undefined : verdict),
      })
    ),
  );
}
