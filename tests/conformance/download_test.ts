import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { items, refused, type Reply } from "../support/client.ts";
import { TestServer } from "../support/server.ts";
import { loseContent } from "../support/stored_content.ts";

async function reply(response: Response): Promise<Reply> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

Deno.test("GET /resources/download of one file", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const content = "0123456789abcdefghijklmnopqrstuvwxyz";
  const [file] = items(await one.upload("d", { "data.bin": content }));
  assert.ok(file);
  const tag = `"${createHash("md5").update(content).digest("hex")}"`;
  const get = (headers: HeadersInit = {}) => one.download({ path: "d/data.bin" }, headers);

  await t.step("RS 4.7.3 sends the content with its length and name", async () => {
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("Content-Type"), "application/octet-stream");
    assert.equal(response.headers.get("Content-Length"), "36");
    assert.match(
      response.headers.get("Content-Disposition") ?? "",
      /^attachment; filename="data\.bin"$/,
    );
    assert.equal(await response.text(), content);
  });
  await t.step("C 9 sends an ETag, a modification time and range support", async () => {
    const response = await get();
    assert.equal(response.headers.get("ETag"), tag);
    assert.equal(response.headers.get("Accept-Ranges"), "bytes");
    const modified = Date.parse(response.headers.get("Last-Modified") ?? "");
    assert.equal(modified, Math.floor(Date.parse(file.updated_at) / 1000) * 1000);
    await response.body?.cancel();
  });
  await t.step("RS 4.7.2 finds a file by its id as well", async () => {
    for (const query of [{ id: String(file.id) }, { "ids[]": [String(file.id), `0${file.id}`] }]) {
      assert.equal(await (await one.download(query)).text(), content);
    }
  });
  await t.step("C 9 counts the same path twice as one", async () => {
    const response = await one.download({ path: "d/data.bin", "paths[]": ["d\\data.bin", " "] });
    assert.equal(await response.text(), content);
  });
  await t.step("C 9 sends one range", async () => {
    const cases: [string, string, string][] = [
      ["bytes=0-0", "0", "bytes 0-0/36"],
      ["bytes=5-9", "56789", "bytes 5-9/36"],
      ["bytes=30-", "uvwxyz", "bytes 30-35/36"],
      ["bytes=-3", "xyz", "bytes 33-35/36"],
      ["bytes=-100", content, "bytes 0-35/36"],
      ["bytes=30-1000", "uvwxyz", "bytes 30-35/36"],
      ["Bytes=1-2", "12", "bytes 1-2/36"],
      [" bytes=1-2 ", "12", "bytes 1-2/36"],
    ];
    for (const [range, expected, contentRange] of cases) {
      const response = await get({ Range: range });
      assert.equal(response.status, 206, range);
      assert.equal(response.headers.get("Content-Range"), contentRange);
      assert.equal(response.headers.get("Content-Length"), String(expected.length));
      assert.equal(await response.text(), expected);
    }
  });
  await t.step("C 9 refuses a range outside the content with 416", async () => {
    for (const range of ["bytes=36-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"]) {
      const response = await reply(await get({ Range: range }));
      assert.equal(response.headers.get("Content-Range"), "bytes */36");
      refused(response, 416, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("C 9 sends everything if the header is not a single range", async () => {
    for (const range of ["bytes=0-1,4-5", "bytes=9-5", "bytes=a-b", "bytes=-", "lines=1-2", "x"]) {
      const response = await get({ Range: range });
      assert.equal(response.status, 200, range);
      assert.equal(await response.text(), content);
    }
  });
  await t.step("C 9 honors If-Range", async () => {
    const modified = new Date(file.updated_at).toUTCString();
    for (
      const [condition, status] of [
        [tag, 206],
        ['"other"', 200],
        [`W/${tag}`, 200],
        [modified, 206],
        ["Thu, 01 Jan 1970 00:00:00 GMT", 200],
      ] as const
    ) {
      const response = await get({ Range: "bytes=0-3", "If-Range": condition });
      assert.equal(response.status, status, condition);
      await response.body?.cancel();
    }
  });
  await t.step("C 9 honors If-None-Match", async () => {
    for (const tags of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const response = await get({ "If-None-Match": tags });
      assert.equal(response.status, 304, tags);
      assert.equal(response.headers.get("ETag"), tag);
      assert.equal(await response.text(), "");
    }
    const other = await get({ "If-None-Match": '"x", "y"' });
    assert.equal(await other.text(), content);
  });
  await t.step("C 9 honors If-Modified-Since without If-None-Match", async () => {
    const later = new Date(Date.parse(file.updated_at) + 5000).toUTCString();
    assert.equal((await get({ "If-Modified-Since": later })).status, 304);
    for (
      const headers of [
        { "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT" },
        { "If-Modified-Since": "not a date" },
        { "If-Modified-Since": later, "If-None-Match": '"x"' },
      ] as HeadersInit[]
    ) {
      const response = await get(headers);
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  });
  await t.step("C 9 answers HEAD with headers only", async () => {
    const head = await one.fetch("/resources/download?path=d/data.bin", { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get("Content-Length"), "36");
    assert.equal(head.headers.get("ETag"), tag);
    assert.equal(await head.text(), "");
    const part = await one.fetch("/resources/download?path=d/data.bin", {
      method: "HEAD",
      headers: { Range: "bytes=1-2" },
    });
    // RFC 9110, 14.2: ranges apply to GET only.
    assert.equal(part.status, 200);
    assert.equal(part.headers.get("Content-Length"), "36");
    const missing = await one.fetch("/resources/download?path=nothing", { method: "HEAD" });
    assert.equal(missing.status, 404);
  });
  await t.step("C 9 answers HEAD by 304 if the client has the content", async () => {
    const [current, head] = await Promise.all(["GET", "HEAD"].map(async (method) => {
      const headers = { "If-None-Match": tag };
      const reply = await one.send(method, "/resources/download?path=d/data.bin", { headers });
      const { status, text } = reply;
      const names = ["ETag", "Last-Modified", "Cache-Control", "Content-Length"];
      assert.match(reply.headers.get("X-Request-Id") ?? "", /./);
      return [status, text, ...names.map((name) => reply.headers.get(name))];
    }));
    assert.equal(current?.[0], 304);
    assert.deepEqual(head, current);
  });
  await t.step("C 9 sends empty content", async () => {
    await one.upload("d", { empty: "" });
    const response = await one.download({ path: "d/empty" });
    assert.equal(response.headers.get("Content-Length"), "0");
    assert.equal(await response.text(), "");
    const ranged = await reply(await one.download({ path: "d/empty" }, { Range: "bytes=0-" }));
    refused(ranged, 416, "ErrResourcesInvalidRequest");
  });
  await t.step("C 9 encodes non-ASCII names as in RFC 6266", async () => {
    for (
      const [name, expected] of [
        ["日本.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt"],
        ["it's 100%.txt", 'attachment; filename="it\'s 100%.txt"'],
        ["a;b=c.txt", 'attachment; filename="a;b=c.txt"'],
        ["x%41.txt", "attachment; filename=\"x%41.txt\"; filename*=UTF-8''x%2541.txt"],
      ] as const
    ) {
      await one.upload("names", { [name]: "n" });
      const response = await one.download({ path: `names/${name}` });
      await response.body?.cancel();
      assert.equal(response.headers.get("Content-Disposition"), expected);
    }
  });
  await t.step("RS 4.7.3 is a 404 if the content is missing from storage", async () => {
    await one.upload("gone", { file: "to be lost" });
    await one.upload("gone", { large: "to be lost".repeat(10_000) });
    for (
      const [name, content] of [["file", "to be lost"], ["large", "to be lost".repeat(10_000)]]
    ) {
      await loseContent(server.dataDir, createHash("md5").update(content ?? "").digest("hex"));
      const path = `gone/${name}`;
      refused(await reply(await one.download({ path })), 404, "ErrResourcesNotFound");
    }
  });
});

Deno.test("GET /resources/download refuses", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const two = await server.as(2);
  const [mine] = items(await one.upload("", { mine: "m" }));
  const [theirs] = items(await two.upload("", { theirs: "t" }));
  assert.ok(mine && theirs);
  const get = async (query: string) => await reply(await one.fetch(`/resources/download${query}`));

  await t.step("RS 4.7.1 a request without path and id", async () => {
    for (const query of ["", "?path=", "?paths[]=%20&path=", "?paths=mine", "?unknown=1"]) {
      refused(await get(query), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.7.1 and C 3 an id that is not a positive 64-bit integer", async () => {
    const bad = [
      "0",
      "00",
      "-1",
      "%2B1",
      "1.0",
      "1e3",
      "0x1",
      "",
      "%201",
      "one",
      "18446744073709551616",
    ];
    for (const id of bad) {
      refused(await get(`?id=${id}`), 400, "ErrResourcesInvalidRequest");
      refused(await get(`?id=${mine.id}&ids[]=${id}`), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("RS 4.7.2 and C 3 an id that does not exist", async () => {
    for (const id of ["999999", "9007199254740993", "18446744073709551615"]) {
      refused(await get(`?id=${id}`), 404, "ErrResourcesNotFound");
    }
  });
  await t.step("RS 4.7.2 a path or id of another user", async () => {
    refused(await get("?path=theirs"), 404, "ErrResourcesNotFound");
    refused(await get(`?id=${theirs.id}`), 404, "ErrResourcesNotFound");
    refused(await get(`?path=mine&ids[]=${theirs.id}`), 404, "ErrResourcesNotFound");
    const admin = await server.admin();
    assert.equal(await (await admin.download({ id: String(theirs.id) })).text(), "t");
    assert.equal(await (await admin.download({ path: "theirs" })).text(), "t");
  });
  await t.step("RS 4.7.2 one missing path among several", async () => {
    refused(await get("?paths[]=mine&paths[]=nothing"), 404, "ErrResourcesNotFound");
  });
  await t.step("C 4 an invalid path", async () => {
    for (const path of ["/mine", "../mine", "a%00b", "mine%2F..%2Ftheirs"]) {
      refused(await get(`?path=${path}`), 400, "ErrResourcesInvalidRequest");
    }
  });
  await t.step("C 9 an unknown compression", async () => {
    for (const value of ["zip", "", "AUTO", "0"]) {
      refused(await get(`?path=mine&compression=${value}`), 400, "ErrResourcesInvalidRequest");
    }
  });
});
