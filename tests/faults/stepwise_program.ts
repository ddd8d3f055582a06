import * as assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";

const PARTS = ["main.ts", "deno.json", "deno.lock", "cli", "core", "routes", "schemas", "storage"];
const CONSTANT = /(export const MAX_DIRECT_RECORDS = )10_000;/;
/** The trees of the clients have some tens of records. */
const MAX_DIRECT_RECORDS = 2;

/** A copy of the program that moves, copies and deletes more than two records in steps. */
export async function stepwiseProgram(): Promise<TempDir> {
  const directory = await TempDir.make();
  for (const part of PARTS) await cp(ROOT + part, `${directory.path}/${part}`, { recursive: true });
  const file = `${directory.path}/storage/sqlite/large_changes.ts`;
  const source = await Deno.readTextFile(file);
  assert.match(source, CONSTANT);
  await Deno.writeTextFile(file, source.replace(CONSTANT, `$1${MAX_DIRECT_RECORDS};`));
  return directory;
}
