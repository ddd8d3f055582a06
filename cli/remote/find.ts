import { pathMatcher } from "../../core/glob.ts";
import type { ResourceEntry } from "../../schemas/resources.ts";
import { parseSize } from "../../schemas/units.ts";
import { patterns } from "../arguments.ts";
import { printable } from "../../schemas/printable.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { listing } from "./listing.ts";
import { printError } from "../print_error.ts";
import { printLines } from "../output.ts";
import { SEARCH_OPTIONS, searching, searchQuery } from "./search.ts";
import { remoteDirectory, verbArguments } from "./verb.ts";

/** The kinds of entries. */
export const ENTRY_TYPES = ["file", "directory"] as const;

/** `strongroom find`: prints the paths of a server that meet all conditions (C 25, C 29). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given = "", ...others] } = verbArguments(args, {
    name: { type: "string", multiple: true, default: [] },
    type: { type: "string" },
    "min-size": { type: "string" },
    "max-size": { type: "string" },
    ...SEARCH_OPTIONS,
  });
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const names = patterns("--name", values.name).map(pathMatcher);
  const type = typeOf(values.type);
  const min = sizeOf("--min-size", values["min-size"]);
  const max = sizeOf("--max-size", values["max-size"]);
  const isFound = ({ path, size, is_dir: isDirectory }: ResourceEntry) =>
    (names.length === 0 || names.some((matches) => matches(path))) &&
    (type === undefined || isDirectory === (type === "directory")) &&
    (min === undefined || !isDirectory && size >= min) &&
    (max === undefined || !isDirectory && size <= max);
  const path = remoteDirectory(given);
  const query = searchQuery(values);
  if (query === undefined && values.sort !== undefined) {
    throw new UsageError("--sort needs a condition such as --kind or --text");
  }
  const connection = await Connection.open(values);
  const batches = query === undefined
    ? listing(connection, path, { recursive: true })
    : searching(connection, { ...query, path }, noteIncomplete);
  async function* lines() {
    for await (const batch of batches) {
      const found = batch.filter(isFound);
      yield* found.map((entry) => values.json ? JSON.stringify(entry) : printable(entry.path));
    }
  }
  await printLines(lines());
  return 0;
}

function noteIncomplete(): void {
  printError("Facts of some directories are not up to date yet: search again in a moment");
}

function typeOf(given: string | undefined): typeof ENTRY_TYPES[number] | undefined {
  const found = ENTRY_TYPES.find((it) => it === given);
  if (found !== undefined || given === undefined) return found;
  throw new UsageError(`--type must be one of ${ENTRY_TYPES.join(", ")}, not "${given}"`);
}

function sizeOf(option: string, given: string | undefined): number | undefined {
  const size = given === undefined ? undefined : parseSize(given);
  if (size !== undefined || given === undefined) return size;
  throw new UsageError(`${option} must be a size such as 5GiB, 300MB or 1000000, not "${given}"`);
}
