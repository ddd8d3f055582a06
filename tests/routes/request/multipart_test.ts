import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { uploadParts } from "../../../routes/request/multipart.ts";
import { fileHead, formBody, joinBytes } from "../../support/raw_http.ts";

/** Reads a form that arrives in the given chunks. Its parts are `field filename=content`. */
async function read(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  { type = "multipart/form-data; boundary=boundary", maxBytes = 1e6 } = {},
): Promise<string[]> {
  const request = new Request("http://test/", {
    method: "POST",
    body: ReadableStream.from(chunks),
    headers: { "Content-Type": type },
  });
  const parts: string[] = [];
  for await (const { field, filename, content } of uploadParts(request, { maxBytes })) {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of content) text += decoder.decode(chunk, { stream: true });
    parts.push(`${field} ${filename}=${text}`);
  }
  return parts;
}

async function refuses(body: Uint8Array<ArrayBuffer>, options = {}): Promise<string> {
  try {
    assert.deepEqual(await read([body], options), "expected a refusal");
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.kind, "ErrResourcesInvalidRequest");
    return error.message;
  }
  return "";
}

const FORM = formBody([
  { head: fileHead("a.txt"), content: "first\r\n--bound\r\n-\r" },
  { head: fileHead("empty") },
  { head: 'Content-Disposition: form-data; name="note"', content: "a field" },
  { head: `content-type: text/plain\r\n${fileHead("日本.txt", "file")}`, content: "--" },
]);
const PARTS = ["files a.txt=first\r\n--bound\r\n-\r", "files empty=", "file 日本.txt=--"];

Deno.test("C 6 uploadParts() reads a form in chunks of any size", async (t) => {
  await t.step("C 6 in one chunk", async () => {
    assert.deepEqual(await read([FORM]), PARTS);
  });
  await t.step("C 6 byte by byte", async () => {
    assert.deepEqual(await read(Array.from(FORM, (byte) => new Uint8Array([byte]))), PARTS);
  });
  await t.step("C 6 in two chunks, cut at every byte", async () => {
    for (let cut = 1; cut < FORM.length; cut++) {
      assert.deepEqual(await read([FORM.slice(0, cut), FORM.slice(cut)]), PARTS, `cut at ${cut}`);
    }
  });
  await t.step("C 6 in chunks of every size", async () => {
    for (let size = 2; size < 100; size++) {
      const chunks = Array.from(
        { length: Math.ceil(FORM.length / size) },
        (_, index) => FORM.slice(index * size, (index + 1) * size),
      );
      assert.deepEqual(await read(chunks), PARTS, `chunks of ${size}`);
    }
  });
});

Deno.test("C 6 uploadParts() accepts what RFC 2046 and RFC 7578 allow", async (t) => {
  const one = ["files a=x"];
  await t.step("a preamble and an epilogue, which are ignored", async () => {
    const body = joinBytes([
      "preamble\r\n",
      formBody([{ head: fileHead("a"), content: "x" }]),
      "rest",
    ]);
    assert.deepEqual(await read([body]), one);
  });
  await t.step("white space after a boundary", async () => {
    const body = joinBytes([`--boundary \t\r\n${fileHead("a")}\r\n\r\nx\r\n--boundary--`]);
    assert.deepEqual(await read([body]), one);
  });
  await t.step("quoted boundaries with special characters", async () => {
    for (const boundary of ["a", "'()+_,-./:=?", "=_b:0", "----x", "B".repeat(70)]) {
      const body = formBody([{ head: fileHead("a"), content: "x" }], boundary);
      for (
        const type of [
          `multipart/form-data; boundary="${boundary}"`,
          `Multipart/Form-Data;charset=utf-8; Boundary="${boundary}"; x=y`,
        ]
      ) assert.deepEqual(await read([body], { type }), one);
    }
  });
  await t.step("header names in any case, and other headers", async () => {
    const head = `X-Other: 1\r\nCONTENT-DISPOSITION : Form-Data; NAME=files; FileName=a\r\nX: y`;
    assert.deepEqual(await read([formBody([{ head, content: "x" }])]), one);
  });
  await t.step("names with semicolons, and the escapes of browsers", async () => {
    const body = formBody([{ head: fileHead("a;b=%22c%22"), content: "x" }]);
    assert.deepEqual(await read([body]), ['files a;b="c"=x']);
  });
  await t.step("an extended name without a plain one, which some clients send", async () => {
    const head = "Content-Disposition: form-data; name=files; filename*=utf-8''%E6%97%A5%20x";
    assert.deepEqual(await read([formBody([{ head, content: "x" }])]), ["files 日 x=x"]);
  });
  await t.step("a part that is not read, which is skipped", async () => {
    const request = new Request("http://test/", {
      method: "POST",
      body: FORM,
      headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
    });
    const names: string[] = [];
    for await (const { filename } of uploadParts(request, { maxBytes: 1e6 })) names.push(filename);
    assert.deepEqual(names, ["a.txt", "empty", "日本.txt"]);
  });
  await t.step("a name that is not UTF-8, which becomes an invalid name", async () => {
    const head = joinBytes([
      'Content-Disposition: form-data; name="files"; filename="a',
      new Uint8Array([0xff]),
      '"',
    ]);
    const body = joinBytes(["--boundary\r\n", head, "\r\n\r\nx\r\n--boundary--\r\n"]);
    const [part] = await read([body]);
    assert.equal(part?.isWellFormed(), false);
  });
});

