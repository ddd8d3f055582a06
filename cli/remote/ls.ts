import { printable } from "../../schemas/printable.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import { formatBytes } from "../../schemas/units.ts";
import { printError } from "../print_error.ts";
import { Connection } from "./connection.ts";
import { listing } from "./listing.ts";
import { printLines } from "../output.ts";
import { RemoteError } from "./remote_error.ts";
import { remoteDirectory, verbArguments, versionOption } from "./verb.ts";

/** How entries are printed. */
interface Format {
  readonly json: boolean;
  readonly long: boolean;
  readonly recursive: boolean;
}

/** `strongroom ls`: lists directories and files of a server (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    at: { type: "string" },
    long: { type: "boolean", short: "l", default: false },
    recursive: { type: "boolean", short: "R", default: false },
  });
  versionOption("--at", values.at);
  const [path = "", ...others] = positionals.map(remoteDirectory);
  const connection = await Connection.open(values);
  if (others.length > 0) return await listSeveral(connection, [path, ...others], values);
  await printLines(linesOf(connection, path, values));
  return 0;
}

/** Lists the files, then each directory below its path, as `ls` does. What is not there holds no other up. */
async function listSeveral(
  connection: Connection,
  paths: readonly string[],
  format: Format,
): Promise<number> {
  const files: ResourceEntry[] = [];
  const directories: string[] = [];
  let code = 0;
  for (const path of paths) {
    try {
      const entry = path === "" ? undefined : await statOf(connection, path);
      if (entry === undefined || entry.is_dir) directories.push(path);
      else files.push(entry);
    } catch (error) {
      if (!(error instanceof RemoteError) || error.status !== 404) throw error;
      printError(error.message);
      code = 1;
    }
  }
  async function* lines() {
    yield* files.map((file) => entryLine(file, "", format));
    for (const [index, directory] of directories.entries()) {
      if (!format.json) {
        if (index > 0 || files.length > 0) yield "";
        yield `${printable(directory) || "/"}:`;
      }
      yield* linesOf(connection, directory, format);
    }
  }
  await printLines(lines());
  return code;
}

function statOf(connection: Connection, path: string): Promise<ResourceEntry> {
  return connection.json(ResourceEntry, "GET", "/resources/stat", { query: { path } });
}

async function* linesOf(
  connection: Connection,
  path: string,
  format: Format,
): AsyncGenerator<string> {
  for await (const batch of listing(connection, path, format)) {
    yield* batch.map((entry) => entryLine(entry, path, format));
  }
}

/** The widest size, such as `1,023 bytes`. */
const SIZE_WIDTH = 11;

/** The path below the listed directory; with `long`, after the size and the time of the last change. */
function entryLine(entry: ResourceEntry, directory: string, { json, long }: Format): string {
  if (json) return JSON.stringify(entry);
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
