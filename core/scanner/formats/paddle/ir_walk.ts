import type { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";
import { readJson } from "../../readers/json/read_json.ts";
import { MIB } from "../../../../schemas/units.ts";
import { checkAttribute, checkOperator } from "./operators.ts";

const MAX_BYTES = 128 * MIB;

/**
 * Checks the operators of a program in the JSON of Paddle 3. The manifest scanner reads it as well.
 *
 * @returns how many there are.
 */
export function checkIrProgram(source: ByteSource, checks: Checklist): number {
  let operators = 0;
  let attribute = "";
  for (const event of readJson(source, MAX_BYTES)) {
    if (event.kind !== "value" || typeof event.value !== "string") continue;
    const [parent, key] = event.path.slice(-2);
    if (key === "#" && parent === "ops") {
      operators++;
      checkOperator(operatorOf(event.value), event.position, checks);
    } else if (key === "N") attribute = event.value;
    else if (key === "D") checkAttribute(attribute, event.value, event.position, checks);
  }
  return operators;
}

/** The operator of a type: the number of a dialect, a dot, and the name, which ends in `_` if in place. */
function operatorOf(type: string): string {
  return type.slice(type.indexOf(".") + 1).replace(/_$/, "");
}
