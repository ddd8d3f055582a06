import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Client, items, refused, type Reply } from "../support/client.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { fileHead, formBody } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";

/** Sends a form whose files have these names, as they are. */
function send(
  client: Client,
  query: Readonly<Record<string, string | undefined>>,
  files: readonly (readonly [name: string, content: string | Uint8Array])[],
): Promise<Reply> {
  return client.send("POST", "/resources/", {
    query,
    body: formBody(files.map(([name, content]) => ({ head: fileHead(name), content }))),
    headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
  });
}

function md5(content: string): string {
  return createHash("md5").update(content).digest("hex");
}

Deno.test("C 17 ?paths=keep keeps relative paths", async (t) => {
  await using server = await TestServer.start({ limits: { maxUploadFiles: 200 } });
  const one = await server.as(1);
  const keep = { paths: "keep", dir: "up" };

  await t.step("C 17 a file name is a path below dir", async () => {
    await using events = await one.events();
    const reply = await send(one, keep, [
      ["model/config.json", "{}"],
      ["model/weights/1.bin", "1"],
      ["top.txt", "t"],
      ["model\\weights\\./2.bin", "2"],
    ]);
    assert.deepEqual(items(reply).map(({ path }) => path), [
      "up/model/config.json",
      "up/model/weights/1.bin",
      "up/top.txt",
      "up/model/weights/2.bin",
    ]);
    const told: string[] = [];
    while (told.length < 7) {
      const event = await events.next();
      assert.equal(event?.event, "resource.added");
      told.push(JSON.parse(event?.data ?? "").path);
    }
    assert.deepEqual(told, [
      "up",
      "up/model",
      "up/model/weights",
      ...items(reply).map(({ path }) => path),
    ]);
  });
  await t.step("C 17 below the root", async () => {
    const reply = await send(one, { paths: "keep" }, [["a/b/c", "x"], ["d", "y"]]);
    assert.deepEqual(items(reply).map(({ path }) => path), ["a/b/c", "d"]);
  });
  await t.step("C 4 without it, only the last segment counts", async () => {
    const reply = await send(one, { dir: "flat" }, [["model/config.json", "{}"]]);
    assert.deepEqual(items(reply).map(({ path }) => path), ["flat/config.json"]);
  });
  const before = await one.tree();
  for (
    const name of [
      "../up.txt",
      "a/../../b",
      "a\\..\\b",
      "/absolute",
      "\\absolute",
      "C:\\x\\evil.txt",
      "a/ /b",
      "a/b\u0001",
      "",
      " ",
      "a/" + "n".repeat(256),
    ]
  ) {
    await t.step(`C 17 and C 4 refuses ${JSON.stringify(name).slice(0, 20)}`, async () => {
      refused(await send(one, keep, [["fine", "x"], [name, "y"]]), 400, "ErrResourcesInvalidData");
      assert.deepEqual(await one.tree(), before);
    });
  }
  await t.step("C 17 refuses paths that are too deep or too long with dir", async () => {
    for (
      const name of ["n/".repeat(255) + "n", `${"n".repeat(200)}/`.repeat(20) + "n".repeat(75)]
    ) {
      refused(await send(one, keep, [[name, "x"]]), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("C 17 refuses a file that is also a directory", async () => {
    refused(await send(one, keep, [["x", "1"], ["x/y", "2"]]), 409, "ErrResourcesAlreadyExists");
    refused(await send(one, keep, [["x/y", "2"], ["x", "1"]]), 409, "ErrResourcesAlreadyExists");
    refused(
      await send(one, keep, [["x/y", "2"], ["x/./y", "1"]]),
      409,
      "ErrResourcesAlreadyExists",
    );
    refused(await send(one, keep, [["top.txt/y", "2"]]), 409, "ErrResourcesAlreadyExists");
    refused(await send(one, keep, [["model", "2"]]), 409, "ErrResourcesAlreadyExists");
    assert.deepEqual(await one.tree(), before);
  });
  await t.step("C 17 refuses files in too many directories", async () => {
    const files = Array.from({ length: 50 }, (_, index) => `${index}${"/d".repeat(210)}/f`);
    const reply = await send(one, keep, files.map((name) => [name, "x"]));
    assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /10000 directories/);
    assert.deepEqual(await one.tree(), before);
  });
  await t.step("C 17 refuses another value", async () => {
    const reply = await send(one, { paths: "kept" }, [["f", "x"]]);
    assert.match(refused(reply, 400, "ErrResourcesInvalidRequest"), /paths "kept": expected keep/);
  });
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 17 ?on_conflict=", async (t) => {
  // Events are the entries, without the versions that history adds.
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  await one.upload("d", { same: "same content", other: "former content" });
  await one.mkdir("d/directory");
  const [same] = items(await one.list({ path: "d", recursive: "1" }))
    .filter(({ name }) => name === "same");

  await t.step("RS 4.2.5 error is the default", async () => {
    for (const query of [{ dir: "d" }, { dir: "d", on_conflict: "error" }]) {
      const reply = await send(one, query, [["same", "same content"]]);
      refused(reply, 409, "ErrResourcesAlreadyExists");
    }
  });
  await t.step(
    "C 17 skip returns the entry with the same content, and stores the others",
    async () => {
      await using events = await one.events();
      const query = { dir: "d", on_conflict: "skip" };
      const reply = await send(one, query, [["new", "n"], ["same", "same content"], ["new2", "n"]]);
      const [first, second, third] = items(reply);
      assert.deepEqual([first?.path, third?.path], ["d/new", "d/new2"]);
      assert.deepEqual(second, same);
      const told = [await events.next(), await events.next()];
      assert.deepEqual(told.map((it) => JSON.parse(it?.data ?? "").path), ["d/new", "d/new2"]);
      assert.deepEqual(items(await send(one, query, [["same", "same content"]])), [same]);
    },
  );
  await t.step("C 17 skip refuses other content and a directory", async () => {
    const before = await one.list({ recursive: "1" });
    const query = { dir: "d", on_conflict: "skip" };
    const files = [["new3", "n"], ["other", "other content!"]] as const;
    refused(await send(one, query, files), 409, "ErrResourcesAlreadyExists");
    refused(await send(one, query, [["directory", ""]]), 409, "ErrResourcesAlreadyExists");
    assert.equal((await one.list({ recursive: "1" })).text, before.text);
  });
  await t.step("C 17 and C 6 skip compares bytes, as MD5 can be forged", async () => {
    const [forged, other] = MD5_COLLISION;
    items(await send(one, { dir: "forged" }, [["f", forged]]));
    const reply = await send(one, { dir: "forged", on_conflict: "skip" }, [["f", other]]);
    refused(reply, 400, "ErrResourcesInvalidData");
    assert.deepEqual(await one.bytes({ path: "forged/f" }), forged);
  });
  await t.step("C 17 replace keeps id and created_at, and publishes Updated", async () => {
    await using events = await one.events();
    const query = { dir: "d", on_conflict: "replace" };
    const reply = await send(one, query, [["same", "replaced"], ["added", "a"]]);
    const [replaced, added] = items(reply);
    assert.deepEqual([replaced?.id, replaced?.created_at], [same?.id, same?.created_at]);
    assert.equal(replaced?.size, 8);
    const told = [await events.next(), await events.next()];
    assert.deepEqual(told.map((it) => [it?.event, JSON.parse(it?.data ?? "")]), [
      ["resource.added", added],
      ["resource.updated", replaced],
    ]);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "d/same" })), "replaced");
    const stored = await server.storedHashes();
    assert.ok(!stored.includes(md5("same content")));
  });
  await t.step("C 17 replace refuses a directory, and replaces nothing then", async () => {
    const before = await one.list({ recursive: "1" });
    const query = { dir: "d", on_conflict: "replace" };
    const reply = await send(one, query, [["other", "x"], ["directory", "y"]]);
    refused(reply, 409, "ErrResourcesAlreadyExists");
    assert.equal((await one.list({ recursive: "1" })).text, before.text);
  });
  await t.step("C 17 replace needs resources.edit", async () => {
    const uploader = await server.as(1, "resources.upload");
    const files = [["brand-new", "x"]] as const;
    const reply = await send(uploader, { on_conflict: "replace" }, files);
    assert.match(refused(reply, 403, "ErrNotPermitted"), /resources\.edit/);
    assert.equal(items(await send(uploader, { on_conflict: "skip" }, files)).length, 1);
  });
  await t.step("C 17 replaces files of kept paths", async () => {
    const query = { on_conflict: "replace", paths: "keep" };
    await send(one, query, [["p/q/f", "1"]]);
    items(await send(one, query, [["p/q/f", "2"], ["p/r/f", "3"]]));
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "p/q/f" })), "2");
  });
  await t.step("C 17 refuses another value", async () => {
    const reply = await send(one, { on_conflict: "rename" }, [["f", "x"]]);
    assert.match(
      refused(reply, 400, "ErrResourcesInvalidRequest"),
      /on_conflict "rename": expected one of error, skip, replace/,
    );
  });
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 17 and C 22 replacing counts against the quota, less what it replaces", async () => {
  await using server = await TestServer.start({ settings: { userQuota: 100_000 } });
  const one = await server.as(1);
  const bytes = (size: number, fill: number) => new Uint8Array(size).fill(fill);
  items(await send(one, {}, [["a", bytes(45_000, 1)], ["b", bytes(45_000, 2)]]));
  const query = { on_conflict: "replace" };
  items(await send(one, query, [["a", bytes(50_000, 3)], ["b", bytes(50_000, 4)]]));
  const over = [["a", bytes(50_000, 5)], ["b", bytes(50_001, 6)]] as const;
  refused(await send(one, query, over), 400, "ErrResourcesQuotaExceeded");
  assert.deepEqual(await one.bytes({ path: "a" }), bytes(50_000, 3));
});
