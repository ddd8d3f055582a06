/** The files of the console, which are made of its source when the program is packaged, or a checkout starts. */

import { dirname } from "node:path";
import { CONSOLE_FILES, IS_PACKAGED, PROGRAM_ROOT } from "../../storage/threads/program_modules.ts";

const APP = "routes/console/app";
/** The style sheets, in their order. */
export const STYLES: readonly string[] = [
  "base",
  "parts",
  "shell",
  "grid",
  "menu",
  "files",
  "search",
  "uploads",
  "pages",
  "differences",
  "preview",
  "first_run",
  "scans",
  "access",
  "capacity",
  "pictures",
  "sizes",
];
/** What the files are made of: the console, what it imports from elsewhere, and the versions of packages. */
const SOURCES = [
  APP,
  "core/scanner/contract",
  "core/scanner/readers",
  "schemas",
  "deno.json",
  "deno.lock",
];

/**
 * Puts the modules that browsers run together in a directory: `main.js`, and chunks that it imports at once
 * or later. The runtime's bundler is a package of npm, which the runtime keeps once it has fetched it.
 *
 * @throws {Error} when that fails; the bundler has printed why.
 */
export async function bundleConsole(
  directory: string,
  { isMinified }: { readonly isMinified: boolean },
): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    cwd: PROGRAM_ROOT,
    args: [
      ...["bundle", "--quiet", "--platform=browser", "--code-splitting"],
      ...isMinified ? ["--minify"] : [],
      `--config=${PROGRAM_ROOT}deno.json`,
      `--outdir=${directory}`,
      `${APP}/main.ts`,
    ],
    stdin: "null",
    stdout: "null",
  }).spawn().status;
  if (code !== 0) throw new Error("Cannot put the modules of the console together");
}

/** Makes the files of the console in a checkout, unless they are newer than what they are made of. @throws {Error} */
export async function refreshConsole(): Promise<void> {
  if (Deno.build.standalone || IS_PACKAGED) return;
  const made = await modifiedAt(CONSOLE_FILES);
  for (const source of SOURCES) {
    if (made > await modifiedAt(PROGRAM_ROOT + source)) continue;
    return await buildConsole(CONSOLE_FILES);
  }
}

/** Makes the files of the console, as JSON: their texts by their names. @throws {Error} */
export async function buildConsole(output: string): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "strongroom-console-" });
  try {
    await bundleConsole(directory, { isMinified: true });
    const files: Record<string, string> = {};
    for await (const { name } of Deno.readDir(directory)) {
      files[name] = await Deno.readTextFile(`${directory}/${name}`);
    }
    const app = PROGRAM_ROOT + APP;
    const styles = STYLES.map((name) => Deno.readTextFile(`${app}/styles/${name}.css`));
    files["console.css"] = (await Promise.all(styles)).join("\n");
    files["icon.svg"] = await Deno.readTextFile(`${app}/icon.svg`);
    await Deno.mkdir(dirname(output), { recursive: true });
    // Another start may make them at the same time, and a server read them.
    const partial = `${output}.${crypto.randomUUID()}`;
    await Deno.writeTextFile(partial, JSON.stringify(files));
    await Deno.rename(partial, output);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The modification time of a file, or the latest in a directory, in Unix milliseconds; 0 if it is missing. */
async function modifiedAt(path: string): Promise<number> {
  try {
    const { isDirectory, mtime } = await Deno.stat(path);
    let last = mtime?.getTime() ?? 0;
    if (!isDirectory) return last;
    for await (const { name } of Deno.readDir(path)) {
      last = Math.max(last, await modifiedAt(`${path}/${name}`));
    }
    return last;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
