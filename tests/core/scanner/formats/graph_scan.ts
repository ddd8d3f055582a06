import * as assert from "node:assert/strict";
import type { Check, Scanner } from "../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import { mutated, seeded } from "../mutation.ts";
import { RecordingContext } from "../recording_context.ts";
import { counted } from "../sources.ts";

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
  const source = content instanceof Uint8Array ? memorySource(content) : content;
  const context = new RecordingContext();
  const checks = [...scanner.scan({ source, name, depth }, context)];
  for (const check of checks) {
    assert.equal(check.severity !== undefined, check.status === "failed", check.name);
    assert.ok(check.message.length < 400, check.message);
  }
  return { checks, notes: context.facts, members: context.members };
}

/** The failed checks of a name. */
export function failures(checks: readonly Check[], name: string): readonly Check[] {
  return checks.filter((check) => check.name === name && check.status === "failed");
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
      assert.doesNotThrow(() => scanner.matches({ source, name: "other", depth: 0 }), told);
      let scanned: Scanned | undefined;
      assert.doesNotThrow(() => scanned = scan(scanner, source, { name }), told);
      assert.ok((scanned?.checks.length ?? 0) > 0, told);
      assert.ok(source.bytesRead <= mostBytesRead, `${told}: ${source.bytesRead} bytes read`);
    }
  });
}
