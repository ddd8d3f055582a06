import type { HistoryChanges, Purge } from "../../core/history_changes.ts";
import type { RunStatement, SqlRow } from "./dialect.ts";
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
  if (paths.length > 0) await run("forgetDirectories", asked);
  await run("forgetCommits", { user });
  await run("recount", { user });
  return all;
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
  await run("forgetResults", { hashes });
  await run("forgetFailures", { hashes });
  await run("forgetFacts", { hashes });
  await run("forgetCommits", { user: 0 });
  await run("recount", { user: 0 });
}
