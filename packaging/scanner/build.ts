/**
 * Builds the npm package strongroom-scanner in `dist/scanner`, or `--output=DIRECTORY`: the scanner without
 * the server, for Node.js, Deno, Bun and browsers.
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { writeLicenses } from "../bundled_packages.ts";
import manifest from "./package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT = "--output=";

/** What the package has in place of modules of the runtime, which browsers lack. */
const SUBSTITUTES = { "node:buffer": "buffer", "node:crypto": "crypto", "node:zlib": "zlib" };

const outputs = Deno.args.filter((it) => it.startsWith(OUTPUT));
const output = resolve(outputs.at(-1)?.slice(OUTPUT.length) ?? `${ROOT}dist/scanner`);
await Deno.mkdir(output, { recursive: true });
// A server or another build may read the files of an earlier one meanwhile.
const partial = await Deno.makeTempDir({ dir: dirname(output), prefix: "scanner-" });
const substituting = await Deno.makeTempFile({ suffix: ".json" });
await Deno.writeTextFile(substituting, JSON.stringify(importMap()));
const { code } = await new Deno.Command(Deno.execPath(), {
  cwd: ROOT,
  args: [
    "bundle",
    "--quiet",
    "--platform=browser",
    `--import-map=${substituting}`,
    `--outdir=${partial}`,
    "packaging/scanner/scan.ts",
    "packaging/scanner/scanning.ts",
  ],
}).spawn().status;
await Deno.remove(substituting);
if (code !== 0) Deno.exit(code);
await writeLicenses(partial, ROOT, `${partial}/THIRD_PARTY_LICENSES`);
await Deno.copyFile(`${ROOT}LICENSE`, `${partial}/LICENSE`);
for (const name of ["README.md", "types.d.ts"]) {
  await Deno.copyFile(`${ROOT}packaging/scanner/${name}`, join(partial, name));
}
await Deno.writeTextFile(
  `${partial}/package.json`,
  `${JSON.stringify({ ...manifest, version: config.version }, undefined, 2)}\n`,
);
for await (const { name } of Deno.readDir(partial)) {
  await Deno.rename(join(partial, name), join(output, name));
}
await Deno.remove(partial);

/** The import map of the project, with the substitutes. */
function importMap() {
  const substitutes = Object.entries(SUBSTITUTES).map(([name, file]) => [
    name,
    new URL(`./substitutes/${file}.ts`, import.meta.url).href,
  ]);
  return { imports: { ...config.imports, ...Object.fromEntries(substitutes) } };
}
