import { EmptiedTrash, type TrashEntry, TrashList } from "../../schemas/history.ts";
import { printable } from "../../schemas/printable.ts";
import { formatBytes } from "../../schemas/units.ts";
import { printLines, printNote } from "../output.ts";
import { print } from "../print.ts";
import { counted } from "../terminal_text.ts";
import { UsageError } from "../usage_error.ts";
import { printCount } from "./changed_entries.ts";
import { Connection } from "./connection.ts";
import { restorePath } from "./restore.ts";
import { remotePath, verbArguments } from "./verb.ts";

/** `strongroom trash`: lists what was deleted on a server, restores it, or gives it up (C 26). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "restore":
      return await restore(others);
    case "empty":
      return await empty(others);
    default:
      return await list(args);
  }
}

const PAGE_ENTRIES = 1000;

async function* entries(connection: Connection): AsyncGenerator<TrashEntry> {
  let after: string | undefined;
  do {
    const query = { after, limit: String(PAGE_ENTRIES) };
    const page = await connection.json(TrashList, "GET", "/resources/trash", { query });
    yield* page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

async function list(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  if (positionals.length > 0) {
    throw new UsageError(`trash takes restore or empty, not "${positionals[0]}"`);
  }
  const connection = await Connection.open(values);
  async function* lines() {
    for await (const entry of entries(connection)) {
      yield values.json ? JSON.stringify(entry) : entryLine(entry);
    }
  }
  await printLines(lines());
  return 0;
}

function entryLine({ time, user_id: user, path, is_dir: isDirectory, size, files }: TrashEntry) {
  const at = `${time.slice(0, 10)} ${time.slice(11, 19)}`;
  const amount = isDirectory ? `  (${counted(files, "file", "files")})` : "";
  return `${at}  ${user}  ${formatBytes(size).padStart(11)}  ${printable(path)}${
    isDirectory ? "/" : ""
  }${amount}`;
}

/** Restores the newest of what was deleted at each path. */
async function restore(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    force: { type: "boolean", short: "f", default: false },
  });
  const wanted = new Set(positionals.map(remotePath));
  if (wanted.size === 0) throw new UsageError("trash restore needs one path or more");
  const connection = await Connection.open(values);
  const found = new Map<string, number>();
  for await (const { path, version } of entries(connection)) {
    if (!wanted.has(path) || found.has(path)) continue;
    found.set(path, version);
    if (found.size === wanted.size) break;
  }
  const missing = [...wanted].find((path) => !found.has(path));
  if (missing !== undefined) throw new Error(`"${printable(missing)}" is not in the trash`);
  let count = 0;
  for (const [path, version] of found) {
    const value = { path, at: String(version - 1), force: values.force };
    count += await restorePath(connection, value, values);
  }
  if (!values.json) printCount("Restored", count);
  return 0;
}

async function empty(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    all: { type: "boolean", default: false },
  });
  const paths = positionals.map(remotePath);
  if ((paths.length === 0) !== values.all) {
    throw new UsageError("trash empty needs one path or more, or --all");
  }
  const connection = await Connection.open(values);
  let total = 0;
  for (const path of values.all ? [undefined] : paths) {
    const query = { path };
    total += (await connection.json(EmptiedTrash, "DELETE", "/resources/trash", { query })).total;
  }
  if (values.json) print(JSON.stringify({ total }));
  else printNote(`Gave up ${counted(total, "entry", "entries")}`);
  return 0;
}
