/** Runs `strongroom scan` in directories of local files. */

import { createHash } from "node:crypto";
import { ROOT, runArguments } from "../../support/program.ts";
import { TempDir } from "../../support/temp_dir.ts";

export const MODELS = `${ROOT}tests/fixtures/models`;
export const HOSTILE = `${MODELS}/pickle/hostile/eval.pkl`;
/** The text of a manifest that gets a warning. */
export const WARNING = '{"md5": "d41d8cd98f00b204e9800998ecf8427e"}';

export interface ScanRun {
  readonly cwd: string;
  readonly stdin?: Uint8Array<ArrayBuffer>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `strongroom scan`. */
export async function scan(args: readonly string[], { cwd, stdin, env = {} }: ScanRun) {
  const child = new Deno.Command(Deno.execPath(), {
    args: runArguments(["scan", ...args]),
    cwd,
    env: { ...env },
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (stdin !== undefined) await new Blob([stdin]).stream().pipeTo(child.stdin);
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A directory with `models/` of a clean file, a warning and something critical. */
export async function workspace(): Promise<TempDir> {
  const directory = await TempDir.make();
  await Deno.mkdir(`${directory.path}/models`);
  await Deno.copyFile(`${MODELS}/numpy/int8.npy`, `${directory.path}/models/clean.npy`);
  await Deno.copyFile(HOSTILE, `${directory.path}/models/bad.pkl`);
  await Deno.writeTextFile(`${directory.path}/models/config.json`, WARNING);
  return directory;
}

export async function sha256Of(path: string): Promise<string> {
  return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
}
