import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { FlatbufferReader } from "../../../../../core/scanner/readers/flatbuffers/flatbuffer.ts";
import { MalformedError } from "../../../../../core/scanner/readers/malformed.ts";

/** A table at 16, whose vtable at 8 has the offset of one field, and the field's offset at 20. */
function withField(target: number, ...rest: number[]): FlatbufferReader {
  const bytes = new Uint8Array(24 + rest.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 16, true);
  view.setUint16(8, 6, true);
  view.setUint16(10, 8, true);
  view.setUint16(12, 4, true);
  view.setInt32(16, 8, true);
  view.setUint32(20, target, true);
  bytes.set(rest, 24);
  return new FlatbufferReader(memorySource(bytes));
}

const isOutside = (error: unknown) =>
  error instanceof MalformedError && error.reason === "malformed_flatbuffer";

Deno.test("C 16 FlatbufferReader reads a text, a vector and missing fields", () => {
  const reader = withField(4, 2, 0, 0, 0, 0x68, 0x69);
  const root = reader.root();
  assert.equal(reader.text(root, 0, 10), "hi");
  assert.deepEqual(reader.vector(root, 0, 1), { start: 28, count: 2 });
  assert.equal(reader.text(root, 1, 10), "");
  assert.equal(reader.int32(root, 7), 0);
  assert.deepEqual([...reader.tables(root, 3)], []);
});

Deno.test("C 16 FlatbufferReader follows no offset out of the file", () => {
  const far = withField(0xffff_fff0);
  assert.throws(() => far.text(far.root(), 0, 10), isOutside);
  const long = withField(4, 0xff, 0xff, 0xff, 0xff, 0, 0);
  assert.throws(() => long.vector(long.root(), 0, 4), isOutside);
  const short = new FlatbufferReader(memorySource(Uint8Array.of(1, 2)));
  assert.throws(() => short.root(), isOutside);
});

Deno.test("C 16 FlatbufferReader limits the parts that it reads", () => {
  const bytes = new Uint8Array(64);
  const reader = new FlatbufferReader(memorySource(bytes), 2);
  const table = { position: 40, vtable: 20, vtableBytes: 6 };
  new DataView(bytes.buffer).setUint16(24, 4, true);
  assert.equal(reader.text(table, 0, 10), "");
  assert.equal(reader.text(table, 0, 10), "");
  assert.throws(
    () => reader.text(table, 0, 10),
    (error) => error instanceof MalformedError && error.operational,
  );
});