Deno.test("RS 4.2.2 uploadParts() refuses a malformed form", async (t) => {
  const whole = formBody([{ head: fileHead("a"), content: "content" }]);
  await t.step("RS 4.2.2 a form that ends before its last boundary", async () => {
    for (let cut = 0; cut < whole.length - 4; cut++) await refuses(whole.slice(0, cut));
  });
  await t.step("RS 4.2.2 another Content-Type, or one without a valid boundary", async () => {
    const types = [
      "",
      "text/plain",
      "application/json",
      "multipart/mixed; boundary=boundary",
      "multipart/form-data",
      "multipart/form-data; boundary=",
      'multipart/form-data; boundary=""',
      "multipart/form-data; boundary=a b",
      `multipart/form-data; boundary=${"x".repeat(71)}`,
      "multipart/form-datax; boundary=boundary",
    ];
    for (const type of types) assert.match(await refuses(whole, { type }), /Content-Type/);
  });
  await t.step("RS 4.2.2 malformed parts", async () => {
    const cases = [
      "--boundary\r\n\r\nno headers\r\n--boundary--\r\n",
      "--boundary\r\nX: y\r\n\r\nno disposition\r\n--boundary--\r\n",
      "--boundary\r\nContent-Disposition: attachment; name=files\r\n\r\nx\r\n--boundary--\r\n",
      `--boundary\r\n${fileHead("a")}\r\n--boundary--\r\n`,
      `--boundaryX\r\n${fileHead("a")}\r\n\r\nx\r\n--boundary--\r\n`,
      `--boundary\r\n--boundary\r\n${fileHead("a")}\r\n\r\nx\r\n--boundary--\r\n`,
      `--boundary\r\nX: ${"y".repeat(20_000)}\r\n${fileHead("a")}\r\n\r\nx\r\n--boundary--\r\n`,
      "",
      "\r\n",
      "boundary",
      "--boundary",
      "--boundary-",
      "{}",
    ];
    for (const text of cases) await refuses(joinBytes([text]));
  });
  await t.step("RS 4.2.2 a body over the size limit, epilogue included", async () => {
    assert.match(await refuses(whole, { maxBytes: whole.length - 1 }), /larger than/);
    await read([whole], { maxBytes: whole.length });
    const long = joinBytes([whole, "e".repeat(100)]);
    assert.match(await refuses(long, { maxBytes: whole.length + 50 }), /larger than/);
  });
  await t.step("RS 4.2.2 but not a lone last boundary: a form without parts", async () => {
    assert.deepEqual(await read([joinBytes(["--boundary--\r\n"])]), []);
  });
});

Deno.test("C 6 uploadParts() cancels a body that stalls", async () => {
  let cancelled = false;
  const request = new Request("http://test/", {
    method: "POST",
    body: new ReadableStream({
      start: (controller) => controller.enqueue(FORM.slice(0, 100)),
      cancel() {
        cancelled = true;
      },
    }),
    headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
  });
  await assert.rejects(async () => {
    for await (const { content } of uploadParts(request, { maxBytes: 1e6, stallMs: 1 })) {
      for await (const _ of content) { /* discarded */ }
    }
  }, AppError);
  assert.equal(cancelled, true);
});

Deno.test("C 4 an unreadable file name becomes an invalid one, neither cut short nor skipped", async () => {
  const name = async (disposition: string) => {
    const head = `Content-Disposition: form-data; ${disposition}`;
    return (await read([formBody([{ head, content: "x" }])]))[0];
  };
  const unreadable = [
    'name="files"; filename="model \\"final\\".bin"',
    'name="files"; filename="a"b.txt"',
    'name="files"; filename="f',
    'name="files"; filename=a b.txt',
    "name=\"files\"; filename*=UTF-8''%ff",
    'name="files"; filename*=nonsense',
  ];
  for (const disposition of unreadable) {
    assert.equal(await name(disposition), 'files "=x', disposition);
  }
  const readable: Record<string, string> = {
    'name="files";\r\n filename="folded"': "folded",
    'name="files"; filename=token': "token",
    'name = "files" ; filename = "spaced" ;': "spaced",
    'filename="first; semi=colon"; name="files"': "first; semi=colon",
    'name="files"; filename="plain"; filename*=UTF-8\'\'%C3%A9': "é",
    'name="files"; filename="plain"; filename*=UTF-8\'\'%ff': "plain",
  };
  for (const [disposition, expected] of Object.entries(readable)) {
    assert.equal(await name(disposition), `files ${expected}=x`, disposition);
  }
});
