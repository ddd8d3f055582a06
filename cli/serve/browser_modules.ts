import * as v from "valibot";
import { BROWSER_SCANNER, CONSOLE_FILES } from "../../storage/threads/program_modules.ts";

/** The modules of the scanner for browsers. Others import the first one. */
const NAMES = ["scan.js", "scanning.js"];

const ConsoleFiles = v.record(v.string(), v.string());

/** The files of the console, by their names. Undefined in a checkout where they could not be made. */
export async function readConsole(): Promise<Readonly<Record<string, string>> | undefined> {
  const text = await unlessMissing(Deno.readTextFile(CONSOLE_FILES));
  return text === undefined ? undefined : v.parse(ConsoleFiles, JSON.parse(text));
}

/**
 * Reads the scanner with which the console checks files in the browser: its modules by their names, or none
 * in a checkout where `deno task package:scanner` has not built it.
 */
export async function readBrowserScanner(): Promise<ReadonlyMap<string, string>> {
  const modules = NAMES.map(async (name) =>
    [name, await Deno.readTextFile(`${BROWSER_SCANNER}/${name}`)] as const
  );
  return new Map(await unlessMissing(Promise.all(modules)) ?? []);
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
