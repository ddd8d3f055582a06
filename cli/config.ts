import { describeSettings } from "../schemas/settings.ts";
import { loadSettings, readSetting } from "./environment.ts";
import { hostTunables } from "./host_tunables.ts";
import { print } from "./print.ts";
import { printError } from "./print_error.ts";
import { expectNoArguments } from "./usage_error.ts";

/** `strongroom config`: prints every setting with its value (C 13). */
export function run(args: string[]): number {
  expectNoArguments(args);
  const settings = loadSettings();
  for (const { variable, value, isDefault } of describeSettings(settings, readSetting)) {
    printSetting(variable, value, isDefault);
  }
  const { origins } = hostTunables(printError);
  for (const { variable, setting, source } of origins) {
    printSetting(variable, String(setting), source === "default");
  }
  return 0;
}

function printSetting(variable: string, value: string, isDefault: boolean): void {
  print(`${variable}=${value}${isDefault ? "  # default" : ""}`);
}
