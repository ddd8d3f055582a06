import * as assert from "node:assert/strict";
import { ProtobufReader } from "../../../../../core/scanner/readers/protobuf/protobuf_reader.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { mutated, seeded } from "../../mutation.ts";
import { counted } from "../../sources.ts";
import { bytes, int, message, varint } from "./protobuf_bytes.ts";

function read(content: Uint8Array, maxFields?: number) {
  const reader = new ProtobufReader(memorySource(content), maxFields);
  return { fields: [...reader.fields(reader.root)], faults: [...reader.faults.keys()], reader };
}

Deno.test("ProtobufReader.fields() yields the fields in order", () => {
  const fixed = message(varint((3 << 3) | 1), new Uint8Array(8), varint((4 << 3) | 5), "abcd");
  const { fields, faults, reader } = read(message(int(1, -1), bytes(2, "text"), fixed));
  assert.deepEqual(faults, []);
  assert.deepEqual(fields.map(({ number, kind }) => [number, kind]), [
    [1, "varint"],
    [2, "bytes"],
    [3, "fixed"],
    [4, "fixed"],
  ]);
  const [first, second] = fields;
  assert.ok(first?.kind === "varint" && second?.kind === "bytes");
  assert.equal(BigInt.asIntN(64, first.value), -1n);
  assert.equal(reader.text(second.span, 100), "text");
  assert.equal(reader.text(second.span, 2), "te");
});

Deno.test("ProtobufReader.integers() reads single and packed numbers", () => {
  const { fields, reader } = read(message(int(1, 5), bytes(1, varint(6), varint(700))));
  assert.deepEqual(fields.flatMap((field) => [...reader.integers(field)]), [5n, 6n, 700n]);
});

Deno.test("ProtobufReader skips groups, and fields cannot hide in them", () => {
  const group = message(varint((9 << 3) | 3), int(1, 7), varint((9 << 3) | 4));
  const { fields, faults } = read(message(group, int(1, 8)));
  assert.deepEqual(fields, [{ kind: "varint", number: 1, value: 8n }]);
  assert.deepEqual(faults, []);
});

Deno.test("C 16 ProtobufReader yields the fields before a fault and names the fault", async (t) => {
  const start = int(1, 5);
  const table: [string, Uint8Array][] = [
    ["a tag without a value", varint(2 << 3)],
    ["the field number 0", message(varint(0), varint(1))],
    ["a tag of more than 32 bits", message(varint(2n ** 36n), varint(1))],
    [
      "an overlong tag",
      message(Uint8Array.of(0x90, 0x80, 0x80, 0x80, 0x80, 0), varint(1)),
    ],
    ["an unknown wire type", message(varint((2 << 3) | 7), varint(1))],
    ["the end of a group without its start", varint((2 << 3) | 4)],
    ["a group without an end", varint((2 << 3) | 3)],
    ["the end of another group", message(varint((2 << 3) | 3), varint((3 << 3) | 4))],
    ["too many nested groups", new Uint8Array(5000).fill((2 << 3) | 3)],
    ["a number that ends after its message", message(varint(2 << 3), Uint8Array.of(0x80))],
    ["a truncated fixed number", message(varint((2 << 3) | 5), "abc")],
  ];
  for (const [name, bad] of table) {
    await t.step(name, () => {
      const { fields, faults } = read(message(start, bad));
      assert.deepEqual(fields, [{ kind: "varint", number: 1, value: 5n }]);
      assert.deepEqual(faults, ["malformed_protobuf"]);
    });
  }
});

Deno.test("C 16 ProtobufReader reads the existing part of a truncated field", () => {
  for (const size of [10n, 2n ** 63n]) {
    const { fields, faults, reader } = read(message(varint((2 << 3) | 2), varint(size), "abc"));
    const [field] = fields;
    assert.ok(fields.length === 1 && field?.kind === "bytes");
    assert.equal(reader.text(field.span, 100), "abc");
    assert.equal(field.size, Number(size));
    assert.deepEqual(faults, ["malformed_protobuf"]);
  }
});

Deno.test("C 16 ProtobufReader limits fields and depth", () => {
  const many = read(message(...Array.from({ length: 11 }, (_, index) => int(1, index))), 10);
  assert.equal(many.fields.length, 10);
  assert.deepEqual(many.faults, ["protobuf_field_limit"]);

  let nested = int(2, 1);
  for (let depth = 0; depth < 150; depth++) nested = bytes(1, nested);
  const reader = new ProtobufReader(memorySource(nested));
  let depth = 0;
  const descend = (span: typeof reader.root): void => {
    depth += 1;
    for (const field of reader.fields(span)) if (field.kind === "bytes") descend(field.span);
  };
  descend(reader.root);
  assert.equal(depth, 102);
  assert.deepEqual([...reader.faults.keys()], ["protobuf_depth_limit"]);
});

Deno.test("ProtobufReader reads many small fields at once", () => {
  const source = counted(memorySource(message(...Array.from({ length: 5000 }, () => int(1, 5)))));
  const reader = new ProtobufReader(source);
  assert.equal([...reader.fields(reader.root)].length, 5000);
  assert.ok(source.reads < 10, String(source.reads));
});

Deno.test("ProtobufReader does not read the content of large fields", () => {
  const size = 3 * 2 ** 30;
  const head = message(varint((2 << 3) | 2), varint(size));
  const tail = int(1, 9);
  const source = counted({
    size: head.length + size + tail.length,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - offset)));
      bytes.set(head.subarray(offset, offset + length));
      const start = head.length + size - offset;
      tail.forEach((byte, index) => {
        if (start + index >= 0 && start + index < bytes.length) bytes[start + index] = byte;
      });
      return bytes;
    },
  });
  const reader = new ProtobufReader(source);
  assert.deepEqual([...reader.fields(reader.root)].map(({ number }) => number), [2, 1]);
  assert.deepEqual([...reader.faults], []);
  assert.ok(source.bytesRead < 100_000);
});

Deno.test("ProtobufReader never throws on mutated bytes", () => {
  const content = message(
    int(1, 2n ** 60n),
    bytes(2, bytes(3, "abc"), int(4, 5)),
    bytes(5, "defg"),
  );
  const random = seeded(7);
  for (let count = 0; count < 5000; count++) {
    const bytes = mutated(content, random);
    const reader = new ProtobufReader(memorySource(bytes));
    const descend = (span: typeof reader.root): void => {
      for (const field of reader.fields(span)) {
        [...reader.integers(field)];
        if (field.kind === "bytes") descend(field.span);
      }
    };
    assert.doesNotThrow(() => descend(reader.root), `mutation ${count}`);
  }
});
