import { stripTypeScriptTypes } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import config from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);
/** The list of the files that browsers load. */
const MODULES = new URL(`${ROOT}routes/console/modules.ts`);

/**
 * Copies the modules that browsers load into a directory without their types, which the runtime in an
 * executable cannot remove. Returns a configuration like `deno.json`, with which the list of these modules
 * imports the copies; the rest of the program imports what some of them are copies of. An import map would
 * not do: only in a configuration does the entry of a package stand for its modules, such as `hono/cors`.
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
  const path = `${directory}/deno.json`;
  const lock = { ...config.lock, path: fileURLToPath(new URL(config.lock.path, ROOT)) };
  const scopes = { [MODULES.href]: copies };
  await Deno.writeTextFile(path, JSON.stringify({ ...config, lock, scopes }));
  return path;
}
