/** How tests start the program: in the package that tests/run.ts has built, or else in this checkout. */

import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { isCommand, isLight } from "../../cli/commands.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Where tests/run.ts builds the package. */
export const BUILT_PACKAGE = `${ROOT}dist/tests`;
/** Where tests/run.ts builds the module of threads that tests keep. */
export const KEPT_THREAD = `${ROOT}dist/kept_thread.js`;
/** Whether this is a test of those that tests/run.ts runs. */
export const IS_BUILT = Deno.env.get("TEST_PACKAGE") === BUILT_PACKAGE;

/** The command strongroom. */
export const COMMAND = IS_BUILT ? `${BUILT_PACKAGE}/bin/strongroom` : `${ROOT}packaging/strongroom`;

/** As `packaging/strongroom` has them. */
const FLAGS: readonly string[] = IS_BUILT
  ? [
    ...["--no-config", "--no-lock", "--no-npm", "--no-remote"],
    ...config.unstable.map((feature) => `--unstable-${feature}`),
  ]
  : [];

/** The program that runs a command, as `packaging/strongroom` chooses it: it starts in half the time of `main.ts`. */
function programOf([name = "help"]: readonly string[]): string {
  const directory = name === "scan" || (isCommand(name) && isLight(name)) ? "cli/light/" : "";
  const module = directory + (name === "scan" ? name : "main");
  return IS_BUILT ? `${BUILT_PACKAGE}/lib/${module}.js` : `${ROOT}${module}.ts`;
}

/**
 * Arguments with which the runtime runs a command of strongroom.
 *
 * @param permissions Flags. @default all
 */
export function runArguments(
  args: readonly string[],
  permissions: readonly string[] = ["--allow-all"],
): string[] {
  return ["run", ...FLAGS, ...permissions, programOf(args), ...args];
}
