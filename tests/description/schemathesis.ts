/** Requests that schemathesis, from PyPI, generates by the description of a server, and what it finds. */

import { fileURLToPath } from "node:url";
import type { Client } from "../support/client.ts";
import { hasProgram, type ProgramOutput, run } from "../support/tools.ts";

const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url));
const HOOKS = fileURLToPath(new URL("schemathesis_hooks.py", import.meta.url));

export function hasSchemathesis(): Promise<boolean> {
  return hasProgram("schemathesis", "--version");
}

/**
 * Checks a server: that it describes every reply, status and header, refuses what the description does not
 * allow, and fails nowhere.
 *
 * @param cwd Where schemathesis keeps what it found.
 */
export async function runSchemathesis(
  admin: Client,
  { args, cwd }: { readonly args: readonly string[]; readonly cwd: string },
): Promise<ProgramOutput> {
  // What the examples of the description name.
  await admin.upload("models/llama", { "model.safetensors": "hello" });
  const { origin } = new URL(admin.url);
  const header = `Authorization: Bearer ${admin.token}`;
  return await run("schemathesis", [
    ...[`--config-file=${CONFIG}`, "--no-color", "run", `${origin}/openapi.json`],
    ...["-H", header, ...args],
  ], { cwd, env: { SCHEMATHESIS_HOOKS: HOOKS, PYTHONDONTWRITEBYTECODE: "1" } });
}
