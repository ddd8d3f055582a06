import * as assert from "node:assert/strict";
import { writeFolder } from "../support/folders.ts";
import { freePort } from "../support/ports.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

/** Commands that print something on stdout and, but for the last ones, change nothing. */
const COMMAND_LINES = [
  ...["help", "help scan", "version", "rules", "scanners", "config", "permissions"],
  ...["completion bash", "capacity", "capacity --watch", "capacity --watch --json"],
  "scan --format text local/a",
  ...[
    "ls",
    "ls -lR d d",
    "ls --json",
    "tree",
    "find",
    "stat d/f",
    "usage",
    "link list",
    "cat d/f d/f",
  ],
  ...["get d/f -", "get --dry-run d here", "put --dry-run local :", "scan --remote d"],
  ...[
    "link d/f",
    "mkdir --json e",
    "cp --json d/f e/",
    "mv --json e/f g",
    "rm --json g",
    "rm -rf --json e",
  ],
] as const;

Deno.test("C 25 every command ends silently when the reader of its output is gone", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const privileges = [...USER_PRIVILEGES, "scans.run", "scans.view"];
  await (await server.as(1, ...privileges)).upload("d", { f: "text\n".repeat(100_000) });
  await writeFolder(`${directory.path}/local`, { a: "a" });
  const { env } = await RemoteClient.of(server, directory.path, { privileges });
  const client = new RemoteClient({
    ...env,
    STRONGROOM_DATA_DIR: directory.path,
    STRONGROOM_PORT: String(freePort()),
  });
  for (const line of COMMAND_LINES) {
    await t.step(`C 25 ${line}`, async () => {
      const child = client.spawn(line.split(" "), { cwd: directory.path });
      await child.stdout.cancel();
      await child.stdin.close();
      const [stderr, { code }] = await Promise.all([
        new Response(child.stderr).text(),
        child.status,
      ]);
      assert.deepEqual([code, stderr], [0, ""]);
    });
  }
});
