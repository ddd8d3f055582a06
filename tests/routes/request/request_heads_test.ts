import * as assert from "node:assert/strict";
import * as http2 from "node:http2";
import { checkHeads, HEADS_SERVER } from "../../fuzz/request_heads.ts";
import { dataOf } from "../../support/client.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { TestServer } from "../../support/server.ts";

Deno.test("C 1 a request without a possible host is 400, and changes nothing", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("a", "content");
  const authorization = `Bearer ${one.token}`;
  const body = JSON.stringify({ path: "a", expires_in: "1h" });
  for (const host of ["a:80:90", "[::1", "xn--", "a:99999", ":80", "999.1.1.1", "[]"]) {
    await t.step(`C 1 Host: ${host}`, async () => {
      const reply = await rawRequest(server.origin, {
        line: "POST /api/v1/links",
        headers: { Host: host, Authorization: authorization, "Content-Type": "application/json" },
        body,
      });
      assert.equal(reply.status, 400, reply.body);
    });
  }
  for (
    const target of ["file://a/api/v1/links", "ftp://a/api/v1/links", "http://u:p@a/api/v1/links"]
  ) {
    await t.step(`C 1 POST ${target}`, async () => {
      const reply = await rawRequest(server.origin, {
        line: `POST ${target}`,
        headers: { Authorization: authorization, "Content-Type": "application/json" },
        body,
      });
      assert.equal(reply.status, 400, reply.body);
    });
  }
  await t.step("C 1 :scheme file by HTTP/2", async () => {
    const headers = { ":scheme": "file", ":method": "POST", ":path": "/api/v1/links" };
    assert.equal(await statusByHttp2(server.origin, { ...headers, authorization }, body), 400);
  });
  await t.step("C 19 no link was made", async () => {
    assert.deepEqual(dataOf(await one.send("GET", "/links/")), { items: [], total: 0 });
  });
});

Deno.test("C 1 no head of a request makes an internal error", async () => {
  await using server = await TestServer.start(HEADS_SERVER);
  const statuses = await checkHeads(server, { seed: 20261124, requests: 2000 });
  for (const status of [200, 204, 400, 401, 403, 404, 405]) {
    assert.ok((statuses.get(status) ?? 0) > 0, `no ${status}`);
  }
});

async function statusByHttp2(
  origin: string,
  headers: http2.OutgoingHttpHeaders,
  body: string,
): Promise<number | undefined> {
  const session = http2.connect(origin);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    session.on("error", reject);
    const stream = session.request(headers);
    stream.on("error", reject);
    stream.on("response", (reply) => resolve(reply[":status"]));
    stream.end(body);
    return await promise;
  } finally {
    session.destroy();
  }
}
