import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import config from "../deno.json" with { type: "json" };

const APP = new URL("../routes/console/app/", import.meta.url);

/**
 * Copies the console into a directory without its types, which the runtime in an executable cannot
 * remove. Returns an import map with which the program imports the copies.
 */
export async function consoleScripts(directory: string): Promise<string> {
  await copy(fileURLToPath(APP), directory);
  const map = `${directory}/import_map.json`;
  const imports = { ...config.imports, [APP.href]: `${pathToFileURL(directory).href}/` };
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  return map;
}

async function copy(from: string, to: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const source = `${from}/${name}`;
    const target = `${to}/${name}`;
    if (isDirectory) {
      await Deno.mkdir(target);
      await copy(source, target);
    } else {
      const text = await Deno.readTextFile(source);
      await Deno.writeTextFile(target, name.endsWith(".ts") ? stripTypeScriptTypes(text) : text);
    }
  }
}
