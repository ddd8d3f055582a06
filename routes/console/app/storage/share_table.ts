import { type ComponentChild, type ComponentChildren, h } from "preact";
import type { EntryShares } from "../../../../schemas/shares.ts";
import { bytes, count, plural, share } from "../shared/format.ts";
import { Bar } from "../ui/bar.ts";
import { Rows } from "../ui/rows.ts";

type Amount = Pick<EntryShares["items"][number], "files" | "bytes">;

/** A line of the table: a part, or the others together. */
interface Line extends Amount {
  readonly key: string | number;
  readonly name: ComponentChildren;
}

/** Parts of what is stored, the largest first, with a bar each beside the numbers. */
export function ShareTable<Item extends Amount>(
  { label, title, items, others, keyOf, nameOf }: {
    readonly label: string;
    /** What a part is. */
    readonly title: string;
    readonly items: readonly Item[];
    readonly others: EntryShares["others"];
    readonly keyOf: (item: Item) => string | number;
    readonly nameOf: (item: Item) => ComponentChildren;
  },
): ComponentChild {
  const lines: Line[] = items.map((item) => ({
    key: keyOf(item),
    name: nameOf(item),
    files: item.files,
    bytes: item.bytes,
  }));
  // No part has this key: names have no slash at their end.
  if (others.parts > 0) lines.push({ ...others, key: "/", name: plural(others.parts, "other") });
  const total = lines.reduce((sum, line) => sum + line.bytes, 0);
  const largest = Math.max(1, ...lines.map((line) => line.bytes));
  const table = h(Rows<Line>, {
    label,
    rows: lines,
    keyOf: ({ key }) => key,
    columns: [
      { title, cell: ({ name }) => name },
      { title: "Files", kind: "number", cell: ({ files }) => count(files) },
      { title: "Size", kind: "number", cell: (line) => bytes(line.bytes) },
      {
        title: "Of all",
        kind: "number",
        cell: (line) => share(line.bytes, total),
      },
      { title: "Of the largest", cell: (line) => h(Bar, { part: line.bytes / largest }) },
    ],
  });
  return h("div", { class: "shares" }, table);
}
