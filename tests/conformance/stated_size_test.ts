import * as assert from "node:assert/strict";
import { MIB } from "../../schemas/units.ts";
import { refused } from "../support/client.ts";
import { rawRequest } from "../support/raw_http.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { postUpload } from "../support/tus.ts";

/** Sends the head of a PUT alone, and returns the reply. */
async function putHead(server: TestServer, bytes: number) {
  const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
  const headers = { Authorization: `Bearer ${token}`, "Content-Length": String(bytes) };
  return await rawRequest(server.origin, { line: "PUT /api/v1/files/a", headers });
}

Deno.test("C 31, C 6 content beyond the quota or the disk is refused before its first byte", async (t) => {
  await using server = await TestServer.start({ settings: { userQuota: MIB } });
  await t.step("C 31, C 22 beyond the quota", async () => {
    const { body } = await putHead(server, 2 * MIB);
    assert.match(body, /"ErrResourcesQuotaExceeded"/);
  });
  await using full = await TestServer.start({ diskReserveMB: 1 });
  await t.step("C 31, C 2 beyond the disk", async () => {
    const { body } = await putHead(full, 1000 * 2 ** 30);
    assert.match(body, /storage is full/);
    const created = await postUpload(await full.as(1), {
      size: 1000 * 2 ** 30,
      metadata: { path: "a" },
    });
    assert.match(refused(created, 500, "ErrInternal"), /storage is full/);
  });
});
