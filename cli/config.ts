import { describeSettings } from "../schemas/settings.ts";
import { parseOptions } from "./arguments.ts";
import { hostCapacity, loadSettings, readVariable } from "./environment.ts";
import { printError } from "./print_error.ts";

/** `strongroom config`: prints every setting with its value (C 13). */
export function run(args: string[]): number {
  parseOptions(args, {});
  const settings = loadSettings();
  for (const { variable, value, isDefault } of describeSettings(settings, readVariable)) {
    printSetting(variable, value, isDefault);
  }
  const { origins } = hostCapacity(settings.dataDir, printError);
  for (const { variable, setting, source } of origins) {
    printSetting(variable, String(setting), source === "default");
  }
  return 0;
}

function printSetting(variable: string, value: string, isDefault: boolean): void {
  console.log(`${variable}=${value}${isDefault ? "  # default" : ""}`);
}
