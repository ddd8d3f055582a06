import { databaseOf } from "../../schemas/database_url.ts";
import { adopt } from "../../storage/upkeep/adopt/adopt.ts";
import { loadSettings, logOf } from "../environment.ts";
import { print } from "../print.ts";
import { contentSettings } from "../serve/content_settings.ts";
import { expectNoArguments, UsageError } from "../usage_error.ts";

/** `strongroom adopt`: has the objects of the settings belong to the database of the settings (C 23). */
export async function run(args: string[]): Promise<number> {
  expectNoArguments(args);
  const settings = loadSettings();
  const database = databaseOf(settings);
  const content = contentSettings(settings, logOf(settings));
  if (database === undefined || content === undefined) {
    throw new UsageError("STRONGROOM_DATABASE_URL and STRONGROOM_CONTENT_URL are required");
  }
  const isNew = await adopt(database, content);
  print(
    isNew
      ? "The objects belong to this database from now on: no server of the other one may use them"
      : "The objects belong to this database",
  );
  return 0;
}
