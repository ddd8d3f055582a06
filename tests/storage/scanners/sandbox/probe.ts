import type { RequestedScan } from "../../../../storage/scanners/sandbox/requests.ts";
import type { SandboxReply } from "../../../../storage/scanners/sandbox/sandbox.ts";
import { fullScan } from "../full_scan.ts";
import { attempts } from "./attempts.ts";

const held: unknown[] = [];
let scans = 0;

/**
 * Runs where scans run, and does what the name of the file says. The content of the file is the path of
 * the file itself. By default, it attempts what a scan must not be able to do.
 */
export async function probe({ source, request: { name } }: RequestedScan): Promise<SandboxReply> {
  scans++;
  switch (name) {
    case "hang":
      for (;;);
    case "throw":
      throw new Error("This file is evil");
    case "fill the heap":
      for (;;) held.push(Array.from({ length: 1000 }, Math.random));
    case "fill buffers":
      for (;;) held.push(new Uint8Array(1_000_000).fill(1));
    case "count":
      return scanned({ scans });
    case "change a built-in":
      Reflect.set(Array.prototype, "evil", true);
      return scanned({ changed: "evil" in [] });
    default: {
      const path = new TextDecoder().decode(source.read(0, source.size)).trim();
      return scanned({ ...await attempts(path) });
    }
  }
}

function scanned(metadata: Record<string, string | number | boolean>): SandboxReply {
  return { kind: "scanned", scan: { ...fullScan(), metadata } };
}
