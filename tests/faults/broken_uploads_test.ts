import * as assert from "node:assert/strict";
import { refused } from "../support/client.ts";
import { abandonedRequest, fileHead, formBody, rawRequest } from "../support/raw_http.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

const MB = 1_000_000;

Deno.test("C 6 a client that disconnects mid-body leaves nothing behind", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const whole = formBody([
    { head: fileHead("small"), content: "a small file" },
    { head: fileHead("large"), content: new Uint8Array(3 * MB) },
  ]);
  const cuts = [0, 1, 50, 120, 200, 70_000, MB, 2 * MB, whole.length - 20, whole.length - 1];
  for (const cut of cuts) {
    await abandonedRequest(server.origin, {
      line: "POST /api/v1/resources/?dir=gone",
      headers: {
        Authorization: `Bearer ${one.token}`,
        "Content-Type": "multipart/form-data; boundary=boundary",
      },
      body: whole.subarray(0, cut),
      declaredLength: whole.length,
    });
  }
  const replied = () =>
    server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  await until(() => replied().length === cuts.length);
  assert.deepEqual(await server.temporaryFiles(), []);
  assert.deepEqual(await server.storedHashes(), []);
  const requests = server.log.map((line) => JSON.parse(line)).filter(({ msg }) =>
    msg === "request"
  );
  assert.equal(requests.length, cuts.length);
  assert.ok(requests.every(({ status }) => status === 400), JSON.stringify(requests));
});

Deno.test("C 6 clients that send the whole body first still read the refusal", async (t) => {
  await using server = await TestServer.start({
    limits: { maxUploadFileSize: MB, maxUploadTotalSize: 2 * MB, maxUploadRequestSize: 20 * MB },
  });
  const one = await server.as(1);
  const viewer = await server.as(1, "resources.view");
  const large = formBody([{ head: fileHead("large"), content: new Uint8Array(15 * MB) }]);
  const named = formBody([
    { head: fileHead("a:b"), content: "x" },
    { head: fileHead("large"), content: new Uint8Array(15 * MB) },
  ]);
  const cases: [string, string, Uint8Array, Record<string, string>, number][] = [
    ["no credential", "none", large, {}, 401],
    ["no privilege", viewer.token, large, {}, 403],
    ["a file over the limit", one.token, large, {}, 400],
    ["a chunked file over the limit", one.token, large, { "Transfer-Encoding": "chunked" }, 400],
    ["a bad name before a large file", one.token, named, {}, 400],
    ["a bad dir", one.token, large, { dir: "/bad" }, 400],
    ["not a form", one.token, large, { "Content-Type": "application/octet-stream" }, 400],
  ];
  for (const [name, token, body, { dir = "", ...headers }, status] of cases) {
    await t.step(`C 6 ${name} is ${status}`, async () => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const reply = await rawRequest(server.origin, {
          line: `POST /api/v1/resources/?dir=${dir}`,
          headers: {
            Authorization: `Bearer ${token}`,
            "Content-Type": "multipart/form-data; boundary=boundary",
            ...headers,
          },
          body,
          pieceBytes: 65536,
        });
        assert.equal(reply.status, status);
        assert.match(reply.body, /^\{"status":"error","code":"Err\w+","msg":".+"\}\n$/);
      }
    });
  }
});

const hasCurl = await hasProgram("curl", "--version");

