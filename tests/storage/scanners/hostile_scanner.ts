/** A scanner process that hostile content has taken over: it replies what the name of the file says. */

import { encodeFrame, readFrames } from "../../../storage/scanners/frames.ts";
import { REQUEST_LIMITS, requestOf } from "../../../storage/scanners/requests.ts";
import { fullScan } from "./full_scan.ts";

const plain = { kind: "scanned", scan: fullScan(), residentBytes: 1 };
const withScan = (changed: object) => ({ ...plain, scan: { ...plain.scan, ...changed } });
const check = {
  scanner: "x",
  name: "x",
  status: "failed",
  message: "x",
  location: "",
  timestamp: 1,
};

/** The replies by name. */
const REPLIES: Readonly<Record<string, () => Uint8Array[]>> = {
  "good": () => encodeFrame(plain),
  "no JSON": () => [new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7b, 0x7b])],
  "no UTF-8": () => [new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0x22, 0xff, 0x22])],
  "no kind": () => encodeFrame({}),
  "huge": () => [new Uint8Array([0, 0, 0, 0xf0, 0, 0, 0, 0xf0])],
  "body": () => encodeFrame(plain, new Uint8Array(1)),
  "no hashes": () => encodeFrame(withScan({ hashes: {} })),
  "unknown rule": () => encodeFrame(withScan({ checks: [{ ...check, ruleCode: "toString" }] })),
  "wrong status": () => encodeFrame(withScan({ checks: [{ ...check, status: "fine" }] })),
  "wrong metadata": () => encodeFrame(withScan({ metadata: { risk_score: "high" } })),
  "deep metadata": () => {
    const [frame = new Uint8Array()] = encodeFrame(withScan({ metadata: { x: "DEEP" } }));
    const text = new TextDecoder().decode(frame.subarray(8));
    const deep = text.replace('"DEEP"', "[".repeat(100_000) + "]".repeat(100_000));
    const bytes = new TextEncoder().encode(deep);
    const lengths = new Uint8Array(8);
    new DataView(lengths.buffer).setUint32(0, bytes.length, true);
    return [lengths, bytes];
  },
  "negative size": () => encodeFrame(withScan({ size: -1 })),
  "twice": () => {
    const [reply = new Uint8Array()] = encodeFrame(plain);
    return [new Uint8Array([...reply, ...reply])];
  },
};

for await (const frame of readFrames(Deno.stdin.readable, REQUEST_LIMITS)) {
  const { name } = requestOf(frame);
  if (name === "exit") Deno.exit(3);
  for (const piece of REPLIES[name]?.() ?? []) {
    for (let rest = piece; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}
