import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { readMsgpack } from "../../../../../core/scanner/readers/msgpack/read_msgpack.ts";
import { MalformedError } from "../../../../../core/scanner/readers/malformed.ts";

function read(bytes: number[]): { values: string[]; end: number } {
  const values: string[] = [];
  const reader = readMsgpack(memorySource(Uint8Array.from(bytes)));
  let next = reader.next();
  for (; !next.done; next = reader.next()) {
    const { kind, path, value, type, length } = next.value;
    values.push([kind, path.join("."), value ?? type ?? length].join(" "));
  }
  return { values, end: next.value };
}

const text = (it: string) => [0xa0 + it.length, ...new TextEncoder().encode(it)];

Deno.test("C 16 readMsgpack reads values of every type with their paths", () => {
  const bytes = [
    ...[0x84, ...text("a"), 0x82, ...text("b"), 0xc4, 2, 1, 2],
    ...[...text("c"), 0x93, 1, 0xff, 0xcd, 1, 0],
    ...[...text("d"), 0xd6, 5, 1, 2, 3, 4],
    ...[...text("e"), 0xc0, 0x07, 0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0],
    0x99,
  ];
  const { values, end } = read(bytes);
  assert.deepEqual(values, [
    "key a a",
    "key a.b b",
    "bytes a.b 2",
    "key a.c c",
    "number a.c 1",
    "number a.c -1",
    "number a.c 256",
    "key d d",
    "extension d 5",
    "key e e",
    "other e 0",
    "key 7 7",
    "number 7 1.5",
  ]);
  assert.equal(end, bytes.length - 1);
});

Deno.test("C 16 readMsgpack reads the values after empty containers", () => {
  assert.deepEqual(read([0x82, ...text("a"), 0x80, ...text("b"), 0x90]).values, [
    "key a a",
    "key b b",
  ]);
});

Deno.test("C 16 readMsgpack stops at what is cut off, unknown or too deep", () => {
  const cases: [number[], string][] = [
    [[0x81, 0xa5, 1], "truncated"],
    [[0xc6, 0xff, 0xff, 0xff, 0xff], "truncated"],
    [[0xc1], "malformed_msgpack"],
    [[0xdd, 0xff, 0xff, 0xff, 0xff], "truncated"],
    [Array<number>(200).fill(0x91), "nesting_limit"],
  ];
  for (const [bytes, reason] of cases) {
    assert.throws(
      () => read(bytes),
      (error) => error instanceof MalformedError && error.reason === reason,
      reason,
    );
  }
});
