import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { parseLine } from "../../../routes/hub/commit_lines.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function parse(text: string | Uint8Array<ArrayBuffer>) {
  const { line, content } = parseLine(typeof text === "string" ? encoder.encode(text) : text, 7);
  return { line, content: content && decoder.decode(content) };
}

function refusedBecause(text: string | Uint8Array<ArrayBuffer>, reason: RegExp): void {
  assert.throws(() => parse(text), (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.kind, "ErrResourcesInvalidRequest");
    assert.match(error.message, /^Cannot commit: line 7: /);
    assert.match(error.message, reason);
    assert.ok(error.message.length < 1000, `${error.message.length} characters`);
    return true;
  });
}

Deno.test("C 20 the lines that the client sends", () => {
  const header = { key: "header", value: { summary: "s", description: "d", parentCommit: "0" } };
  assert.deepEqual(parse(JSON.stringify(header)), { line: header, content: undefined });
  const file = parse(
    '{"key": "file", "value": {"content": "QUJD", "path": "a/b.txt", "encoding": "base64"}}',
  );
  assert.equal(file.content, "QUJD");
  assert.equal(file.line.key === "file" && file.line.value.path, "a/b.txt");
  const oid = "0".repeat(64);
  for (
    const line of [
      { key: "lfsFile", value: { path: "m", algo: "sha256", oid, size: 3 } },
      { key: "lfsFile", value: { path: "m", algo: "sha256", oid } },
      { key: "deletedFile", value: { path: "m" } },
      { key: "deletedFolder", value: { path: "m/" } },
      { key: "copyFile", value: { path: "m", srcPath: "n" } },
    ]
  ) {
    assert.deepEqual(parse(JSON.stringify(line)).line, line);
  }
});

Deno.test("C 20 the content of a file is found wherever it is", () => {
  const content = "A".repeat(3_000_000);
  for (
    const text of [
      `{"key":"file","value":{"content":"${content}","path":"p","encoding":"base64"}}`,
      `{"value":{"path":"p","encoding":"base64","content" \t: "${content}"},"key":"file"}`,
      `{"x":"\\"content\\":","key":"file","value":{"path":"content","encoding":"base64","content":"${content}"}}`,
    ]
  ) {
    assert.equal(parse(text).content, content);
  }
  const text = 'new\n"line" \\ é \u{1f600} /';
  for (
    const value of [{ content: text, path: "p" }, { path: "p", content: text, encoding: "utf-8" }]
  ) {
    assert.equal(parse(JSON.stringify({ key: "file", value })).content, text);
  }
  assert.equal(
    parse('{"key":"file","value":{"path":"p","content":"\\u0051U\\/+","encoding":"base64"}}')
      .content,
    "QU/+",
  );
  assert.equal(parse('{"key":"file","value":{"path":"p","\\u0063ontent":"abc"}}').content, "abc");
  assert.equal(parse('{"key":"file","value":{"path":"p","content":""}}').content, "");
});

Deno.test("C 20 hostile lines are refused with the reason", () => {
  const file = (value: string) => `{"key":"file","value":{${value}}}`;
  const cases: [string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ["x", /not valid JSON/],
    ["[]", /key is missing/],
    ["null", /it must be Object, not null/],
    ["{}", /key is missing/],
    ['{"key":"rm -rf"}', /key must be .*, not "rm -rf"/],
    ['{"key":"file"}', /value is missing/],
    [file(""), /value.path is missing/],
    [file('"path":1,"content":""'), /value.path must be string, not 1/],
    [file('"path":"p"'), /value.content is missing/],
    [file('"path":"p","content":7'), /value.content must be string, not 7/],
    [file('"path":"p","content":"","encoding":"rot13"'), /encoding must be .*, not "rot13"/],
    [file('"path":"p","content":"a","content":"b"'), /the key content twice/],
    [`{"content":"a","key":"file","value":{"path":"p","content":""}}`, /the key content twice/],
    [file('"content":"a","path":"p","content":"'), /not valid JSON/],
    [file('"path":"p","content":"abc'), /not valid JSON/],
    [file('"path":"p","content":"\\ud800"'), /content is not valid Unicode/],
    [file('"path":"p","\\u0063ontent":"\\udc00"'), /content is not valid Unicode/],
    [file('"path":"p","content":"a\tb"'), /not valid JSON/],
    [file(`"path":"p","content":"${"\\n".repeat(1_000_000)}"`), /not plain base64/],
    [file(`"path":"p","content":"${"a".repeat(2_000_000)}"`), /not plain base64/],
    [file(`"path":"${"p".repeat(100_000)}","content":""`), /65536 bytes besides the content/],
    [`{"key":"header","value":{"summary":"${"s".repeat(100_000)}"}}`, /65536 bytes besides/],
    ["[".repeat(60_000), /more than 10 levels/],
    [`{"key":${"[".repeat(11)}${"]".repeat(11)}}`, /more than 10 levels/],
    [`[${"0,".repeat(2000)}0]`, /more than 1000 values/],
    [`[${"{},".repeat(200)}{}]`, /more than 100 objects/],
    [
      encoder.encode('{"key":"deletedFile","value":{"path":"é"}}').subarray(0, -4),
      /not valid JSON/,
    ],
    [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), /not valid JSON in UTF-8/],
    ['{"key":"lfsFile","value":{"path":"p","oid":"abc","size":1}}', /value.oid must be/],
    [
      `{"key":"lfsFile","value":{"path":"p","algo":"md5","oid":"${"0".repeat(64)}","size":1}}`,
      /value.algo must be/,
    ],
    [
      `{"key":"lfsFile","value":{"path":"p","oid":"${"0".repeat(64)}","size":-1}}`,
      /value.size must be/,
    ],
    [`{"key":"${"k".repeat(50_000)}","value":{}}`, /key must be/],
  ];
  for (const [text, reason] of cases) refusedBecause(text, reason);
});
