import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("C 18 get waits for a scan that is pending", async () => {
  await using directory = await TempDir.make();
  const scanning = Promise.withResolvers<void>();
  await using server = await TestServer.start({
    settings: { gate: "block" },
    contents: {
      async scan({ hash }) {
        await scanning.promise;
        const sha256 = createHash("sha256").update("a").digest("hex");
        return { ...plainScan(1), hashes: { md5: hash, sha256 } };
      },
    },
  });
  const client = await RemoteClient.of(server, directory.path);
  assert.equal((await client.run(["put", "--name", "a.bin", "-", ":"], { stdin: "a" })).code, 0);
  const get = client.run(["get", "a.bin", "-"]);
  await until(() => server.log.some((line) => line.includes("ErrResourcesQuarantined")));
  scanning.resolve();
  const { code, stdout, stderr } = await get;
  assert.deepEqual([code, stdout, stderr], [0, "a", ""]);
});
