import { orMissing } from "./files.ts";

/** The database of a data directory (C 12). */
export function databasePath(dataDir: string): string {
  return `${dataDir}/strongroom.db`;
}

/** The directory of all content in files (C 12). */
export function blobDirectory(dataDir: string): string {
  return `${dataDir}/blobs`;
}

/** The directory of what unfinished uploads have received (C 21). */
export function uploadDirectory(dataDir: string): string {
  return `${dataDir}/uploads`;
}

/** The secret that signs credentials (C 10). */
export function secretPath(dataDir: string): string {
  return `${dataDir}/jwt.secret`;
}

/** The audit log (C 22). */
export function auditPath(dataDir: string): string {
  return `${dataDir}/audit.log`;
}

/** Exists once btrfs writes the database in place (C 12). */
export function inPlacePath(dataDir: string): string {
  return `${dataDir}/in-place`;
}

/** Exists while a backup is restored into a data directory, and after a restore that did not end. */
export function restoringPath(dataDir: string): string {
  return `${dataDir}/restoring`;
}

/** Exists while a strongroom is migrated to a data directory, and after a migration that did not end. */
export function migratingPath(dataDir: string): string {
  return `${dataDir}/migrating`;
}

/** @throws {Error} when a restore into the data directory, or a migration to it, has not ended. */
export async function refuseUnfinished(dataDir: string): Promise<void> {
  if (await orMissing(Deno.lstat(restoringPath(dataDir))) !== undefined) {
    throw new Error(
      `A backup is being restored into "${dataDir}", or that was interrupted: ` +
        "run strongroom restore again",
    );
  }
  if (await orMissing(Deno.lstat(migratingPath(dataDir))) !== undefined) {
    throw new Error(
      `A strongroom is being migrated to "${dataDir}", or that was interrupted: ` +
        "run strongroom migrate again",
    );
  }
}
