import type { HistoryChanges, Purge } from "../../core/history_changes.ts";
import { type RunStatement, type SqlRow, type SqlValue, toBytes } from "./dialect.ts";
import { parentOf } from "../../core/paths.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import type { PurgeStatement } from "./purge_statements.ts";

/** The most hashes of a statement. */
const MAX_HASHES = 1000;

/** {@link HistoryChanges.purge}. See docs/design/past.md. */
export async function purge(
  run: RunStatement<PurgeStatement>,
  { userId: user, paths, hashes = [] }: Purge,
): Promise<string[]> {
  await run("settle", { user });
  const asked = { user, paths: JSON.stringify(paths) };
  const files = paths.length === 0 ? [] : await run("forgetFiles", asked);
  const contents = new Set([...hashes, ...files.map(({ hash }) => String(hash))]);
  const all = [...contents];
  for (let start = 0; start < all.length; start += MAX_HASHES) {
    const part = JSON.stringify(all.slice(start, start + MAX_HASHES));
    await run("forgetContents", { user, hashes: part });
  }
  if (paths.length > 0) await forgetDirectories(run, user, await run("goneDirectories", asked));
  await forgetScans(run, user, all);
  await run("forgetCommits", { user });
  await run("recount", { user });
  return all;
}

/** Forgets directories from within, as far as nothing is left in them: what is left needs those above it. */
async function forgetDirectories(
  run: RunStatement<PurgeStatement>,
  user: number,
  rows: readonly SqlRow[],
): Promise<void> {
  const ids = JSON.stringify(rows.map(({ id }) => Number(id)));
  while ((await run("forgetDirectories", { user, ids })).length > 0);
}

/** {@link HistoryChanges.holders} */
export async function holders(
  run: RunStatement<PurgeStatement>,
  sha256: string,
): ReturnType<HistoryChanges["holders"]> {
  const hashes = (await run("contentsWith", { sha256 })).map(({ hash }) => String(hash));
  const rows = await run("holders", { hashes: JSON.stringify(hashes) });
  return { hashes, records: rows.map(toFile) };
}

function toFile(row: SqlRow): ResourceRecord {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    path: String(row.path),
    name: String(row.name),
    hash: String(row.hash),
    size: Number(row.size),
    crc32: Number(row.crc32),
    isDir: false,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** {@link HistoryChanges.purgeEverywhere} */
export async function purgeEverywhere(
  run: RunStatement<PurgeStatement>,
  purged: readonly string[],
): Promise<void> {
  const hashes = JSON.stringify(purged);
  await run("settle", { user: 0 });
  await run("forgetEverywhere", { hashes });
  await run("forgetTagged", { hashes });
  await run("recountTags", {});
  await run("forgetWaiting", { hashes });
  await forgetScans(run, 0, purged);
  await run("forgetCommits", { user: 0 });
  await run("recount", { user: 0 });
}

/**
 * Forgets what scans have found in contents that a tree has no more, and the reports that tell of them: their words
 * may quote what was in a file.
 *
 * @param user Whose tree. 0 for all trees.
 */
async function forgetScans(
  run: RunStatement<PurgeStatement>,
  user: number,
  hashes: readonly string[],
): Promise<void> {
  const gone = new Set<string>();
  for (let start = 0; start < hashes.length; start += MAX_HASHES) {
    const part = JSON.stringify(hashes.slice(start, start + MAX_HASHES));
    for (const { hash } of await run("gone", { user, hashes: part })) gone.add(String(hash));
  }
  if (gone.size === 0) return;
  const forgotten = { user, hashes: JSON.stringify([...gone]) };
  await run("forgetResults", forgotten);
  await run("forgetFailures", forgotten);
  await run("forgetFacts", forgotten);
  await run("forgetTensors", forgotten);
  await forgetWords(run, user);
  let [scan, part, position] = [0, -1, -1];
  for (;;) {
    const [row] = await run("nextReportChunk", { user, scan, part, position });
    if (row === undefined) return;
    [scan, part, position] = [Number(row.scan_id), Number(row.part), Number(row.position)];
    if (!tellsOf(row.chunk, gone)) continue;
    await run("forgetReport", { scan });
  }
}

/**
 * Forgets the facts of directories that may have words of what is gone, and has them made anew: searches find nothing by
 * such words from the commit on. Marks are made anew, so that whoever has read them before writes nothing.
 */
async function forgetWords(run: RunStatement<PurgeStatement>, user: number): Promise<void> {
  // No document that is made meanwhile has words of what is gone.
  await run("alone", {});
  const paths = new Map<string, { readonly user_id: number; readonly path: string }>();
  const found = await run("marks", { user });
  const marks = found.map(({ user_id, id, parent }) => ({
    user_id: Number(user_id),
    id: Number(id),
    parent: String(parent),
  }));
  // Before the others go: their positions must not be taken.
  await run("markAgain", { marks: JSON.stringify(marks) });
  await run("dropMarks", {
    positions: JSON.stringify(found.map(({ position }) => String(position))),
  });
  for (const { user_id, parent } of marks) {
    for (let path = parent; path !== ""; path = parentOf(path)) {
      paths.set(`${user_id}/${path}`, { user_id, path });
    }
  }
  const marked = await run("markDirectories", { directories: JSON.stringify([...paths.values()]) });
  await run("forgetDirectoryFacts", { ids: idsOf(marked) });
  await run("removeDocuments", { ids: idsOf([...marks, ...marked]) });
}

function idsOf(rows: readonly SqlRow[]): string {
  return JSON.stringify(rows.map(({ id }) => String(id)));
}

/** An MD5 as reports have it. */
const MD5 = /\b[0-9a-f]{32}\b/g;

/** Whether a part of a report has the MD5 of one of the contents. A part has that of a file whole. */
function tellsOf(chunk: SqlValue | undefined, hashes: ReadonlySet<string>): boolean {
  const bytes = toBytes(chunk);
  if (bytes === undefined) return false;
  return new TextDecoder().decode(bytes).matchAll(MD5).some(([md5]) => hashes.has(md5));
}
