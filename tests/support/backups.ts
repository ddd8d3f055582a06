/** `strongroom backup` and `strongroom restore` in processes of their own, and what they leave. */

import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyPermissions, permissionFlags } from "../../cli/permissions.ts";
import { ROOT } from "./child_server.ts";
import { contentIn, hashesIn } from "./stored_content.ts";
import { openDatabase } from "./test_database.ts";

export interface BackupCommand {
  readonly command: "backup" | "restore";
  readonly dataDir: string;
  readonly backup: string;
  readonly args?: readonly string[];
  /** A program that runs the command, such as strace, with its arguments. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command with the permissions that the launcher would give it. */
export function startBackup(
  { command, dataDir, backup, args = [], under = [], env }: BackupCommand,
) {
  const permissions = command === "backup"
    ? copyPermissions(dataDir, backup)
    : copyPermissions(backup, dataDir);
  const flags = ["--no-prompt", ...permissionFlags(permissions)];
  const run = [Deno.execPath(), "run", ...flags, `${ROOT}main.ts`, command, backup, ...args];
  const [program = "", ...rest] = [...under, ...run];
  return new Deno.Command(program, {
    args: rest,
    cwd: ROOT,
    env: { STRONGROOM_DATA_DIR: dataDir, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the command to its end. */
export async function runBackup(
  command: BackupCommand,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await startBackup(command).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * The state of a data directory that nobody uses: the hash of each file by `user:path`, "" for a
 * directory. Checks that the content of each is stored, and is all that is.
 */
export async function stateOf(dataDir: string): Promise<Map<string, string>> {
  await using database = await openDatabase(dataDir);
  const rows = await database.all("SELECT user_id, path, hash, size FROM records ORDER BY 1, 2");
  const stored = new Set<string>();
  for (const { hash, size } of rows) {
    const name = String(hash);
    if (name === "" || stored.has(name)) continue;
    const content = await contentIn(database, dataDir, name);
    assert.equal(content.length, size);
    assert.equal(createHash("md5").update(content).digest("hex"), name);
    stored.add(name);
  }
  assert.deepEqual(await hashesIn(database, dataDir), [...stored].sort());
  return new Map(rows.map(({ user_id, path, hash }) => [`${user_id}:${path}`, String(hash)]));
}

/** The paths of all files below a directory, which may be missing. */
export async function filesBelow(path: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      if (isDirectory) files.push(...await filesBelow(`${path}/${name}`));
      else files.push(`${path}/${name}`);
    }
  } catch (error) {
    // Directories may go while they are read.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files;
}
