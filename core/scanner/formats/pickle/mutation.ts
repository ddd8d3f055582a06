import { escapedExcerpt, type Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { CHANGE_RULES } from "./states.ts";
import { importPath, type PickleValue } from "./values.ts";

/** Functions that return an object of the whole process. */
const SHARED: ReadonlySet<string> = new Set(["logging.getLogger"]);

/** The signal that an instruction raises if it changes an object that the pickle did not build. */
export function mutationSignal(
  target: PickleValue,
  opcode: OpcodeName,
): Omit<Signal, "position"> | undefined {
  const changed = target.kind === "call" && SHARED.has(importPath(target.callee) ?? "")
    ? target.callee
    : target;
  if (changed.kind !== "import") return undefined;
  const { module, name } = changed.record;
  return {
    name: "Pickle Mutation",
    severity: "critical",
    ruleCode: CHANGE_RULES[opcode] ?? "S209",
    message: `Modifies the imported object ${escapedExcerpt(`${module}.${name}`)} in place`,
    why: "A pickle builds its own objects; one that modifies a library's objects plants code there",
    details: { opcode },
  };
}
