import * as assert from "node:assert/strict";
import { MIB } from "../../../schemas/units.ts";
import { CountingProxy } from "../../support/counting_proxy.ts";
import { noise } from "../../support/random.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** What a server has logged of uploads that can be resumed. */
function uploadRequests({ log }: TestServer): string[] {
  return log.map((line) => JSON.parse(line)).filter(({ path }) => path?.includes("/uploads"))
    .map(({ method, status }) => `${method} ${status}`);
}

Deno.test("C 25, C 21 put sends a large file in one stream, and its digest with the end", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const local = `${directory.path}/large.bin`;
  await Deno.writeFile(local, noise(100 * MIB));
  const { code, stdout, stderr } = await client.run(["put", local, ":"]);
  assert.deepEqual([code, stdout, stderr], [0, "Sent 1 file, 100.0 MiB\n", ""]);
  assert.deepEqual(uploadRequests(server), ["POST 201", "PATCH 204", "PATCH 204"]);
  assert.equal((await client.run(["get", "large.bin", `${directory.path}/back/`])).code, 0);
  const { stdout: same } = await client.run(["sync", "--dry-run", `${directory.path}/back`, ":"]);
  assert.match(same, /^Would send 0 files, 0 bytes; 1 file, 100\.0 MiB were there already\n$/);
});

// To read 900 GiB would take longer than any test may.
Deno.test("C 25, C 31 put asks the server before it reads a large file", async (t) => {
  await using directory = await TempDir.make();
  const local = `${directory.path}/huge.bin`;
  await Deno.writeFile(local, new Uint8Array());
  await Deno.truncate(local, 900 * 1024 * MIB);
  await using server = await TestServer.start();
  await using small = await TestServer.start({ limits: { maxUploadFileSize: 64 * MIB } });
  const put = async ({ origin }: TestServer, claims: Parameters<typeof mintToken>[0]) => {
    const token = await mintToken(claims);
    const client = new RemoteClient({
      HOME: directory.path,
      STRONGROOM_URL: origin,
      STRONGROOM_TOKEN: token,
    });
    const { code, stderr } = await client.run(["put", local, ":"]);
    assert.equal(code, 1);
    return stderr;
  };
  const one = { userId: 1, privileges: USER_PRIVILEGES };
  await t.step("C 25 too large", async () => {
    assert.match(await put(small, one), /larger than .*STRONGROOM_MAX_UPLOAD_FILE_SIZE/);
  });
  await t.step("C 25 no space", async () => {
    assert.match(await put(server, one), /"huge.bin": The storage is full/);
  });
  await t.step("C 25 over the quota", async () => {
    await Deno.truncate(local, 1024 * MIB);
    assert.match(await put(server, { ...one, quota: 64 * MIB }), /ErrResourcesQuotaExceeded/);
  });
  await t.step("C 25 no privilege", async () => {
    const stderr = await put(server, { userId: 1, privileges: ["resources.view"] });
    assert.match(stderr, /resources.upload required.*ErrNotPermitted/);
  });
});

Deno.test("C 25 a file that changed while it was sent is not stored, and the next put sends it anew", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  await using proxy = new CountingProxy(server.server.address.port);
  const client = await RemoteClient.of(proxy, directory.path);
  const local = `${directory.path}/large.bin`;
  await Deno.writeFile(local, noise(60 * MIB));
  proxy.holdAfter("up", 40 * MIB);
  const child = client.spawn(["put", local, ":"], { narrow: false });
  await until(() => proxy.isHeld);
  Deno.kill(child.pid, "SIGKILL");
  await child.stdin.close();
  await child.output();
  proxy.cut();
  proxy.release();
  // A program that sets the former time: what the server has is no longer the beginning of the file.
  const { atime, mtime } = await Deno.stat(local);
  {
    using file = await Deno.open(local, { write: true });
    await file.write(new TextEncoder().encode("other"));
  }
  await Deno.utime(local, atime ?? 0, mtime ?? 0);
  const refused = await client.run(["put", local, ":"]);
  assert.deepEqual([refused.code, refused.stderr], [
    1,
    'strongroom: "large.bin": It has changed while it was sent\n',
  ]);
  const one = await server.as(1);
  assert.deepEqual(await one.tree(), []);
  assert.equal((await client.run(["put", local, ":"])).code, 0);
  assert.deepEqual(await one.tree(), ["large.bin"]);
});
