import * as assert from "node:assert/strict";
import { AppError } from "../../core/errors.ts";
import { entry, items, refused } from "../support/client.ts";
import { TestServer, withRecords } from "../support/server.ts";

Deno.test("POST /resources/mkdir", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("", { "file.txt": "x" });
  await using events = await one.events();

  await t.step("RS 4.3.1 creates the directory and every missing parent", async () => {
    const leaf = entry(await one.mkdir("a/b/c"));
    assert.deepEqual([leaf.path, leaf.name, leaf.is_dir, leaf.size], ["a/b/c", "c", true, 0]);
    assert.deepEqual(await one.paths({ path: "a", recursive: "1" }), ["a", "a/b", "a/b/c"]);
  });
  await t.step("RS 4.3.5 publishes every created directory and returns only the leaf", async () => {
    assert.deepEqual(await events.take(3), ["added a", "added a/b", "added a/b/c"]);
  });
  await t.step("RS 4.3.1 is idempotent", async () => {
    const [known] = items(await one.list({ path: "a/b" })).filter(({ path }) => path === "a/b");
    assert.deepEqual(entry(await one.mkdir("a/b")), known);
    assert.deepEqual(entry(await one.mkdir(" a\\b/ ")), known);
  });
  await t.step("RS 4.3.5 publishes only the missing directories of a path", async () => {
    await one.mkdir("a/b/new/leaf");
    assert.deepEqual(await events.take(2), ["added a/b/new", "added a/b/new/leaf"]);
  });
  await t.step("RS 4.3.2 refuses an invalid path", async () => {
    for (const path of ["", " ", "/a", "..", "a/..", "./.", "a\0b", "x:y", "\ud800", "a/ /b"]) {
      refused(await one.mkdir(path), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.3.2 and C 3 refuse a malformed body", async () => {
    const send = (body: BodyInit | null, type: string | null = "application/json") =>
      one.send("POST", "/resources/mkdir", {
        body,
        headers: type === null ? {} : { "Content-Type": type },
      });
    const bodies: (BodyInit | null)[] = [
      null,
      "",
      "{",
      "[]",
      "null",
      '"path"',
      "{}",
      '{"path":null}',
      '{"path":1}',
      '{"path":["a"]}',
      '{"Path":"a"}',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      JSON.stringify({ path: "p".repeat(2 ** 20) }),
      `${" ".repeat(2 ** 20)}{"path":"padded"}`,
    ];
    for (const body of bodies) refused(await send(body), 400, "ErrResourcesInvalidRequest");
    for (const type of ["text/plain", "application/xml", "application/jsonx"]) {
      refused(await send('{"path":"typed"}', type), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step(
    "C 3 accepts every JSON media type, curl's own type, and ignores unknown keys",
    async () => {
      const types = ["application/json", "Application/JSON; charset=utf-8"];
      for (const [index, type] of [...types, "application/x-www-form-urlencoded"].entries()) {
        const body = JSON.stringify({ path: `json${index}`, unknown: { nested: true } });
        const headers = { "Content-Type": type };
        entry(await one.send("POST", "/resources/mkdir", { body, headers }));
      }
      const untyped = new TextEncoder().encode('{"path":"untyped"}');
      assert.equal(
        entry(await one.send("POST", "/resources/mkdir", { body: untyped })).name,
        "untyped",
      );
    },
  );
  await t.step("RS 4.3.3 and C 2 refuse a file in the way", async () => {
    for (const path of ["file.txt", "file.txt/below", "file.txt/below/deeper"]) {
      refused(await one.mkdir(path), 409, "ErrResourcesAlreadyExists");
    }
  });
  await t.step("C 5.5 the refusals published nothing", async () => {
    await one.mkdir("last");
    assert.deepEqual(await events.take(5), [
      "added json0",
      "added json1",
      "added json2",
      "added untyped",
      "added last",
    ]);
  });
  await t.step("RS 4.3.1 an administrator owns the directories it creates", async () => {
    const admin = await server.admin(9);
    assert.equal(entry(await admin.mkdir("a/b/c")).user_id, 9);
  });
});

Deno.test("RS 4.3.4 mkdir retries once if the store fails, then returns 500", async (t) => {
  for (
    const failure of [
      new Error("a disk hiccup"),
      new AppError("ErrInternal", "The storage is full"),
    ]
  ) {
    await t.step(failure.message, async () => {
      let failures = 1;
      let attempts = 0;
      await using server = await TestServer.start(withRecords((records) => ({
        write(...args) {
          attempts++;
          return failures-- > 0 ? Promise.reject(failure) : records.write(...args);
        },
      })));
      const one = await server.as(1);
      assert.equal(entry(await one.mkdir("a/b")).path, "a/b");
      failures = 2;
      const message = refused(await one.mkdir("c"), 500, "ErrInternal");
      assert.equal(message.includes("hiccup"), false);
      // A conflict is not retried.
      await one.upload("", { f: "x" });
      attempts = 0;
      refused(await one.mkdir("f"), 409, "ErrResourcesAlreadyExists");
      assert.equal(attempts, 1);
    });
  }
});
