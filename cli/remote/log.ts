import { type HistoryEntry, HistoryList } from "../../schemas/history.ts";
import { printable } from "../../schemas/printable.ts";
import { printLines } from "../output.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { remoteDirectory, verbArguments } from "./verb.ts";

const PAGE_CHANGES = 1000;

/** `strongroom log`: prints what has changed at a path of a server and below it, newest first (C 26). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given = "", ...others] } = verbArguments(args, {
    limit: { type: "string", short: "n" },
  });
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const path = remoteDirectory(given);
  const limit = limitOf(values.limit);
  const connection = await Connection.open(values);
  async function* lines() {
    for await (const change of changes(connection, path, limit)) {
      yield values.json ? JSON.stringify(change) : changeLine(change);
    }
  }
  await printLines(lines());
  return 0;
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new UsageError(`--limit must be a number such as 20, not "${given}"`);
}

async function* changes(
  connection: Connection,
  path: string,
  limit: number,
): AsyncGenerator<HistoryEntry> {
  let after: string | undefined;
  for (let left = limit; left > 0;) {
    const query = { path, after, limit: String(Math.min(left, PAGE_CHANGES)) };
    const page = await connection.json(HistoryList, "GET", "/resources/history", { query });
    yield* page.items;
    left -= page.items.length;
    if (page.next === null) return;
    after = page.next;
  }
}

/** The widest action. */
const ACTION_WIDTH = "replaced".length;

function changeLine(change: HistoryEntry): string {
  const { version, time, user_id: user, action, path, former_path: former, message } = change;
  const at = `${time.slice(0, 10)} ${time.slice(11, 19)}`;
  const where = former === null ? path : `${former} → ${path}`;
  const shown = `${printable(where)}${change.is_dir ? "/" : ""}`;
  const why = message === null ? "" : `  (${printable(message)})`;
  return `${String(version).padStart(6)}  ${at}  ${user}  ${
    action.padEnd(ACTION_WIDTH)
  }  ${shown}${why}`;
}
