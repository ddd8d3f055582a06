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
 * Parses the arguments of a command. A negative number may be the value of an option.
 *
 * @throws {UsageError} when an argument is unknown, or an option lacks its value or has one too many.
 */
export function parseArguments<Config extends ParseArgsConfig>(config: Config) {
  const { options = {} } = config;
  const args = withNumbers(config.args ?? [], options);
  try {
    return parseArgs({ ...config, args });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(complaint(message, args, options), { cause: error });
  }
}

/** Joins options with negative numbers after them, which the parser would take for options. */
function withNumbers(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const end = args.indexOf("--");
  return args.flatMap((arg, index) => {
    const isOption = end < 0 || index < end;
    const isValue = (at: number) =>
      /^-\d/.test(args[at] ?? "") && options[args[at - 1]?.slice(2) ?? ""]?.type === "string";
    if (isOption && isValue(index)) return [];
    return [isOption && isValue(index + 1) ? `${arg}=${args[index + 1]}` : arg];
  });
}

/** What the parser complains about, in one line. */
function complaint(
  message: string,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): string {
  const unknown = /^Unknown option '([^']*)'/.exec(message)?.[1];
  if (unknown !== undefined) {
    return `Unknown option ${unknown}${
      suggestion(unknown, Object.keys(options).map((name) => `--${name}`))
    }`;
  }
  const extra = /^Unexpected argument '(.*)'\. /s.exec(message)?.[1];
  if (extra !== undefined) return `Unexpected argument "${extra}": only options may follow`;
  const given = /^Option '(?:-\w, )?(-[^' ]+)/.exec(message)?.[1] ?? "";
  const option = longName(given, options);
  if (message.includes("does not take an argument")) {
    const value = args.find((it) => it.startsWith(`${option}=`))?.slice(option.length + 1);
    return `${option} takes no value, not "${value}"`;
  }
  if (!message.includes("ambiguous")) return `${option} needs a value`;
  const next = args.find((it, at) => args[at - 1] === given && it.startsWith("-"));
  return `${option} needs a value, and "${next}" is an option: write ${option}=${next} if it is not`;
}

function longName(option: string, options: ParseArgsOptionsConfig): string {
  const found = Object.entries(options).find(([, { short }]) => `-${short}` === option);
  return found === undefined ? option : `--${found[0]}`;
}

/**
 * Patterns for paths, each of which matches something.
 *
 * @throws {UsageError} when one is empty, or has dots and slashes alone.
 */
export function patterns(option: string, given: readonly string[]): readonly string[] {
  const wrong = given.find((it) => !/[^/.]/.test(it));
  if (wrong === undefined) return given;
  throw new UsageError(`${option} must be a pattern such as *.bin or tmp/**, not "${wrong}"`);
}
