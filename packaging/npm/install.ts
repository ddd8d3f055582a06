/**
 * `deno task install`: builds the npm package, and has npm install the command strongroom for any directory.
 * Says what to do where the user may not write to npm's prefix: npm only ends with a number there.
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const prefix = await outputOf("npm", "prefix", "--global");
for (const directory of [`${prefix}/bin`, `${prefix}/lib/node_modules`]) {
  if (await isWritable(directory)) continue;
  console.error(`Cannot install the command strongroom: you may not write to ${directory}

Either install it into your own directory, and have ~/.local/bin on your PATH:
  npm config set prefix ~/.local
  npx -y deno@2.9.6 task -q install

Or use it from this checkout, without installing anything:
  export PATH="${ROOT}packaging:$PATH"`);
  Deno.exit(1);
}
await outputOf(Deno.execPath(), "task", "-q", "package");
const tarball = await outputOf(
  ...["npm", "pack", "--silent", "--pack-destination", "dist", "./dist/npm"] as const,
);
await outputOf("npm", "install", "--loglevel=error", "--global", `./dist/${tarball}`);

/** Whether the user may write to a directory, or to the one in which it has yet to be created. */
async function isWritable(directory: string): Promise<boolean> {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  return (await new Deno.Command("test", { args: ["-w", existing] }).output()).success;
}

/** Runs a program in the checkout. Returns what it prints, or ends with its exit code if it fails. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  const { code, stdout } = await new Deno.Command(program, { args, cwd: ROOT, stderr: "inherit" })
    .output();
  if (code !== 0) Deno.exit(code);
  return new TextDecoder().decode(stdout).trim();
}
