import { Checklist } from "../../contract/checklist.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { BinaryCursor } from "./binary_cursor.ts";
import type { RDataCursor } from "./cursor.ts";
import { type RDataHead, rDataHead } from "./head.ts";
import { TextCursor } from "./text_cursor.ts";
import { type RObjects, RObjectWalk, UnknownRType } from "./walk.ts";

const STRUCTURE = "R Structure";
const PROMISE = "R Promise";

const PASSED = {
  [STRUCTURE]: "The whole object was read",
  [PROMISE]: "The object contains no promise",
};

type RCheck = keyof typeof PASSED;

/** Scans objects and workspaces of R, which `readRDS` and `load` read (scanning 2.11). */
export const rDataScanner: Scanner = {
  id: "rdata",
  matches: ({ source }: Content) => rDataHead(source) !== undefined,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(PASSED);
    const head = rDataHead(source);
    if (head === undefined) addFault(checks, "The start is not that of an object");
    else {
      const walk = new RObjectWalk(open(source, head));
      const fault = faultOf(() => walk.read());
      addPromises(checks, walk);
      if (fault !== undefined) addFault(checks, fault);
      context.addMetadata({ r_items: walk.items, r_functions: walk.functions });
    }
    yield* checks.finish();
  },
};

function open(source: ByteSource, { encoding, start }: RDataHead): RDataCursor {
  return encoding === "text"
    ? new TextCursor(source, start)
    : new BinaryCursor(source, start, encoding === "little-endian");
}

function addPromises(checks: Checklist<RCheck>, { promises, boundPromises }: RObjects): void {
  for (const position of promises) {
    checks.add(PROMISE, {
      severity: "critical",
      ruleCode: "S104",
      message: "A value in the object is a promise",
      why: "R runs the code of a promise when the value is used (CVE-2024-27322)",
      position,
    });
  }
  if (boundPromises > 0) {
    checks.add(PROMISE, {
      severity: "info",
      message: `${boundPromises} variables of functions are promises`,
      why: "R keeps the arguments of functions that made the object, and their code",
    });
  }
}

function addFault(checks: Checklist<RCheck>, fault: string): void {
  checks.add(STRUCTURE, {
    severity: "info",
    ruleCode: "S902",
    message: `The object cannot be read further: ${fault}`,
    incomplete: "malformed_r_object",
  });
}

function faultOf(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof UnknownRType) return error.message;
    throw error;
  }
}
