import { Checklist } from "../../contract/checklist.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { RDataCursor, rDataHead } from "./cursor.ts";
import { RObjectWalk, UnknownRType } from "./walk.ts";

const STRUCTURE = "R Structure";
const PROMISE = "R Promise";

const PASSED = {
  [STRUCTURE]: "The whole object was read",
  [PROMISE]: "The object contains no promise",
};

/** Scans objects and workspaces of R, which `readRDS` and `load` read (scanning 2.11). */
export const rDataScanner: Scanner = {
  id: "rdata",
  matches: ({ source }: Content) => rDataHead(source) !== undefined,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(PASSED);
    const head = rDataHead(source);
    if (head === undefined || head.encoding === "text") {
      checks.add(STRUCTURE, {
        severity: "info",
        message: "Objects of R as text are not read",
        incomplete: "unsupported_encoding",
      });
    } else {
      const walk = new RObjectWalk(new RDataCursor(source, head));
      const fault = faultOf(() => walk.read());
      for (const position of walk.promises) {
        checks.add(PROMISE, {
          severity: "critical",
          ruleCode: "S104",
          message: "A value in the object is a promise",
          why: "R runs the code of a promise when the value is used (CVE-2024-27322)",
          position,
        });
      }
      if (walk.boundPromises > 0) {
        checks.add(PROMISE, {
          severity: "info",
          message: `${walk.boundPromises} variables of functions are promises`,
          why: "R keeps the arguments of functions that made the object, and their code",
        });
      }
      if (fault !== undefined) {
        checks.add(STRUCTURE, {
          severity: "info",
          ruleCode: "S902",
          message: `The object cannot be read further: ${fault}`,
          incomplete: "malformed_r_object",
        });
      }
      context.addMetadata({ r_items: walk.items, r_functions: walk.functions });
    }
    yield* checks.finish();
  },
};

function faultOf(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof UnknownRType) return error.message;
    throw error;
  }
}
