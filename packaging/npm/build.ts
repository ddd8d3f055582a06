/**
 * Builds the npm package in `dist/npm`, or `--output=DIRECTORY`: the command, and the program in
 * JavaScript, since the runtime runs no TypeScript from `node_modules`.
 */

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { WORKERS } from "../../storage/threads/workers.ts";
import manifest from "./package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT = "--output=";

/** The comment of a bundle before a module of a package, which is in the cache of the runtime. */
const PACKAGE =
  /^\/\/ (.{1,500}\/npm\/[^/\n]{1,100}\/((?:@[\w.-]{1,100}\/)?[\w.-]{1,100}\/\d[\w.-]{0,50}))\//gm;

const outputs = Deno.args.filter((it) => it.startsWith(OUTPUT));
const output = resolve(outputs.at(-1)?.slice(OUTPUT.length) ?? `${ROOT}dist/npm`);
await Deno.remove(output, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
await Deno.mkdir(`${output}/bin`, { recursive: true });
const { code } = await new Deno.Command(Deno.execPath(), {
  cwd: ROOT,
  args: [
    "bundle",
    "--quiet",
    "--platform=deno",
    "--code-splitting",
    `--outdir=${output}/lib`,
    "main.ts",
    "cli/scanner.ts",
    ...Object.values(WORKERS).map((module) => fileURLToPath(module)),
  ],
}).spawn().status;
if (code !== 0) Deno.exit(code);
const packages = await packagesIn(`${output}/lib`);
await Deno.writeTextFile(`${output}/THIRD_PARTY_LICENSES`, await licenses(packages));
await hideCache(`${output}/lib`, packages);
await Deno.copyFile(`${ROOT}packaging/strongroom`, `${output}/bin/strongroom`);
await Deno.chmod(`${output}/bin/strongroom`, 0o755);
for (const name of ["LICENSE", "README.md"]) await Deno.copyFile(ROOT + name, join(output, name));
await Deno.writeTextFile(
  `${output}/package.json`,
  `${JSON.stringify({ ...manifest, version: config.version }, undefined, 2)}\n`,
);

/** The packages whose modules are in the bundle, which names the file of each, with their directories. */
async function packagesIn(directory: string): Promise<Map<string, string>> {
  const packages = new Map<string, string>();
  for await (const { name, isFile } of Deno.readDir(directory)) {
    if (!isFile) continue;
    const code = await Deno.readTextFile(`${directory}/${name}`);
    for (const [, path = "", title = ""] of code.matchAll(PACKAGE)) packages.set(title, path);
  }
  return packages;
}

/** Replaces the path of the runtime's cache, which has the name of the person who builds. */
async function hideCache(
  directory: string,
  packages: ReadonlyMap<string, string>,
): Promise<void> {
  const caches = new Set([...packages].map(([title, path]) => path.slice(0, -title.length)));
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) {
      await hideCache(path, packages);
      continue;
    }
    let code = await Deno.readTextFile(path);
    // Other comments, and the names of modules of CommonJS, have more or fewer steps up.
    for (const cache of caches) code = code.replaceAll(cache.replace(/^(?:\.\.\/)+/, ""), "npm/");
    await Deno.writeTextFile(path, code);
  }
}

/** The licenses of packages, by their directories. */
async function licenses(packages: ReadonlyMap<string, string>): Promise<string> {
  const texts = [...packages].sort().map(async ([title, path]) =>
    `${title}\n\n${await licenseIn(resolve(ROOT, path))}`
  );
  if (texts.length === 0) throw new Error("The bundle names no packages");
  return (await Promise.all(texts)).join("\n\n");
}

/** The license of a package: a file of it, or the end of its README. */
async function licenseIn(path: string): Promise<string> {
  const files = await Array.fromAsync(Deno.readDir(path));
  const license = files.find(({ name }) => /^licen[cs]e/i.test(name));
  if (license !== undefined) return await Deno.readTextFile(join(path, license.name));
  const readme = files.find(({ name }) => /^readme\.md$/i.test(name));
  const text = readme === undefined ? "" : await Deno.readTextFile(join(path, readme.name));
  const heading = text.search(/^#+ licen[cs]e$/im);
  if (heading === -1) throw new Error(`No license in ${path}`);
  return text.slice(heading);
}
