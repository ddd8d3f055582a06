/** The npm packages whose modules are in a bundle, and what a package of ours says about them. */

import { join, resolve } from "node:path";

/** The comment of a bundle before a module of a package, which is in the cache of the runtime. */
const PACKAGE =
  /^\/\/ (.{1,500}\/npm\/[^/\n]{1,100}\/((?:@[\w.-]{1,100}\/)?[\w.-]{1,100}\/\d[\w.-]{0,50}))\//gm;

/**
 * Writes the licenses of the packages in a bundle to a file, and removes from the bundle the path of the
 * runtime's cache, which has the name of the person who builds.
 *
 * @param directory Where the bundle is.
 * @param root What the paths in the bundle are relative to.
 */
export async function writeLicenses(directory: string, root: string, file: string): Promise<void> {
  const packages = await packagesIn(directory);
  const texts = [...packages].sort().map(async ([title, path]) =>
    `${title}\n\n${await licenseIn(resolve(root, path))}`
  );
  if (texts.length === 0) throw new Error("The bundle names no packages");
  await Deno.writeTextFile(file, (await Promise.all(texts)).join("\n\n"));
  await hideCache(directory, packages);
}

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

/** The license of a package: a file of it, the end of its README, or else its name and that of the author. */
async function licenseIn(path: string): Promise<string> {
  const files = await Array.fromAsync(Deno.readDir(path));
  const license = files.find(({ name }) => /^licen[cs]e/i.test(name));
  if (license !== undefined) return await Deno.readTextFile(join(path, license.name));
  const readme = files.find(({ name }) => /^readme\.md$/i.test(name));
  const text = readme === undefined ? "" : await Deno.readTextFile(join(path, readme.name));
  const heading = text.search(/^#+ licen[cs]e$/im);
  if (heading !== -1) return text.slice(heading);
  const manifest: unknown = JSON.parse(await Deno.readTextFile(join(path, "package.json")));
  const isNamed = typeof manifest === "object" && manifest !== null && "license" in manifest &&
    "author" in manifest;
  if (!isNamed) throw new Error(`No license in ${path}`);
  return `${manifest.license} license, by ${manifest.author}\n`;
}
