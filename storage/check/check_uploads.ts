import { quoted } from "../../core/errors.ts";
import { Connection } from "../database/connection.ts";
import { databasePath, uploadDirectory } from "../disk/data_directory.ts";
import { orMissing, orMissingSync } from "../disk/files.ts";
import type { Findings } from "./findings.ts";

interface UnfinishedUpload {
  readonly id: string;
  readonly userId: number;
  readonly path: string;
  readonly received: number;
}

/**
 * Compares unfinished uploads with their parts (C 21). Returns how many parts have no unfinished upload: the
 * next start removes them.
 */
export async function checkUploads(
  dataDir: string,
  findings: Findings,
  { repair, served }: { readonly repair: boolean; readonly served: boolean },
): Promise<number> {
  using connection = new Connection(databasePath(dataDir), { readOnly: !repair });
  const known = new Set<string>();
  for (const upload of unfinishedUploads(connection)) {
    known.add(upload.id);
    const part = `${uploadDirectory(dataDir)}/${upload.id}`;
    const size = orMissingSync(() => Deno.lstatSync(part))?.size;
    // A server may have completed it just now.
    if (size === undefined ? served : size >= upload.received) continue;
    if (repair) connection.run("DELETE FROM uploads WHERE id = :id", { id: upload.id });
    findings.add({
      kind: "upload",
      message: `The unfinished upload of ${quoted(upload.path)} by user ${upload.userId} has ` +
        `${size ?? 0} bytes left of ${upload.received}`,
      user_id: upload.userId,
      path: upload.path,
    }, { repaired: repair });
  }
  const parts = await orMissing(
    Array.fromAsync(Deno.readDir(uploadDirectory(dataDir)), ({ name }) => name),
  );
  return served ? 0 : (parts ?? []).filter((id) => !known.has(id)).length;
}

/** None in a database from before there were any. */
function unfinishedUploads(connection: Connection): UnfinishedUpload[] {
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'uploads'";
  if (connection.get(table) === undefined) return [];
  return connection.all(
    "SELECT id, user_id, path, received FROM uploads WHERE completed_at IS NULL",
  ).map((row) => ({
    id: String(row.id),
    userId: Number(row.user_id),
    path: String(row.path),
    received: Number(row.received),
  }));
}
