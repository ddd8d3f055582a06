import type { LocatedRecord } from "../../core/ports.ts";
import { type SqlValue, toBytes } from "./dialect.ts";
import { recordOf } from "./record_rows.ts";
import { toFacts } from "./s3_store.ts";

/** The columns after those of a record that {@link locatedOf} reads, and the tables that they are of. */
export const LOCATED = {
  columns: "contents.bytes, contents.object, s3_objects.etag, s3_objects.metadata",
  /** @param records The name of the table of the records. */
  tables: (records: string) =>
    `LEFT JOIN contents ON contents.hash = ${records}.hash
     LEFT JOIN s3_objects
       ON s3_objects.record_id = ${records}.id AND s3_objects.hash = ${records}.hash`,
} as const;

/** Makes a record of its values, with what belongs to it of those of {@link LOCATED}. */
export function locatedOf(values: readonly SqlValue[]): LocatedRecord {
  const record = recordOf(values);
  if (record.isDir) return { record };
  const [bytes, object, etag, metadata] = values.slice(-4);
  return {
    record,
    located: {
      bytes: toBytes(bytes),
      object: typeof object === "string" ? object : undefined,
    },
    ...metadata !== null && { facts: toFacts({ etag, metadata }) },
  };
}
