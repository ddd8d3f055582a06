import { restore } from "../../storage/backup/restore.ts";
import { loadSettings } from "../environment.ts";
import { backupArguments } from "../backup_arguments.ts";
import { CopyView, totalsText } from "./copy_view.ts";

/**
 * `strongroom restore`: restores a backup into an empty data directory (C 22). Exit code 0: it is whole;
 * 1: content is missing from the backup or damaged in it; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const { directory, json } = backupArguments(args);
  const { dataDir } = loadSettings();
  const started = performance.now();
  using view = new CopyView();
  const { snapshot, damaged } = await restore(dataDir, directory, view);
  view.clear();
  const seconds = Math.round(performance.now() - started) / 1000;
  if (json) {
    console.log(JSON.stringify({ snapshot, damaged, seconds }));
  } else {
    console.log(
      `Restored ${totalsText(snapshot)} of ${snapshot.taken_at} to "${dataDir}" ` +
        `in ${seconds.toFixed(1)} s`,
    );
  }
  return damaged === 0 ? 0 : 1;
}
