/**
 * Builds the npm package in `dist/npm`, or `--output=DIRECTORY`: the command, and the program in
 * JavaScript, since the runtime runs no TypeScript from `node_modules`.
 */

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { buildConsole, bundleConsole } from "../../cli/supervisor/console_files.ts";
import { WORKERS } from "../../storage/threads/workers.ts";
import { writeLicenses } from "../bundled_packages.ts";
import manifest from "./package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUTPUT = "--output=";

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
    "cli/light/main.ts",
    "cli/light/scan.ts",
    "cli/scanner.ts",
    "cli/lone_scanner.ts",
    ...Object.values(WORKERS).map((module) => fileURLToPath(module)),
  ],
}).spawn().status;
if (code !== 0) Deno.exit(code);
await loadNodeModulesLazily(`${output}/lib`);
const licenses = `${output}/THIRD_PARTY_LICENSES`;
await writeLicenses(`${output}/lib`, ROOT, licenses);
const browser = await Deno.makeTempDir({ prefix: "strongroom-console-" });
// Only comments name the packages.
await bundleConsole(browser, { isMinified: false });
await writeLicenses(browser, ROOT, `${browser}/licenses`);
await buildConsole(`${output}/lib/console.json`);
// The console gives it to browsers.
await Deno.mkdir(`${output}/lib/scanner`);
for (const name of ["scan.js", "scanning.js"]) {
  await Deno.copyFile(`${ROOT}dist/scanner/${name}`, `${output}/lib/scanner/${name}`);
}
for (const file of [`${browser}/licenses`, `${ROOT}dist/scanner/THIRD_PARTY_LICENSES`]) {
  await Deno.writeTextFile(licenses, `\n\n${await Deno.readTextFile(file)}`, { append: true });
}
await Deno.remove(browser, { recursive: true });
await Deno.copyFile(`${ROOT}packaging/strongroom`, `${output}/bin/strongroom`);
await Deno.chmod(`${output}/bin/strongroom`, 0o755);
for (const name of ["LICENSE", "README.md"]) await Deno.copyFile(ROOT + name, join(output, name));
await Deno.writeTextFile(
  `${output}/package.json`,
  `${JSON.stringify({ ...manifest, version: config.version }, undefined, 2)}\n`,
);

/**
 * Lets packages load modules of Node only when they require them. The helper of the bundler, which most
 * modules import, would load the module system of Node at every start, which takes longer than the rest.
 */
async function loadNodeModulesLazily(directory: string): Promise<void> {
  const eager = 'import { createRequire as __deno_internal_createRequire } from "node:module";\n' +
    "var __require = __deno_internal_createRequire(import.meta.url);\n";
  const lazy = "var __require = (name) => process.getBuiltinModule(name);\n";
  let count = 0;
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".js")) continue;
    const path = join(directory, name);
    const code = await Deno.readTextFile(path);
    if (!code.includes(eager)) continue;
    await Deno.writeTextFile(path, code.replace(eager, lazy));
    count++;
  }
  if (count === 0) throw new Error("The bundler has another helper for require");
}
