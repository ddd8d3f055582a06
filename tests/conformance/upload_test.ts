import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { items, refused } from "../support/client.ts";
import { fileHead, formBody, joinBytes, rawRequest } from "../support/raw_http.ts";
import { TestServer } from "../support/server.ts";

function md5(content: string): string {
  return createHash("md5").update(content).digest("hex");
}

Deno.test("POST /resources/ stores files", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);

  await t.step("RS 4.2.5 puts each file at dir/<name>", async () => {
    const reply = await one.upload("models/llama", { "a.gguf": "first", "b.gguf": "second" });
    assert.deepEqual(items(reply).map(({ path, size }) => [path, size]), [
      ["models/llama/a.gguf", 5],
      ["models/llama/b.gguf", 6],
    ]);
    assert.deepEqual(await one.bytes({ path: "models/llama/b.gguf" }), joinBytes(["second"]));
  });
  await t.step("RS 4.2.5 an empty dir is the root", async () => {
    for (const [dir, name] of [[undefined, "r1"], ["", "r2"], ["  ", "r3"]] as const) {
      assert.equal(items(await one.upload(dir, { [name]: "x" }))[0]?.path, name);
    }
  });
  await t.step("RS 4.2 returns only the files, not the created directories", async () => {
    const saved = items(await one.upload("new/deep/er", { f: "f" }));
    assert.deepEqual(saved.map(({ path }) => path), ["new/deep/er/f"]);
  });
  await t.step("RS 4.2.7 creates the missing directories of dir", async () => {
    const made = items(await one.list({ path: "new", recursive: "1" }));
    assert.deepEqual(made.map(({ path, is_dir, size }) => [path, is_dir, size]), [
      ["new", true, 0],
      ["new/deep", true, 0],
      ["new/deep/er", true, 0],
      ["new/deep/er/f", false, 1],
    ]);
  });
  await t.step("RS 4.2.8 assigns the records to the caller", async () => {
    const two = await server.as(2);
    assert.equal(items(await two.upload("models/llama", { "a.gguf": "theirs" }))[0]?.user_id, 2);
    const admin = await server.admin(9);
    assert.equal(items(await admin.upload("models/llama", { "a.gguf": "admin" }))[0]?.user_id, 9);
  });
  await t.step("RS 4.2 accepts a single form file `file` if there is no `files`", async () => {
    assert.equal(items(await one.upload("single", { s: "x" }, "file"))[0]?.path, "single/s");
  });
  await t.step("C 6 uses only the first `file`, and none if there are `files`", async () => {
    const body = new FormData();
    body.append("file", new Blob(["1"]), "first");
    body.append("file", new Blob(["2"]), "second");
    const only = await one.send("POST", "/resources/?dir=several", { body });
    assert.deepEqual(items(only).map(({ path }) => path), ["several/first"]);

    for (const order of [["file", "files"], ["files", "file"]]) {
      const form = new FormData();
      for (const field of order) form.append(field, new Blob([field]), `${field}.txt`);
      const dir = order.join("-");
      const both = await one.send("POST", `/resources/?dir=${dir}`, { body: form });
      assert.deepEqual(items(both).map(({ path }) => path), [`${dir}/files.txt`]);
    }
    assert.deepEqual(await server.temporaryFiles(), []);
  });
  await t.step("C 6 refuses a bad `file` only if no `files` follow", async () => {
    const bad = { head: fileHead("a:b", "file"), content: "x" };
    const good = { head: fileHead("good"), content: "y" };
    const send = async (parts: { head: string; content: string }[]) =>
      await one.send("POST", "/resources/?dir=stand-in", {
        body: formBody(parts),
        headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
      });
    refused(await send([bad]), 400, "ErrResourcesInvalidData");
    assert.equal(items(await send([bad, good]))[0]?.path, "stand-in/good");
  });
  await t.step("C 6 skips fields and parts with other names", async () => {
    const body = new FormData();
    body.append("comment", "some text");
    body.append("attachment", new Blob(["no"]), "other.bin");
    body.append("files", "a text field, not a file");
    body.append("files", new Blob(["yes"]), "wanted");
    const saved = items(await one.send("POST", "/resources/?dir=skips", { body }));
    assert.deepEqual(saved.map(({ path }) => path), ["skips/wanted"]);
  });
  await t.step("C 6 stores empty files", async () => {
    const saved = items(await one.upload("zero", { empty: "" }));
    assert.deepEqual(saved.map(({ path, size }) => [path, size]), [["zero/empty", 0]]);
    assert.equal((await one.bytes({ path: "zero/empty" })).length, 0);
    assert.ok((await server.storedHashes()).includes(md5("")));
  });
  await t.step("C 6 skips an empty file input and nothing else", async () => {
    const send = async (content: string) =>
      await one.send("POST", "/resources/?dir=unchosen", {
        body: formBody([{ head: fileHead(""), content }, {
          head: fileHead("chosen"),
          content: "c",
        }]),
        headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
      });
    assert.equal(items(await send("")).length, 1);
    refused(await send("nameless content"), 400, "ErrResourcesInvalidData");
  });
  await t.step("RS 4.2.6 stores equal content once, named by its MD5", async () => {
    await one.upload("same", { a: "identical", b: "identical" });
    await (await server.as(5)).upload("elsewhere", { c: "identical" });
    const stored = await server.storedHashes();
    assert.equal(stored.filter((hash) => hash === md5("identical")).length, 1);
    assert.deepEqual(await one.bytes({ path: "same/b" }), joinBytes(["identical"]));
  });
  await t.step("RS 4.2 stores a large file unchanged", async () => {
    const large = new Uint8Array(5_000_001);
    for (let at = 0; at < large.length; at += 65536) {
      crypto.getRandomValues(large.subarray(at, at + 65536));
    }
    const saved = items(await one.upload("large", { blob: large, tail: "end" }));
    assert.deepEqual(saved.map(({ size }) => size), [5_000_001, 3]);
    assert.deepEqual(await one.bytes({ path: "large/blob" }), large);
    const hash = createHash("md5").update(large).digest("hex");
    assert.ok((await server.storedHashes()).includes(hash));
  });
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("POST /resources/ refuses and keeps nothing", async (t) => {
  const MB = 1_000_000;
  await using server = await TestServer.start({
    limits: {
      maxUploadFiles: 3,
      maxUploadFileSize: 2 * MB,
      maxUploadTotalSize: 3 * MB,
      maxUploadRequestSize: 4 * MB,
    },
  });
  const one = await server.as(1);
  await one.upload("kept", { "taken.txt": "mine" });
  await one.mkdir("kept/directory");
  const before = await one.tree();
  const hashes = await server.storedHashes();
  await using events = await one.events();

  const refuses = async (
    name: string,
    expected: { status: number; code: string; message?: RegExp },
    send: () => Promise<Parameters<typeof refused>[0]>,
  ) =>
    await t.step(name, async () => {
      const message = refused(await send(), expected.status, expected.code);
      if (expected.message) assert.match(message, expected.message);
      assert.deepEqual(await one.tree(), before);
      assert.deepEqual(await server.storedHashes(), hashes);
      assert.deepEqual(await server.temporaryFiles(), []);
    });
  const invalid = { status: 400, code: "ErrResourcesInvalidRequest" };
  const badData = { status: 400, code: "ErrResourcesInvalidData" };
  const exists = { status: 409, code: "ErrResourcesAlreadyExists" };
  const blob = (size: number) => new Uint8Array(size);

  await refuses("RS 4.2.1 an invalid dir", invalid, () => one.upload("/abs", { f: "x" }));
  await refuses("RS 4.2.1 a dir with ..", invalid, () => one.upload("a/../b", { f: "x" }));
  await refuses(
    "RS 4.2.2 a body that is not a form",
    invalid,
    () => one.send("POST", "/resources/", { body: "not a form" }),
  );
  await refuses("RS 4.2.2 no body", invalid, () => one.send("POST", "/resources/"));
  await refuses("RS 4.2.2 a form over the request limit, by Content-Length", {
    ...invalid,
    message: /larger than 3.8 MiB \(STRONGROOM_MAX_UPLOAD_REQUEST_SIZE\)/,
  }, () => one.upload("x", { a: blob(5 * MB) }));
  await refuses(
    "RS 4.2.2 a chunked form over the request limit",
    invalid,
    () =>
      one.send("POST", "/resources/", {
        body: ReadableStream.from(
          (function* () {
            yield formBody([{ head: fileHead("ok"), content: "ok" }]).subarray(0, -14);
            for (let i = 0; i < 50; i++) yield blob(100_000);
          })(),
        ),
        headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
      }),
  );
  await refuses("RS 4.2.3 a form without a file", invalid, () => {
    const body = new FormData();
    body.append("files", "a field");
    return one.send("POST", "/resources/", { body });
  });
  await refuses(
    "RS 4.2.3 more files than allowed",
    { ...invalid, message: /more than 3 files \(STRONGROOM_MAX_UPLOAD_FILES\)/ },
    () => one.upload("x", { a: "1", b: "2", c: "3", d: "4" }),
  );
  await refuses(
    "RS 4.2.4 a file over the limit",
    { ...invalid, message: /"big" is larger than 1.9 MiB \(STRONGROOM_MAX_UPLOAD_FILE_SIZE\)/ },
    () => one.upload("x", { small: "s", big: blob(2 * MB + 1) }),
  );
  await refuses(
    "RS 4.2.4 files over the total limit",
    { ...invalid, message: /2.9 MiB in total \(STRONGROOM_MAX_UPLOAD_TOTAL_SIZE\)/ },
    () => one.upload("x", { a: blob(2 * MB), b: blob(MB + 1) }),
  );
  await refuses(
    "RS 4.2.4 a file name that cannot be sanitized",
    badData,
    () => one.upload("x", { "good": "g", "a:b": "x" }),
  );
  await refuses("RS 4.2.5 two files with the same path", exists, async () => {
    const body = new FormData();
    body.append("files", new Blob(["1"]), "same");
    body.append("files", new Blob(["2"]), "x/same");
    return await one.send("POST", "/resources/?dir=d", { body });
  });
  await refuses(
    "RS 4.2.5 the path of an existing file",
    { ...exists, message: /kept\/taken\.txt/ },
    () => one.upload("kept", { "other.txt": "o", "taken.txt": "new" }),
  );
  await refuses(
    "RS 4.2.5 the path of an existing directory",
    exists,
    () => one.upload("kept", { directory: "x" }),
  );
  await refuses(
    "RS 4.2.7 a dir below a file",
    exists,
    () => one.upload("kept/taken.txt/below", { f: "x" }),
  );
  await refuses("RS 4.2.7 a file as dir", exists, () => one.upload("kept/taken.txt", { f: "x" }));
  await refuses(
    "RS 4.2.6 new content next to a conflict",
    exists,
    () => one.upload("kept", { "brand-new.txt": "new content", "taken.txt": "x" }),
  );
  await refuses(
    "C 4 a target path over 4096 bytes",
    invalid,
    () => one.upload(`${"d".repeat(250)}/`.repeat(16), { ["n".repeat(250)]: "x" }),
  );
  await refuses(
    "C 6 the first violation in stream order",
    badData,
    () => one.upload("x", { "a:b": "1", b: "2", c: "3", d: "4" }),
  );
  await refuses(
    "C 6 the first violation in stream order, in reverse",
    invalid,
    () => one.upload("x", { a: "1", b: "2", c: "3", d: "4", "a:b": "5" }),
  );
  await refuses(
    "C 2 reports faults of the form before faults of the tree",
    badData,
    () => one.upload("kept", { "taken.txt": "x", "a:b": "y" }),
  );

  await t.step("C 5.5 and RS 6.1 publishes nothing for refusals", async () => {
    await one.upload("after", { f: "x" });
    assert.deepEqual(await events.take(2), ["added after", "added after/f"]);
  });
  await t.step("RS 4.2.3 and 4.2.4 accepts uploads exactly at the limits", async () => {
    const atLimits = { a: blob(2 * MB), b: blob(MB), c: "" };
    assert.equal(items(await one.upload("limits", atLimits)).length, 3);
  });
});

