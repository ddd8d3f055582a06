import * as assert from "node:assert/strict";
import type { Check, Scanner } from "../../../core/scan/scanner.ts";
import { type ByteSource, memorySource } from "../../../core/scan/source.ts";

export interface Scanned {
  readonly checks: readonly Check[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly members: readonly { readonly name: string; readonly source: ByteSource }[];
}

/** What a scanner says of content. */
export function scan(
  scanner: Scanner,
  content: Uint8Array | ByteSource,
  { name = "model", depth = 0 } = {},
): Scanned {
  const notes: Record<string, unknown> = {};
  const members: { name: string; source: ByteSource }[] = [];
  const source = content instanceof Uint8Array ? memorySource(content) : content;
  const checks = [...scanner.scan({ source, name, depth }, {
    limits: {
      depth: 5,
      members: 10_000,
      memberBytes: 64 * 2 ** 20,
      unpackedBytes: 2 ** 30,
      opcodes: 1_000_000,
    },
    note: (facts) => void Object.assign(notes, facts),
    asset: () => {},
    scanMember: (name, source) => void members.push({ name, source }),
    takeUnpacked: (bytes) => bytes,
  })];
  for (const check of checks) {
    assert.equal(check.severity !== undefined, check.status === "failed", check.name);
    assert.ok(check.message.length < 400, check.message);
  }
  return { checks, notes, members };
}

/** The verdict of scanning.md 3: C critical, W warning, I inconclusive, OK clean. */
export function verdict(checks: readonly Check[]): "C" | "W" | "I" | "OK" {
  const failed = checks.filter(({ status }) => status === "failed");
  if (failed.some(({ severity }) => severity === "critical")) return "C";
  if (failed.some(({ severity }) => severity === "warning")) return "W";
  return checks.some(({ incomplete }) => incomplete !== undefined) ? "I" : "OK";
}

/** The failed checks of a name. */
export function failures(checks: readonly Check[], name: string): readonly Check[] {
  return checks.filter((check) => check.name === name && check.status === "failed");
}

/** A source that counts what is read of it, and how often. */
export function counted(
  source: ByteSource,
): ByteSource & { readonly bytesRead: number; readonly reads: number } {
  let bytesRead = 0;
  let reads = 0;
  return {
    size: source.size,
    get bytesRead() {
      return bytesRead;
    },
    get reads() {
      return reads;
    },
    read(offset, length) {
      reads += 1;
      const read = source.read(offset, length);
      bytesRead += read.length;
      return read;
    },
  };
}

/** Numbers that look random and are the same each time (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Content with some of its bytes changed, left out, doubled, or cut off, in a way that `random` says. */
export function mutated(content: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = Uint8Array.from(content);
  for (let times = 1 + random(4); times > 0 && bytes.length > 0; times--) {
    const at = random(bytes.length);
    const length = 1 + random(16);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + length)];
    switch (random(5)) {
      case 0:
        bytes[at] = random(256);
        break;
      case 1:
        bytes[at] = 0xff;
        break;
      case 2:
        bytes = Uint8Array.from([...before, ...after]);
        break;
      case 3:
        bytes = Uint8Array.from([...bytes.subarray(0, at + length), ...bytes.subarray(at)]);
        break;
      case 4:
        bytes = bytes.slice(0, at);
        break;
    }
  }
  return bytes;
}

/**
 * Scans so many mutations of each content: nothing is thrown, and no more is read than a multiple of
 * what is there.
 */
export function survives(
  scanner: Scanner,
  contents: readonly Uint8Array[],
  { mutations = 1500, name = "model", mostBytesRead = 2 ** 24 } = {},
): void {
  contents.forEach((content, index) => {
    const random = seeded(index + 1);
    for (let count = 0; count < mutations; count++) {
      const bytes = mutated(content, random);
      const source = counted(memorySource(bytes));
      const told = `mutation ${count} of content ${index}`;
      assert.doesNotThrow(() => scanner.claims({ source, name: "other", depth: 0 }), told);
      let scanned: Scanned | undefined;
      assert.doesNotThrow(() => scanned = scan(scanner, source, { name }), told);
      assert.ok((scanned?.checks.length ?? 0) > 0, told);
      assert.ok(source.bytesRead <= mostBytesRead, `${told}: ${source.bytesRead} bytes read`);
    }
  });
}
