import { parseArguments } from "./arguments.ts";
import { UsageError } from "./usage_error.ts";

/** The arguments of `strongroom backup` and `strongroom restore`. */
export interface BackupArguments {
  /** The directory of the backup. */
  readonly directory: string;
  readonly json: boolean;
}

/** @throws {UsageError} when they are not one directory and known options. */
export function backupArguments(args: readonly string[]): BackupArguments {
  const { values, positionals } = parseArguments({
    args: [...args],
    options: { json: { type: "boolean", default: false } },
    strict: true,
    allowPositionals: true,
  });
  const [directory, ...others] = positionals;
  if (!directory) throw new UsageError("The directory of the backup is required");
  if (others.length > 0) {
    throw new UsageError(`Only one directory is allowed, not also "${others[0]}"`);
  }
  return { directory, json: values.json };
}
