import { type ComponentChild, type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { count } from "../shared/format.ts";
import { Button } from "./button.ts";

export interface RowsColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: "number" | "code" | undefined;
}

/** Rows that are shown at first, and more at each request. */
const STEP = 200;

/** A table to read. It shows the first rows, and more on request. */
export function Rows<Row>(
  { label, columns, rows, keyOf }: {
    readonly label: string;
    readonly columns: readonly RowsColumn<Row>[];
    readonly rows: readonly Row[];
    readonly keyOf?: (row: Row) => string | number;
  },
): ComponentChild {
  const [shown, setShown] = useState(STEP);
  const left = rows.length - shown;
  return h(
    "div",
    { class: "rows" },
    h(
      "div",
      { class: "rows-box", role: "group", "aria-label": label, tabIndex: 0 },
      h(
        "table",
        { "aria-rowcount": rows.length + 1 },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map(({ title, kind }, at) =>
              h("th", { key: at, scope: "col", class: `cell-${kind ?? "text"}` }, title)
            ),
          ),
        ),
        h(
          "tbody",
          null,
          rows.slice(0, shown).map((row, index) =>
            h(
              "tr",
              { key: keyOf?.(row) ?? index },
              columns.map(({ title, cell, kind }, at) =>
                h(
                  "td",
                  { key: at, class: `cell-${kind ?? "text"}`, "data-title": title },
                  cell(row),
                )
              ),
            )
          ),
        ),
      ),
    ),
    left > 0 && h(Button, {
      label: `Show ${count(Math.min(left, STEP))} more of ${count(left)}`,
      onClick: () => setShown(shown + STEP),
    }),
  );
}
