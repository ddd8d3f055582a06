import { type ComponentChild, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { LineHunk } from "../../../../schemas/compare.ts";
import { count } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { type LinePair, pairLines } from "./pair_lines.ts";

/** Lines that are shown at first, and more at each request. */
const STEP = 200;

/** Lines of two texts side by side. */
export function HunksTable(
  { label, hunks }: { readonly label: string; readonly hunks: readonly LineHunk[] },
): ComponentChild {
  const pairs = useMemo(() => pairLines(hunks), [hunks]);
  const [shown, setShown] = useState(STEP);
  const left = pairs.length - shown;
  return h(
    "div",
    { class: "rows" },
    h(
      "div",
      { class: "rows-box", role: "group", "aria-label": label, tabIndex: 0 },
      h(
        "table",
        { class: "lines-compared", "aria-rowcount": pairs.length + 1 },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["Line", "Before", "Line", "After"].map((title, at) =>
              h("th", { key: at, scope: "col" }, title)
            ),
          ),
        ),
        h("tbody", null, pairs.slice(0, shown).map((pair, at) => h(LineRow, { key: at, pair }))),
      ),
    ),
    left > 0 && h(Button, {
      label: `Show ${count(Math.min(left, STEP))} more of ${count(left)}`,
      onClick: () => setShown(shown + STEP),
    }),
  );
}

function LineRow({ pair }: { readonly pair: LinePair }): ComponentChild {
  if (pair === "gap") {
    return h("tr", { class: "lines-gap" }, h("td", { colSpan: 4 }, "…"));
  }
  const { from, to, isEqual } = pair;
  return h(
    "tr",
    { class: isEqual ? "lines-equal" : "" },
    ([["del", from], ["ins", to]] as const).map(([tag, line]) => [
      h("td", { key: `${tag} number`, class: "line-number" }, line?.number),
      h(
        "td",
        { key: tag, class: line === undefined ? "line-none" : isEqual ? "" : `line-${tag}` },
        line !== undefined && h(
          "code",
          null,
          isEqual ? h("bdi", null, line.text) : h(tag, null, h("bdi", null, line.text)),
        ),
      ),
    ]),
  );
}
