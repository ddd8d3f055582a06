import type { Settings } from "../../schemas/settings.ts";
import { databaseOf } from "../../schemas/database_url.ts";
import { migrate } from "../../storage/upkeep/migrate/migrate.ts";
import type { Strongroom } from "../../storage/upkeep/migrate/strongrooms.ts";
import { loadSettings, logOf } from "../environment.ts";
import { printOutcome, totalsText, withProgress } from "../backup/outcome.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { finish } from "../../storage/upkeep/migrate/finish.ts";
import { migrateArguments } from "../migrate_arguments.ts";
import { contentSettings } from "../serve/content_settings.ts";

/**
 * `strongroom migrate`: carries a strongroom to other engines (C 23). Exit code 0: the target is whole; 1: what
 * is damaged at the source keeps it from that; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const given = await migrateArguments(args);
  if (given === "finish") return await finishUpgrade();
  const { from, to, json } = given;
  const { result, seconds } = await withProgress(
    "Preparing",
    (onProgress) => migrate(strongroomOf(from), strongroomOf(to), onProgress),
  );
  const { rows, contents, leftBehind, findings } = result;
  return printOutcome({
    json,
    findings,
    text: findings.found > 0
      ? `"${to.dataDir}" is not whole: repair the source or delete these files there, and run this again`
      : `Migrated ${number(rows.get("records"))} records with ${totalsText(contents)} ` +
        `to "${to.dataDir}", and verified them, in ${seconds.toFixed(1)} s` +
        leftText(leftBehind),
    document: {
      rows: Object.fromEntries(rows),
      contents,
      left_behind: { unfinished_uploads: leftBehind.uploads, waiting: leftBehind.waiting },
      seconds,
    },
  });
}

/** `strongroom migrate --finish` (C 31). */
async function finishUpgrade(): Promise<number> {
  const database = databaseOf(loadSettings());
  if (database === undefined) {
    throw new UsageError("--finish needs STRONGROOM_DATABASE_URL: other databases have one server");
  }
  print(
    await finish(database)
      ? "The upgrade is finished: servers of earlier versions do not start any more"
      : "No upgrade is in progress",
  );
  return 0;
}

function strongroomOf(settings: Settings): Strongroom {
  const { dataDir } = settings;
  return {
    dataDir,
    options: {
      database: databaseOf(settings),
      content: contentSettings(settings, logOf(settings)),
    },
  };
}

function leftText({ uploads, waiting }: { uploads: number; waiting: number }): string {
  if (uploads + waiting === 0) return "";
  return `. Not carried: ${number(uploads)} unfinished uploads, and ${number(waiting)} contents ` +
    "that wait for a commit; clients send them again";
}

function number(count = 0): string {
  return count.toLocaleString("en");
}
