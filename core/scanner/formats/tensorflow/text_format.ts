import type { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";
import { severityOfOperation } from "./operations.ts";
import { OPERATIONS } from "./walk.ts";
import { MIB } from "../../../../schemas/units.ts";

const MAX_BYTES = 64 * MIB;
const NAMED_OPERATION = /\bop\s{0,100}:\s{0,100}["']([A-Za-z0-9_>]{1,200})["']/g;

/**
 * Searches a graph in the text format of protobuf for operations by their names. It is not read as
 * such, so that nothing is proved by what is not found.
 */
export function searchTextFormat(source: ByteSource, checks: Checklist): void {
  const text = new TextDecoder().decode(source.read(0, MAX_BYTES));
  for (const [, operation = ""] of text.matchAll(NAMED_OPERATION)) {
    const severity = severityOfOperation(operation, true);
    if (severity === undefined) continue;
    const message = `A node is of the operation "${operation}"`;
    checks.add(OPERATIONS, { severity, message, ruleCode: "S1102" });
  }
}
