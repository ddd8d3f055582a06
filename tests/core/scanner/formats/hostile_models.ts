/** Scans models that make the readers of frameworks work as much as they can. Prints a line for each. */

import { SCAN_LIMITS } from "../../../../core/scanner/contract/limits.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import { ContentScan } from "../../../../core/scanner/engine/content_scan.ts";
import { SCANNERS } from "../../../../core/scanner/formats/mod.ts";

const encoder = new TextEncoder();

/** Bytes that repeat a pattern, computed as they are read. */
function repeated(head: readonly number[], pattern: readonly number[], size: number): ByteSource {
  return {
    size,
    read(offset, length) {
      const count = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(count);
      for (let index = 0; index < count; index++) {
        const at = offset + index;
        bytes[index] = head[at] ?? pattern[(at - head.length) % pattern.length] ?? 0;
      }
      return bytes;
    },
  };
}

const text = (it: string) => [...encoder.encode(it)];
const u32 = (it: number) => [it & 0xff, it >> 8 & 0xff, it >> 16 & 0xff, it >>> 24];
const MIB = 2 ** 20;

/** A FlatBuffer of TensorFlow Lite whose operators are millions of times the same table. */
function sameTables(): ByteSource {
  const count = 6_000_000;
  const head = [
    ...[...u32(28), ...text("TFL3")],
    // The vtable at 8: its size, that of the table, and offsets of the fields.
    ...[16, 0, 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...u32(0),
    // The table at 28: the vtable, and the offset of the operators.
    ...[...u32(20), ...u32(4)],
    ...u32(count),
  ];
  // Every element leads to the table at 28.
  return {
    size: 40 + count * 4,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, 40 + count * 4 - offset)));
      for (let index = 0; index < bytes.length; index++) {
        const at = offset + index;
        const element = at - (at - 40) % 4;
        bytes[index] = at < 40 ? head[at] ?? 0 : u32(28 - element)[at - element] ?? 0;
      }
      return bytes;
    },
  };
}

const HOSTILE: readonly (readonly [name: string, source: ByteSource])[] = [
  [
    "many values.msgpack",
    repeated([0xdf, 0, 0x70, 0, 0, 0xa1, 0x61, 0x80], [0xa1, 0x62, 0x01], 6 * MIB),
  ],
  ["nested.msgpack", repeated([0x81, 0xa1, 0x61], [0x91], 2 * MIB)],
  ["many values.ubj", repeated(text("{L\0\0\0\0\0\0\0\x07learner["), text("i\x05"), 4 * MIB)],
  [
    "many words.ubj",
    memorySource(encoder.encode("{L\0\0\0\0\0\0\0\x07learner[$T#l\x7f\x7f\x7f\x7f")),
  ],
  ["same tables.tflite", sameTables()],
  [
    "tables.t7",
    repeated(
      [...u32(3), ...u32(1), ...u32(0x7fffffff)],
      [...u32(1), ...u32(0), ...u32(0)],
      8 * MIB,
    ),
  ],
  ["layers.prototxt", repeated([], text("layer { type: 'x' } "), 4 * MIB)],
  ["lines.lgb", repeated(text("tree\nversion=v4\nleaf_value="), text("12 "), 15 * MIB)],
  ["nodes-symbol.json", repeated(text('{"nodes":['), text('{"op":"Custom"},'), MIB)],
  ["layers.caffemodel", repeated([0x0a, 1, 0x61], [0xa2, 6, 2, 0x12, 0], 4 * MIB)],
  ["blocks.pdmodel", repeated([], [0x0a, 2, 0x22, 0], 4 * MIB)],
  ["pipeline.mlmodel", repeated([8, 4], [0xd2, 0x0c, 2, 0x0a, 0], 4 * MIB)],
];

for (const [name, source] of HOSTILE) {
  const scan = new ContentScan({
    scanners: SCANNERS,
    limits: SCAN_LIMITS,
    maxima: SCAN_LIMITS,
    skip: ["weights"],
    now: () => 0,
    checkpoint: () => {},
  });
  const start = performance.now();
  scan.scanFile({ source, name, depth: 0 });
  const { scanners } = scan.result();
  const seconds = Math.round(performance.now() - start) / 1000;
  console.log(name, scanners.join(), `${seconds} s`, Math.round(Deno.memoryUsage().rss / MIB));
}
