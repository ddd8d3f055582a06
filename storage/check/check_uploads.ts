import { quoted } from "../../core/errors.ts";
import { Connection } from "../database/connection.ts";
import { databasePath, uploadDirectory } from "../disk/data_directory.ts";
import { orMissing, orMissingSync } from "../disk/files.ts";
import type { Finding, Findings } from "./findings.ts";

/** A row whose content is in a file of `uploads/`. */
interface Waiting {
  readonly table: "uploads" | "lfs_objects";
  readonly id: string;
  /** How many bytes the file has at least. */
  readonly bytes: number;
  readonly what: string;
  readonly finding: Pick<Finding, "user_id" | "path">;
}

/**
 * Compares unfinished uploads (C 21), and content that waits for a commit (C 20), with their files. Returns
 * how many files have no row: the next start removes them.
 */
export async function checkUploads(
  dataDir: string,
  findings: Findings,
  { repair, served }: { readonly repair: boolean; readonly served: boolean },
): Promise<number> {
  using connection = new Connection(databasePath(dataDir), { readOnly: !repair });
  const known = new Set<string>();
  for (const { table, id, bytes, what, finding } of waiting(connection)) {
    known.add(id);
    const file = `${uploadDirectory(dataDir)}/${id}`;
    const size = orMissingSync(() => Deno.lstatSync(file))?.size;
    // A server may have made it part of the tree just now.
    if (size === undefined ? served : size >= bytes) continue;
    if (repair) connection.run(`DELETE FROM ${table} WHERE id = :id`, { id });
    findings.add({
      kind: "upload",
      message: `${what} by user ${finding.user_id} has ${size ?? 0} bytes left of ${bytes}`,
      ...finding,
    }, { repaired: repair });
  }
  const files = await orMissing(
    Array.fromAsync(Deno.readDir(uploadDirectory(dataDir)), ({ name }) => name),
  );
  return served ? 0 : (files ?? []).filter((id) => !known.has(id)).length;
}

/** None in a database from before there were any. */
function waiting(connection: Connection): Waiting[] {
  const has = (table: Waiting["table"]) => {
    const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = :table";
    return connection.get(sql, { table }) !== undefined;
  };
  const uploads = !has("uploads") ? [] : connection.all(
    "SELECT id, user_id, path, received FROM uploads WHERE completed_at IS NULL",
  ).map((row): Waiting => ({
    table: "uploads",
    id: String(row.id),
    bytes: Number(row.received),
    what: `The unfinished upload of ${quoted(String(row.path))}`,
    finding: { user_id: Number(row.user_id), path: String(row.path) },
  }));
  const objects = !has("lfs_objects") ? [] : connection.all(
    "SELECT id, user_id, lower(hex(sha256)) AS sha256, size FROM lfs_objects",
  ).map((row): Waiting => ({
    table: "lfs_objects",
    id: String(row.id),
    bytes: Number(row.size),
    what: `The content ${String(row.sha256)} that waits for a commit`,
    finding: { user_id: Number(row.user_id) },
  }));
  return [...uploads, ...objects];
}
