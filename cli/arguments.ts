import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "./usage_error.ts";

/**
 * The options of a command that takes nothing else.
 *
 * @throws {UsageError} where they are not what it knows.
 */
export function options<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  return parsedArgs({ args, options, strict: true, allowPositionals: false }).values;
}

/**
 * What the arguments of a command say.
 *
 * @throws {UsageError} where they are not what it knows.
 */
export function parsedArgs<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