Deno.test("POST /resources/ sanitizes file names (C 4)", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  let uploads = 0;
  /** Uploads one file with a name of these bytes. */
  const upload = async (filename: Uint8Array | string) => {
    const dir = `names/${++uploads}`;
    const body = joinBytes([
      '--boundary\r\nContent-Disposition: form-data; name="files"; filename="',
      filename,
      '"\r\n\r\ncontent\r\n--boundary--\r\n',
    ]);
    const reply = await rawRequest(server.origin, {
      line: `POST /api/v1/resources/?dir=${dir}`,
      headers: {
        Authorization: `Bearer ${one.token}`,
        "Content-Type": "multipart/form-data; boundary=boundary",
      },
      body,
    });
    return {
      dir,
      reply: { status: reply.status, headers: headersOf(reply.head), text: reply.body },
    };
  };

  for (const [given, name] of ACCEPTED_NAMES) {
    await t.step(`C 4 stores ${JSON.stringify(given)} as ${JSON.stringify(name)}`, async () => {
      const { dir, reply } = await upload(given);
      assert.deepEqual(items(reply).map(({ path }) => path), [`${dir}/${name}`]);
    });
  }
  for (const given of REFUSED_NAMES) {
    const shown = typeof given === "string" ? JSON.stringify(given) : `bytes ${[...given]}`;
    await t.step(`C 4 refuses ${shown.slice(0, 60)}`, async () => {
      const { reply } = await upload(given);
      refused(reply, 400, "ErrResourcesInvalidData");
    });
  }
  await t.step("C 4 kept nothing of the refused files", async () => {
    assert.equal((await server.storedHashes()).length, 1);
    assert.deepEqual(await server.temporaryFiles(), []);
    const files = items(await one.list({ path: "names", recursive: "1" })).filter((it) =>
      !it.is_dir
    );
    assert.equal(files.length, ACCEPTED_NAMES.length);
  });
});

