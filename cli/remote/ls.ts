import { printable } from "../../schemas/printable.ts";
import type { ResourceEntry } from "../../schemas/resources.ts";
import { formatBytes } from "../../schemas/units.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { listing } from "./listing.ts";
import { printLines } from "../output.ts";
import { remoteDirectory, verbArguments } from "./verb.ts";

/** `strongroom ls`: lists a directory of a server (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given = "", ...others] } = verbArguments(args, {
    long: { type: "boolean", short: "l", default: false },
    recursive: { type: "boolean", short: "R", default: false },
  });
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const path = remoteDirectory(given);
  const connection = await Connection.open(values);
  const lineOf = values.json
    ? (entry: ResourceEntry) => JSON.stringify(entry)
    : (entry: ResourceEntry) => entryLine(entry, path, values.long);
  await printLines(lines(listing(connection, path, values), lineOf));
  return 0;
}

async function* lines(
  batches: AsyncIterable<readonly ResourceEntry[]>,
  lineOf: (entry: ResourceEntry) => string,
): AsyncGenerator<string> {
  for await (const batch of batches) yield* batch.map(lineOf);
}

/** The widest size, such as `1,023 bytes`. */
const SIZE_WIDTH = 11;

/** The path below the listed directory; with `long`, after the size and the time of the last change. */
function entryLine(entry: ResourceEntry, directory: string, long: boolean): string {
  const { path, name, is_dir: isDirectory, size, updated_at: updatedAt } = entry;
  const shown = directory === ""
    ? path
    : path === directory
    ? name
    : path.slice(directory.length + 1);
  const title = `${printable(shown)}${isDirectory ? "/" : ""}`;
  if (!long) return title;
  const time = `${updatedAt.slice(0, 10)} ${updatedAt.slice(11, 19)}`;
  return `${(isDirectory ? "-" : formatBytes(size)).padStart(SIZE_WIDTH)}  ${time}  ${title}`;
}
