import { backUp } from "../../storage/backup/back_up.ts";
import { loadSettings } from "../environment.ts";
import { backupArguments } from "../backup_arguments.ts";
import { CopyView, totalsText } from "./copy_view.ts";

/**
 * `strongroom backup`: backs up the data directory (C 22). Exit code 0: the backup is whole; 1: content
 * is missing from it, because it is damaged in the data directory; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const { directory, json } = backupArguments(args);
  const { dataDir } = loadSettings();
  const started = performance.now();
  using view = new CopyView();
  const { snapshot, copied, removed } = await backUp(dataDir, directory, view);
  view.clear();
  const seconds = Math.round(performance.now() - started) / 1000;
  if (json) {
    console.log(JSON.stringify({ snapshot, copied, removed, seconds }));
  } else {
    console.log(
      `Backed up ${totalsText(snapshot)} to "${directory}": copied ${totalsText(copied)}, ` +
        `removed ${removed}, in ${seconds.toFixed(1)} s`,
    );
  }
  return snapshot.damaged === 0 ? 0 : 1;
}
