import { restore } from "../../storage/upkeep/backup/restore.ts";
import { backupArguments } from "../backup_arguments.ts";
import { restoreArguments, run as restorePast } from "../remote/restore.ts";
import { UsageError } from "../usage_error.ts";
import { restoresPast } from "../commands.ts";
import { loadSettings } from "../environment.ts";
import { checkTarget, requireEmbeddedDatabase } from "../existing_directory.ts";
import { printOutcome, totalsText, withProgress } from "./outcome.ts";

/**
 * `strongroom restore`: restores a backup into an empty data directory (C 22). Exit code 0: it is whole;
 * 1: what the backup lacks is missing from it; main.ts maps failures to 2. With `--at`, what was in a tree of a
 * server (C 26).
 */
export async function run(args: string[]): Promise<number> {
  const { values } = restoreArguments(args);
  if (restoresPast(args)) return await restorePast(args);
  for (const name of ["force", "server", "tree"] as const) {
    if (values[name] !== undefined && values[name] !== false) {
      throw new UsageError(`--${name} needs --at: a backup is restored into the data directory`);
    }
  }
  const { directory, json } = backupArguments(args);
  const settings = loadSettings();
  requireEmbeddedDatabase(settings);
  const { dataDir } = settings;
  await checkTarget(dataDir);
  const { result, seconds } = await withProgress(
    "Checking the database of the backup",
    (onProgress) => restore(dataDir, directory, onProgress),
  );
  const { snapshot, findings } = result;
  return printOutcome({
    json,
    findings,
    text: `Restored ${totalsText(snapshot)} of ${snapshot.taken_at} to "${dataDir}" ` +
      `in ${seconds.toFixed(1)} s`,
    document: { snapshot, damaged: findings.found, seconds },
  });
}
