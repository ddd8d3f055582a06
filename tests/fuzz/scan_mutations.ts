import * as assert from "node:assert/strict";
import { SCAN_LIMITS } from "../../core/scanner/contract/limits.ts";
import { reportOf } from "../../core/scanner/report/report.ts";
import { scanFile } from "../../core/scanner/engine/scan.ts";
import { concatBytes } from "../../core/scanner/readers/bytes/bytes.ts";
import { SCANNERS } from "../../core/scanner/formats/mod.ts";
import { memorySource } from "../../core/scanner/contract/source.ts";
import { ROOT } from "../support/child_server.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { reportFaults } from "../conformance/report_rules.ts";
import { FIXTURES } from "../fixtures/fixtures.ts";

/** Boundary values for lengths, counts and offsets. */
const BOUNDARY_VALUES = [
  0,
  1,
  0x7f,
  0x80,
  0xff,
  0x7fff,
  0xffff,
  0x7fffffff,
  0x80000000,
  0xffffffff,
];

/** Mutates bytes: flips, truncations, insertions, deletions and boundary values. */
function mutate(original: Uint8Array, below: Random): Uint8Array {
  let bytes: Uint8Array = original.slice();
  for (let change = 0; change <= below(4); change++) {
    const at = below(bytes.length + 1);
    switch (below(7)) {
      case 0:
        if (at < bytes.length) bytes[at] = below(256);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3: {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        const value = BOUNDARY_VALUES[below(BOUNDARY_VALUES.length)] ?? 0;
        if (at + 4 <= bytes.length) view.setUint32(at, value, below(2) === 0);
        break;
      }
      case 4: {
        const from = below(bytes.length + 1);
        const part = bytes.slice(from, from + below(64));
        bytes = concatBytes([bytes.slice(0, at), part, bytes.slice(at)]);
        break;
      }
      case 5:
        bytes = concatBytes([bytes.slice(0, at), bytes.slice(at + below(64))]);
        break;
      default: {
        const value = BigInt.asUintN(64, -BigInt(below(3)));
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        if (at + 8 <= bytes.length) view.setBigUint64(at, value, true);
      }
    }
  }
  return bytes;
}

/** Result of scanning one mutated fixture. */
export interface MutationResult {
  readonly path: string;
  readonly seed: number;
  readonly milliseconds: number;
}

/**
 * Scans one mutated fixture and checks that its report conforms to SR.
 *
 * @param seed Selects the fixture and the mutation.
 * @throws {Error} when the scan throws or fails, or when the report does not conform.
 */
export async function scanMutation(seed: number): Promise<MutationResult> {
  const below = seededRandom(seed);
  const { path } = FIXTURES[seed % FIXTURES.length] ?? { path: "" };
  const bytes = mutate(await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`), below);
  const started = performance.now();
  const scan = scanFile({
    source: memorySource(bytes),
    name: path.slice(path.lastIndexOf("/") + 1),
    scanners: SCANNERS,
    limits: SCAN_LIMITS,
  });
  const milliseconds = performance.now() - started;
  const crashed = scan.checks.find(({ name, status }) => name === "Scanner" && status === "failed");
  assert.equal(crashed, undefined, `${path}, seed ${seed}: ${JSON.stringify(crashed)}`);
  const report = reportOf({ files: [{ path, scan }], startTime: 0, duration: 0 });
  assert.deepEqual(reportFaults(JSON.parse(JSON.stringify(report))), [], `${path}, seed ${seed}`);
  return { path, seed, milliseconds };
}