const ACCEPTED_NAMES: readonly (readonly [given: string, name: string])[] = [
  ["plain.txt", "plain.txt"],
  ["  padded.txt\t", "padded.txt"],
  ["inner  spaces.txt", "inner  spaces.txt"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\windows\\system32\\config", "config"],
  ["C:\\x\\evil.txt", "evil.txt"],
  ["/etc/shadow", "shadow"],
  ["//server/share/file", "file"],
  ["\\\\server\\share\\file", "file"],
  ["a/./b/./c.txt", "c.txt"],
  ["trailing/", "trailing"],
  ["mixed\\and/both\\", "both"],
  ["dir/.", "dir"],
  ["x/ ", "x"],
  [".hidden", ".hidden"],
  ["...", "..."],
  ["..a", "..a"],
  ["a..", "a.."],
  ["-rf", "-rf"],
  ["~", "~"],
  ["$(reboot)", "$(reboot)"],
  ["`id`", "`id`"],
  ["a;b&c", "a;b&c"],
  ["it's", "it's"],
  ["%2e%2e%2fescaped", "%2e%2e%2fescaped"],
  ["%00", "%00"],
  ["percent%41", "percent%41"],
  ["q=1&r=2", "q=1&r=2"],
  ["#fragment", "#fragment"],
  ["'; DROP TABLE records; --", "'; DROP TABLE records; --"],
  ['{"json":1}'.replaceAll('"', "'").replaceAll(":", ""), "{'json'1}"],
  ["日本語.safetensors", "日本語.safetensors"],
  ["naïve.txt", "naïve.txt"],
  ["e\u0301.txt", "e\u0301.txt"],
  ["\u00e9.txt", "\u00e9.txt"],
  ["😀.bin", "😀.bin"],
  ["\ufffd replacement", "\ufffd replacement"],
  ["rtl\u202etxt.exe", "rtl\u202etxt.exe"],
  ["con", "con"],
  ["NUL.txt", "NUL.txt"],
  ["n".repeat(255), "n".repeat(255)],
  ["é".repeat(127), "é".repeat(127)],
];

const REFUSED_NAMES: readonly (string | Uint8Array)[] = [
  " ",
  ".",
  "..",
  "./.",
  "../..",
  "a/..",
  "a\\..",
  "/",
  "\\",
  "///",
  "x/ .. ",
  "x/ . ",
  "nul\0.txt",
  "\u0001",
  "bell\u0007",
  "tab\tinside",
  "line\nfeed",
  "carriage\rreturn",
  "vertical\u000btab",
  "escape\u001b[31m",
  "unit\u001fseparator",
  "delete\u007f",
  "colon:stream",
  "star*",
  "question?",
  "less<",
  "greater>",
  "pipe|",
  "quote%22inside",
  "feed%0Ainside",
  "return%0Dinside",
  "n".repeat(256),
  "é".repeat(128),
  "日".repeat(86),
  "😀".repeat(64),
  "x".repeat(4000),
  // Invalid UTF-8: lone bytes, cut sequences, overlong separators and NUL, surrogates, over U+10FFFF.
  new Uint8Array([0x61, 0xff]),
  new Uint8Array([0xfe]),
  new Uint8Array([0x80]),
  new Uint8Array([0xc3]),
  new Uint8Array([0xe6, 0x97]),
  new Uint8Array([0xc0, 0xaf]),
  new Uint8Array([0xc0, 0x80]),
  new Uint8Array([0xe0, 0x80, 0xaf]),
  new Uint8Array([0x2e, 0xc0, 0xae, 0x2f]),
  new Uint8Array([0xed, 0xa0, 0x80]),
  new Uint8Array([0xed, 0xb0, 0x80]),
  new Uint8Array([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]),
  new Uint8Array([0xf4, 0x90, 0x80, 0x80]),
  new Uint8Array([0xf8, 0x88, 0x80, 0x80, 0x80]),
  new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
];

function headersOf(head: string): Headers {
  const lines = head.split("\r\n").slice(1).map((line) => line.split(": ", 2));
  return new Headers(lines.map(([name = "", value = ""]) => [name, value]));
}
