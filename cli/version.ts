import config from "../deno.json" with { type: "json" };
import { print } from "./print.ts";
import { expectNoArguments } from "./usage_error.ts";

/** `strongroom --version`: prints the version, which `deno.json` holds. */
export function run(args: string[]): number {
  expectNoArguments(args);
  print(`strongroom ${config.version}`);
  return 0;
}
