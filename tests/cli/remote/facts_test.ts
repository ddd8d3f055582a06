import * as assert from "node:assert/strict";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 29 facts says whether a file has not been scanned, or has no facts", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const privileges = [...USER_PRIVILEGES, "scans.run"];
  const user = await server.as(1, ...privileges);
  await user.upload("models", { "a.txt": "hello\n" });
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: server.origin,
    STRONGROOM_TOKEN: await mintToken({ userId: 1, privileges, quota: 8192 }),
  });
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(["facts", ...args]);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  const shown = (path: string, note: string) =>
    `${"Path".padEnd(16)}${path}\n${" ".repeat(16)}${note}\n`;

  const unscanned = "It has not been scanned for facts yet";
  assert.equal(await printed("models/a.txt"), shown("models/a.txt", unscanned));
  assert.equal(JSON.parse(await printed("--json", "models/a.txt")).complete, false);
  assert.equal(
    await printed("models"),
    shown("models/", "Not all of it has been scanned: more may be known later"),
  );
  await user.json("POST", "/scans/?wait=60", { path: "models" });
  const none = "It has no facts";
  assert.equal(await printed("models/a.txt"), shown("models/a.txt", none));
  assert.equal(JSON.parse(await printed("--json", "models/a.txt")).complete, true);
  assert.equal(await printed("models"), shown("models/", none));
});
