import * as assert from "node:assert/strict";
import { Client, refused } from "../support/client.ts";
import { revokeBeside } from "../support/credential_register.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

async function clientOf({ url }: TestServer, jti: string): Promise<Client> {
  return new Client(url, await mintToken({ userId: 7, privileges: USER_PRIVILEGES, jti }));
}

async function revoke({ dataDir }: TestServer, jti: string): Promise<void> {
  assert.equal(await revokeBeside(dataDir, jti), true);
}

Deno.test("C 22 a revoked credential is refused at once, even if it was used before", async () => {
  await using server = await TestServer.start();
  const [one, other] = [await clientOf(server, "one"), await clientOf(server, "other")];
  for (const client of [one, other]) assert.equal((await client.list()).status, 200);
  await revoke(server, "one");
  assert.match(refused(await one.list(), 401, "ErrAuthRequired"), /revoked/);
  assert.equal((await other.list()).status, 200);
  assert.equal((await (await server.as(7)).list()).status, 200);
});

Deno.test("C 22 a credential that no database could keep as revoked is refused", async () => {
  await using server = await TestServer.start();
  for (const jti of ["a\0b", "\ud800"]) {
    const client = await clientOf(server, jti);
    assert.match(refused(await client.list(), 401, "ErrAuthRequired"), /invalid claim: jti/);
  }
});

Deno.test("C 22 an event stream of a revoked credential ends", async () => {
  await using server = await TestServer.start({ app: {} });
  const client = await clientOf(server, "one");
  const events = await client.fetch("/events/");
  const stream = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await stream?.read())?.value ?? "", /keep-alive/);
  await revoke(server, "one");
  await (await server.as(7)).mkdir("secret");
  const rest = await stream?.read();
  assert.deepEqual([rest?.done, rest?.value], [true, undefined]);
});

Deno.test("C 22 GET /metrics needs the privilege metrics.view, and no other", async () => {
  await using server = await TestServer.start();
  const metrics = async (...privileges: string[]) => {
    const token = await mintToken({ userId: 7, privileges });
    const reply = await fetch(`${server.origin}/metrics`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await reply.body?.cancel();
    return reply.status;
  };
  assert.equal(await metrics("metrics.view"), 200);
  assert.equal(await metrics("resources.admin"), 200);
  assert.equal(await metrics("capacity.view", "resources.view"), 403);
});
