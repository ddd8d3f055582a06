/** What reads Parquet, which browsers load with the first such file. */

import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from "hyparquet";
import { HeaderError } from "./header.ts";

export type { AsyncBuffer, FileMetaData, SchemaElement } from "hyparquet";
export type ParquetReader = Readonly<{ describe: typeof describe; readRows: typeof readRows }>;

/** Larger parts are not unpacked: 64 MiB. */
const MAX_UNPACKED = 64 * 2 ** 20;
/** Rows of the first group, all of which are unpacked. */
const MAX_GROUP_ROWS = 2_000_000;
const SHOWN_ROWS = 50;

/** What a file says of its columns and rows. @throws {Error} when it is malformed. */
export function describe(source: AsyncBuffer): Promise<FileMetaData> {
  return parquetMetadataAsync(source);
}

/** The first rows. @throws {HeaderError} when they take too much to read. @throws {Error} when they are malformed. */
export function readRows(
  source: AsyncBuffer,
  metadata: FileMetaData,
): Promise<readonly Record<string, unknown>[]> {
  const [group] = metadata.row_groups;
  const unpacked = group?.columns.reduce(
    (sum, { meta_data: it }) => sum + Number(it?.total_uncompressed_size ?? 0),
    0,
  ) ?? 0;
  if (unpacked > MAX_UNPACKED || Number(group?.num_rows ?? 0) > MAX_GROUP_ROWS) {
    throw new HeaderError("The rows lie in groups that are too large to show");
  }
  return parquetReadObjects({
    file: source,
    metadata,
    rowEnd: SHOWN_ROWS,
    useOffsetIndex: true,
    compressors: {
      SNAPPY: (input, length) => {
        if (length > MAX_UNPACKED) throw new HeaderError("A page is too large to show");
        const output = new Uint8Array(length);
        snappyUncompress(input, output);
        return output;
      },
    },
  });
}
