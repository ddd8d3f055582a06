import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../shared/api.ts";
import { count, plural } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { later } from "../ui/later.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Rows } from "../ui/rows.ts";
import { HeaderError, shortened } from "./header.ts";
import { type ReadFile, readRange } from "./prefix.ts";
import type { AsyncBuffer, FileMetaData, ParquetReader, SchemaElement } from "./parquet_reader.ts";
import { Table } from "./table.ts";

/** How much is read of a file to describe it, and how much to show rows: 8 and 32 MiB. */
const MAX_DESCRIPTION = 8 * 2 ** 20;
const MAX_READ = 32 * 2 ** 20;
interface Props {
  readonly file: ReadFile;
  readonly reader: ParquetReader;
}

/** A table in Parquet: its columns by its own description, and its first rows if a person wants them. */
export const ParquetView = later("the table", async () => {
  const reader = await import("./parquet_reader.ts");
  return (props: { readonly file: ReadFile }) => h(ParquetTable, { ...props, reader });
});

function ParquetTable({ file, reader }: Props): ComponentChild {
  const [withRows, setWithRows] = useState(false);
  const description = useLoaded(
    (signal) => guarded(() => reader.describe(sourceOf(file, MAX_DESCRIPTION, signal))),
    [file.etag],
  );
  return h(Await<FileMetaData | HeaderError>, {
    loading: description,
    what: "the columns",
    children: (it) =>
      it instanceof HeaderError ? h("p", null, it.message) : [
        h(Columns, { key: "columns", description: it }),
        withRows ? h(FirstRows, { key: "rows", file, reader, description: it }) : h(Button, {
          key: "more",
          label: "Show the first rows",
          onClick: () => setWithRows(true),
        }),
      ],
  });
}

function Columns({ description }: { readonly description: FileMetaData }): ComponentChild {
  const columns = description.schema.slice(1);
  return [
    h(
      "p",
      { key: "sum" },
      `${count(Number(description.num_rows))} rows in ${plural(columns.length, "column")}, ` +
        plural(description.row_groups.length, "group"),
    ),
    h(Rows<SchemaElement>, {
      key: "columns",
      label: "Columns",
      rows: columns,
      columns: [
        { title: "Column", kind: "code", cell: ({ name }) => h("bdi", null, shortened(name)) },
        { title: "Type", cell: typeOf },
        { title: "Values", cell: ({ repetition_type: it = "" }) => it.toLowerCase() },
      ],
    }),
  ];
}

function typeOf({ logical_type: logical, converted_type: converted, type }: SchemaElement): string {
  return (logical?.type ?? converted ?? type ?? "group").toLowerCase();
}

function FirstRows(
  { file, reader, description }: Props & { readonly description: FileMetaData },
): ComponentChild {
  const rows = useLoaded(
    (signal) => guarded(() => reader.readRows(sourceOf(file, MAX_READ, signal), description)),
    [file.etag],
  );
  return h(Await<readonly Record<string, unknown>[] | HeaderError>, {
    loading: rows,
    what: "the first rows",
    children: (it) => {
      if (it instanceof HeaderError) return h("p", null, it.message);
      const header = Object.keys(it[0] ?? {});
      const table = { header, rows: it.map((row) => header.map((name) => shown(row[name]))) };
      return h(Table, { table, remark: `The first ${plural(it.length, "row")}` });
    },
  });
}

/** A file as its parts are read, so many bytes at most. */
function sourceOf(file: ReadFile, maxBytes: number, signal: AbortSignal): AsyncBuffer {
  let left = maxBytes;
  return {
    byteLength: file.size,
    slice: async (start, end = file.size) => {
      left -= end - start;
      if (left < 0) throw new HeaderError("It is too large to show");
      return (await readRange(file, { start, end }, signal)).buffer;
    },
  };
}

/** What was read, or why the content does not allow it. @throws {ApiError} */
async function guarded<T>(read: () => Promise<T>): Promise<T | HeaderError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError || error instanceof DOMException) throw error;
    return error instanceof HeaderError
      ? error
      : new HeaderError(`It cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return plural(value.length, "byte");
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  return JSON.stringify(value, (_, it) => typeof it === "bigint" ? String(it) : it);
}
