import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { bytes, count, plural } from "../shared/format.ts";
import { Rows } from "../ui/rows.ts";
import { Loading, Problem } from "../ui/states.ts";
import { shortened } from "./header.ts";
import type { ReadFile } from "./prefix.ts";
import { readCsv, separatorOf, type TextTable } from "./csv.ts";
import { textOf } from "./kinds.ts";
import { usePrefix } from "./use_prefix.ts";

/** How much of a table is read: 1 MiB. */
const MAX_BYTES = 2 ** 20;

/** A table of values that are separated by commas or tabs. */
export function TableView({ file }: { readonly file: ReadFile }): ComponentChild {
  const { start, more, isReading, error } = usePrefix(file, MAX_BYTES);
  const isCut = start.length < file.size;
  const table = useMemo(() => {
    const text = textOf(start);
    const isTabs = file.path.toLowerCase().endsWith(".tsv");
    return readCsv(text, { separator: isTabs ? "\t" : separatorOf(text), isCut });
  }, [start]);
  if (error !== undefined) return h(Problem, { error, retry: more });
  if (isReading) return h(Loading, { what: "the table" });
  return h(Table, {
    table,
    remark: isCut
      ? `The first ${bytes(start.length)} of ${bytes(file.size)}, ${
        plural(table.rows.length, "row")
      }`
      : plural(table.rows.length, "row"),
  });
}

/** A table of texts, with what it is a part of. */
export function Table(
  { table: { header, rows }, remark }: { readonly table: TextTable; readonly remark: string },
): ComponentChild {
  const widest = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  return [
    h("p", { key: "remark", class: "muted" }, `${remark}, ${count(widest)} columns`),
    h(Rows<readonly string[]>, {
      key: "rows",
      label: "Rows of the file",
      rows,
      columns: Array.from({ length: widest }, (_, at) => ({
        title: shortened(header[at] ?? "") || `Column ${at + 1}`,
        cell: (row: readonly string[]) => h("bdi", null, shortened(row[at] ?? "")),
      })),
    }),
  ];
}
