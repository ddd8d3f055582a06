import * as assert from "node:assert/strict";
import type { Check, Scanner } from "../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import { mutated, seeded } from "../mutation.ts";
import { RecordingContext } from "../recording_context.ts";
import { counted } from "../sources.ts";

export interface Scanned {
  readonly checks: readonly Check[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Tensor names of the asset. */
  readonly tensors: readonly string[];
  readonly members: readonly { readonly name: string; readonly source: ByteSource }[];
}

/** Scans content with one scanner, without its members. */
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
  return {
    checks,
    metadata: context.facts,
    tensors: context.assets.flatMap(({ tensors }) => tensors ?? []),
    members: context.members,
  };
}

/** The failed checks, of one name if it is given. */
export function failures(checks: readonly Check[], name?: string): readonly Check[] {
  return checks.filter((check) =>
    check.status === "failed" && (name === undefined || check.name === name)
  );
}

/** The failed checks as text, for comparisons and assertion messages. */
export function describeFailures(checks: readonly Check[]): string {
  return failures(checks).map(({ severity, name, message }) => `${severity} ${name}: ${message}`)
    .join("; ");
}

/** Scans mutations of each content: nothing is thrown, and the bytes read are bounded. */
export function assertNeverThrows(
  scanner: Scanner,
  contents: readonly Uint8Array[],
  { mutations = 1500, name = "model", maxBytesRead = 2 ** 24 } = {},
): void {
  contents.forEach((content, index) => {
    const random = seeded(index + 1);
    for (let count = 0; count < mutations; count++) {
      const bytes = mutated(content, random);
      const source = counted(memorySource(bytes));
      const label = `mutation ${count} of content ${index}`;
      assert.doesNotThrow(() => scanner.matches({ source, name: "other", depth: 0 }), label);
      let scanned: Scanned | undefined;
      assert.doesNotThrow(() => scanned = scan(scanner, source, { name }), label);
      assert.ok((scanned?.checks.length ?? 0) > 0, label);
      assert.ok(source.bytesRead <= maxBytesRead, `${label}: ${source.bytesRead} bytes read`);
    }
  });
}
