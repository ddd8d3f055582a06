import { quoted } from "../../../core/errors.ts";
import { uploadDirectory } from "../../disk/data_directory.ts";
import { orMissing, orMissingSync } from "../../disk/files.ts";
import type { AuditSource, LostUpload } from "../../tables/object_audit.ts";
import type { Findings } from "./findings.ts";

/**
 * Compares unfinished uploads (C 21), and content that waits for a commit (C 20), with their files. Returns
 * how many files have no row: the next start removes them.
 */
export async function checkUploads(
  source: AuditSource,
  dataDir: string,
  findings: Findings,
  { repair, served }: { readonly repair: boolean; readonly served: boolean },
): Promise<number> {
  const known = new Set<string>();
  for (const { start, ...upload } of await waiting(source)) {
    const { table, id, bytes } = upload;
    known.add(id);
    const file = `${uploadDirectory(dataDir)}/${id}`;
    const size = orMissingSync(() => Deno.lstatSync(file))?.size;
    // A server may have made it part of the tree just now.
    if (size === undefined ? served : size >= start + bytes) continue;
    if (repair) await source.all(`DELETE FROM ${table} WHERE id = :id RETURNING id`, { id });
    addLost(findings, { ...upload, kept: Math.max(0, (size ?? 0) - start) }, repair);
  }
  const files = await orMissing(
    Array.fromAsync(Deno.readDir(uploadDirectory(dataDir)), ({ name }) => name),
  );
  return served ? 0 : (files ?? []).filter((id) => !known.has(id)).length;
}

/** Reports an upload or waiting content that has lost bytes. */
export function addLost(findings: Findings, lost: LostUpload, repaired: boolean): void {
  const { userId: user_id, path, sha256, bytes, kept } = lost;
  const what = path === undefined
    ? `The content ${sha256} that waits for a commit`
    : `The unfinished upload of ${quoted(path)}`;
  findings.add({
    kind: "upload",
    message: `${what} by user ${user_id} has ${kept} bytes left of ${bytes}`,
    user_id,
    ...path !== undefined && { path },
  }, { repaired });
}

/** What is in a file of `uploads/`. */
interface Waiting extends Omit<LostUpload, "kept"> {
  /** Where it begins there, in bytes. */
  readonly start: number;
}

/** Rows whose content is in a file of `uploads/`: none in a database from before there were any. */
async function waiting(source: AuditSource): Promise<Waiting[]> {
  const uploads = !await source.hasTable("uploads") ? [] : await source.all(
    "SELECT id, user_id, path, received FROM uploads WHERE completed_at IS NULL",
    {},
  );
  // Older databases have no positions: each part had a file of its own.
  const parts = !await source.hasTable("s3_parts") ? [] : await source.all(
    "SELECT * FROM s3_parts",
    {},
  );
  const starts = new Map(parts.map(({ part, position = 0 }) => [String(part), Number(position)]));
  const objects = !await source.hasTable("lfs_objects") ? [] : await source.all(
    `SELECT id, user_id, ${source.dialect.hex("sha256")} AS sha256, size FROM lfs_objects`,
    {},
  );
  return [
    ...uploads.map((row) => ({
      table: "uploads" as const,
      id: String(row.id),
      userId: Number(row.user_id),
      path: String(row.path),
      sha256: undefined,
      bytes: Number(row.received),
      start: starts.get(String(row.id)) ?? 0,
    })),
    ...objects.map((row) => ({
      table: "lfs_objects" as const,
      id: String(row.id),
      userId: Number(row.user_id),
      path: undefined,
      sha256: String(row.sha256),
      bytes: Number(row.size),
      start: 0,
    })),
  ];
}
