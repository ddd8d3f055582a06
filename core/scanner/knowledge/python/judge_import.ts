import type { RuleCode } from "../../contract/rules.ts";
import { dangerOf, dottedPath, modulePart } from "./dangerous_names.ts";

/** The verdict on a Python name that a loader imports because a model names it. */
export interface ImportVerdict {
  readonly severity: "warning" | "critical";
  readonly ruleCode: RuleCode;
  readonly why: string;
}

const DOTTED_NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/**
 * Judges a name in a module that a loader imports and calls. Every such name is at least a warning, since
 * its code is outside of the model.
 */
export function judgeImport(module: string, name: string): ImportVerdict {
  if (!DOTTED_NAME.test(module) || !DOTTED_NAME.test(name)) {
    return {
      severity: "critical",
      ruleCode: "S104",
      why: "The text is not a name, so it can only be meant to run as code",
    };
  }
  const path = dottedPath(module, name);
  const danger = dangerOf(path);
  const isDangerous = danger !== undefined && danger.level !== "ordinary" ||
    path.split(".", 100).some((part) => modulePart(part) !== undefined);
  if (isDangerous) {
    return {
      severity: "critical",
      ruleCode: danger?.rule ?? "S107",
      why: "Loading the model imports and calls a name that runs code or accesses files",
    };
  }
  return {
    severity: "warning",
    ruleCode: "S810",
    why: "Loading the model imports the module and runs its code, which is not in the model",
  };
}
