import { BROWSER_SCANNER } from "../../storage/threads/program_modules.ts";

/** The modules of the scanner for browsers. Others import the first one. */
const NAMES = ["scan.js", "scanning.js"];

/**
 * Reads the scanner with which the console checks files in the browser: its modules by their names, or none
 * in a checkout where `deno task package:scanner` has not built it.
 */
export async function readBrowserScanner(): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map(
      await Promise.all(
        NAMES.map(async (name) =>
          [name, await Deno.readTextFile(`${BROWSER_SCANNER}/${name}`)] as const
        ),
      ),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}