Deno.test({
  name: "C 6 curl always sees the refusal and never a reset",
  ignore: !hasCurl,
  async fn(t) {
    await using server = await TestServer.start({
      limits: { maxUploadFileSize: MB, maxUploadTotalSize: 2 * MB, maxUploadRequestSize: 60 * MB },
    });
    await using temporary = await TempDir.make();
    const one = await server.as(1);
    const file = `${temporary.path}/large.bin`;
    await Deno.writeFile(file, new Uint8Array(50 * MB));
    const tooLarge = `${temporary.path}/over.bin`;
    await Deno.writeFile(tooLarge, new Uint8Array(70 * MB));
    const auth = `Authorization: Bearer ${one.token}`;
    const url = `${server.url}/resources/`;
    const cases: [string, string[], string][] = [
      ["no credential", ["-F", `files=@${file}`, url], "401"],
      ["a file over the limit", ["-H", auth, "-F", `files=@${file}`, url], "400"],
      ["a request over the limit", ["-H", auth, "-F", `files=@${tooLarge}`, url], "400"],
      ["a chunked request over the limit", [
        "-H",
        auth,
        "-H",
        "Transfer-Encoding: chunked",
        "-F",
        `files=@${tooLarge}`,
        url,
      ], "400"],
      ["not a form", ["-H", auth, "-X", "POST", "-T", file, url.slice(0, -1)], "400"],
      ["a bad name", ["-H", auth, "-F", `files=@${file};filename=a:b`, url], "400"],
      ["an unknown method", ["-X", "PUT", "-T", file, url.slice(0, -1)], "405"],
      ["a JSON body over the limit", [
        "-H",
        auth,
        "-H",
        "Content-Type: application/json",
        "--data-binary",
        `@${file}`,
        `${url}mkdir`,
      ], "400"],
    ];
    for (const [name, args, status] of cases) {
      await t.step(`C 6 ${name} is ${status}`, async () => {
        for (let attempt = 0; attempt < 3; attempt++) {
          const { code, stdout } = await run("curl", ["-s", "-w", "%{http_code}", ...args]);
          assert.equal(code, 0, stdout);
          assert.match(stdout, new RegExp(`^\\{"status":"error",.*\\}\\n${status}$`));
        }
      });
    }
    assert.deepEqual(await server.temporaryFiles(), []);
  },
});

Deno.test("C 6 slow uploads of many clients do not block each other", async () => {
  await using server = await TestServer.start();
  const clients = await Promise.all([1, 2, 3, 4, 5, 6].map((userId) => server.as(userId)));
  const replies = await Promise.all(clients.map((client, index) =>
    rawRequest(server.origin, {
      line: "POST /api/v1/resources/",
      headers: {
        Authorization: `Bearer ${client.token}`,
        "Content-Type": "multipart/form-data; boundary=boundary",
      },
      body: formBody([{ head: fileHead("f"), content: new Uint8Array(200_000).fill(index) }]),
      pieceBytes: 777,
    })
  ));
  for (const [index, reply] of replies.entries()) {
    assert.equal(reply.status, 200);
    const client = clients[index];
    assert.deepEqual(await client?.bytes({ path: "f" }), new Uint8Array(200_000).fill(index));
  }
});

Deno.test("C 6 content with a forged MD5 of stored content is refused and changes nothing", async () => {
  // History would keep the content that is removed.
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  const two = await server.as(2);
  const [first, second] = MD5_COLLISION;
  assert.equal((await one.upload("", { genuine: first })).status, 200);
  const message = refused(await two.upload("", { forged: second }), 400, "ErrResourcesInvalidData");
  // It does not tell that somebody else has stored something.
  assert.doesNotMatch(message, /stored|exists|different|other/);
  refused(await two.upload("d", { a: "fine", forged: second }), 400, "ErrResourcesInvalidData");
  assert.deepEqual(await two.tree(), []);
  assert.deepEqual(await one.bytes({ path: "genuine" }), first);
  assert.equal((await server.storedHashes()).length, 1);
  assert.deepEqual(await server.temporaryFiles(), []);
  // Both in one form: the first one is not stored yet when the second one is compared.
  await one.remove({ path: "genuine" });
  refused(await one.upload("", { a: first, b: second }), 400, "ErrResourcesInvalidData");
  assert.deepEqual(await server.storedHashes(), []);
  // Each one alone is accepted.
  await server.tree.sweeper.finish();
  assert.equal((await two.upload("", { forged: second })).status, 200);
});
