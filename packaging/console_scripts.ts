import { stripTypeScriptTypes } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import config from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);
/** The list of the files that browsers load. */
const MODULES = new URL(`${ROOT}routes/console/modules.ts`);

/**
 * Copies the modules that browsers load into a directory without their types, which the runtime in an
 * executable cannot remove. Returns an import map with which the list of these modules imports the copies;
 * the rest of the program imports what some of them are copies of.
 */
export async function consoleScripts(directory: string): Promise<string> {
  const copies: Record<string, string> = {};
  const list = await Deno.readTextFile(MODULES);
  for (const [, specifier = ""] of list.matchAll(/\bimport\("(\.[^"]{1,200}\.ts)"/g)) {
    const module = new URL(specifier, MODULES);
    const copy = `${directory}/${module.href.slice(ROOT.href.length)}`;
    await Deno.mkdir(dirname(copy), { recursive: true });
    const text = await Deno.readTextFile(fileURLToPath(module));
    await Deno.writeTextFile(copy, stripTypeScriptTypes(text));
    copies[module.href] = pathToFileURL(copy).href;
  }
  const map = `${directory}/import_map.json`;
  const scopes = { [MODULES.href]: copies };
  await Deno.writeTextFile(map, JSON.stringify({ imports: config.imports, scopes }));
  return map;
}
