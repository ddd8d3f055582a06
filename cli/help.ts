import { suggestion } from "./nearest.ts";
import { print } from "./print.ts";
import { usageNamed, USAGES } from "./usage.ts";
import { UsageError } from "./usage_error.ts";

/** `strongroom help [COMMAND]`: prints what the commands do, or how to use one. */
export function run(args: string[]): number {
  const [name, ...others] = args;
  if (others.length > 0) {
    throw new UsageError(`Only one command is expected, not also "${others[0]}"`);
  }
  print(name === undefined ? overview() : usageOf(name));
  return 0;
}

function overview(): string {
  const commands = Object.entries(USAGES);
  const width = Math.max(...commands.map(([name]) => name.length));
  return [
    "strongroom, a file server for people who work with model files",
    "",
    "Usage: strongroom COMMAND [OPTIONS]",
    "",
    ...commands.map(([name, { summary }]) => `  strongroom ${name.padEnd(width)}  ${summary}`),
    "",
    "strongroom help COMMAND, or strongroom COMMAND --help, explains a command with examples.",
    "Settings are environment variables that begin with STRONGROOM_; strongroom config lists them.",
  ].join("\n");
}

/**
 * How to use a command.
 *
 * @throws {UsageError} when it is unknown.
 */
export function usageOf(name: string): string {
  const usage = usageNamed(name);
  if (usage === undefined) {
    throw new UsageError(`Unknown command "${name}"${suggestion(name, Object.keys(USAGES))}`);
  }
  const { summary, forms, details, examples } = usage;
  return [
    `${summary}.`,
    "",
    "Usage:",
    ...forms.map((form) => `  strongroom ${form}`),
    ...details === undefined ? [] : ["", details],
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}
