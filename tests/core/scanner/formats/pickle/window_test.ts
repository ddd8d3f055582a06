import * as assert from "node:assert/strict";
import type { ByteSource } from "../../../../../core/scanner/contract/source.ts";
import { bytes, little } from "./pickle_bytes.ts";
import { P4, PAYLOAD } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

/** A pickle of 200 byte strings of 1 MiB each, generated as it is read. */
function vastSource(): ByteSource & { largest: number; total: number } {
  const chunk = 1024 * 1024;
  const item = bytes("B", little(chunk, 4));
  const stride = item.length + chunk;
  const head = bytes(P4, "](");
  const tail = bytes("e0", PAYLOAD);
  const size = head.length + 200 * stride + tail.length;
  const byteAt = (at: number): number => {
    if (at < head.length) return head[at] ?? 0;
    if (at >= size - tail.length) return tail[at - (size - tail.length)] ?? 0;
    return item[(at - head.length) % stride] ?? (at % 251);
  };
  return {
    size,
    largest: 0,
    total: 0,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(offset + i);
      this.largest = Math.max(this.largest, bytes.length);
      this.total += bytes.length;
      return bytes;
    },
  };
}

Deno.test("C 16: scans 200 MB through a window without holding it in memory", () => {
  const source = vastSource();
  const { verdict, metadata } = scan(source);
  assert.equal(verdict, "C");
  assert.equal(metadata.opcode_count, 209);
  assert.ok(source.largest <= 64 * 1024, `${source.largest} bytes at once`);
  assert.ok(source.total < 50 * 1024 * 1024, `${source.total} bytes of ${source.size}`);
});

Deno.test("C 16: reads a line that never ends once", () => {
  let total = 0;
  const size = 2 ** 28;
  const endless: ByteSource = {
    size,
    read(offset, length) {
      total += Math.min(length, size - offset);
      const bytes = new Uint8Array(Math.min(length, size - offset)).fill(0x41);
      if (offset === 0) bytes[0] = 0x56;
      return bytes;
    },
  };
  assert.equal(scan(endless).verdict, "I");
  assert.ok(total < size + 64 * 1024 * 1024, `${total} bytes`);
});
