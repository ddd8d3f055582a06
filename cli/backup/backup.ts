import { backUp } from "../../storage/upkeep/backup/back_up.ts";
import { backupArguments } from "../backup_arguments.ts";
import { loadSettings } from "../environment.ts";
import { checkDataDirectory, requireEmbeddedDatabase } from "../existing_directory.ts";
import { printOutcome, totalsText, withProgress } from "./outcome.ts";

/**
 * `strongroom backup`: backs up the data directory (C 22). Exit code 0: the backup is whole; 1: what is
 * damaged in the data directory is missing from it; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const { directory, json } = backupArguments(args);
  const settings = loadSettings();
  requireEmbeddedDatabase(settings);
  const { dataDir } = settings;
  await checkDataDirectory(dataDir);
  const { result, seconds } = await withProgress(
    "Copying the database",
    (onProgress) => backUp(dataDir, directory, onProgress),
  );
  const { snapshot, findings, inDatabase, copied, removed } = result;
  return printOutcome({
    json,
    findings,
    text: `Backed up ${totalsText(snapshot)} to "${directory}": copied the database with ` +
      `${totalsText(inDatabase)}, and ${totalsText(copied)} besides, removed ${removed}, ` +
      `in ${seconds.toFixed(1)} s`,
    document: { snapshot, in_database: inDatabase, copied, removed, seconds },
  });
}
