import * as assert from "node:assert/strict";
import { FILES_ONLY, type ThreadPermissions } from "../../../storage/threads/permissions.ts";
import { RemoteWorker } from "../../../storage/threads/rpc.ts";
import { TempDir } from "../../support/temp_dir.ts";
import type { Action, Attempts } from "./target_permissions.ts";

const MODULE = new URL("target_permissions.ts", import.meta.url);
const ACTIONS: readonly Action[] = ["read", "write", "net", "env", "run"];

async function permitted(path: string, permissions: ThreadPermissions): Promise<Action[]> {
  using worker = new RemoteWorker<Attempts>(MODULE, permissions);
  const results = await Promise.all(
    ACTIONS.map(async (action) => await worker.remote.attempt(action, path) ? [action] : []),
  );
  return results.flat();
}

Deno.test("C 22 a thread may do what it was given, and nothing else", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  await Deno.writeTextFile(path, "text");
  assert.deepEqual(await permitted(path, {}), []);
  assert.deepEqual(await permitted(path, { read: [path] }), ["read"]);
  assert.deepEqual(await permitted(`${path}2`, { read: [path] }), []);
  assert.deepEqual(await permitted(path, FILES_ONLY), ["read", "write"]);
});
