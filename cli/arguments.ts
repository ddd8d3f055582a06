import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from "node:util";
import { suggestion } from "./nearest.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Parses the arguments of a command that takes options only.
 *
 * @throws {UsageError} when an argument is unknown or an option has no value.
 */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  return parseArguments({ args, options, strict: true, allowPositionals: false }).values;
}

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} when an argument is unknown or an option has no value.
 */
export function parseArguments<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const unknown = /^Unknown option '([^']*)'/.exec(message)?.[1];
    if (unknown === undefined) throw new UsageError(message, { cause: error });
    const known = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    throw new UsageError(`Unknown option ${unknown}${suggestion(unknown, known)}`, {
      cause: error,
    });
  }
}
