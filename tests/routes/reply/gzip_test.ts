import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";

/** A reply as it is sent. */
async function sent(server: TestServer, path: string, encoding: string) {
  const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
  const headers = { Authorization: `Bearer ${token}`, "Accept-Encoding": encoding };
  const { promise, resolve, reject } = Promise.withResolvers<
    { encoding: string | undefined; vary: string | undefined; body: Buffer }
  >();
  get(server.url + path, { headers }, async (response) => {
    const body = Buffer.concat(await Array.fromAsync(response));
    const { "content-encoding": encoding, vary } = response.headers;
    resolve({ encoding, vary, body });
  }).on("error", reject);
  return await promise;
}

Deno.test("C 8 lists and verdicts are compressed for clients that take it, whole and in parts", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  const files = Array.from({ length: 3000 }, (_, index) => [`${index}.txt`, "content"]);
  await client.upload("many", Object.fromEntries(files));
  await client.upload("few", Object.fromEntries(files.slice(0, 20)));
  for (const path of ["few", "many"]) {
    for (const list of ["/resources/", "/resources/verdicts"]) {
      await t.step(`${list} of ${path}`, async () => {
        const plain = await sent(server, `${list}?path=${path}`, "br, gzip;q=0");
        assert.equal(plain.encoding, undefined);
        const { encoding, vary, body } = await sent(server, `${list}?path=${path}`, "GZIP;q=0.5");
        assert.equal(encoding, "gzip");
        assert.match(vary ?? "", /Accept-Encoding/);
        assert.ok(body.length < plain.body.length / 3, `${body.length} of ${plain.body.length}`);
        assert.deepEqual(JSON.parse(`${gunzipSync(body)}`), JSON.parse(`${plain.body}`));
      });
    }
  }
  await t.step(
    "a reply of one packet, and one that may have secrets, are sent as they are",
    async () => {
      await client.upload("one", { a: "content" });
      assert.equal((await sent(server, "/resources/?path=one", "gzip")).encoding, undefined);
      for (let index = 0; index < 20; index++) {
        const reply = await client.json("POST", "/links", { path: "one/a", expires_in: 60 });
        assert.equal(reply.status, 200, reply.text);
      }
      const { encoding, body } = await sent(server, "/links/", "gzip");
      assert.equal(encoding, undefined);
      assert.ok(body.length > 1400);
    },
  );
});
