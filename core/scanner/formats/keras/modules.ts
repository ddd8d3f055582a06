import type { RuleCode } from "../../contract/rules.ts";
import { FRAMEWORKS } from "../../knowledge/python/danger.ts";
import {
  dangerOf,
  DANGEROUS_NAMES,
  dangerousBuiltins,
  dottedPath,
  exactEntry,
  modulePart,
  recognizedIn,
} from "../../knowledge/python/dangerous_names.ts";

/** How far a reference to a name in a module can be trusted. */
export type ReferenceKind = "known" | "foreign" | "dangerous";

const FRAMEWORK_ROOTS: ReadonlySet<string> = new Set(FRAMEWORKS.split(" "));

/** Packages whose classes and functions configurations commonly use. */
const KNOWN_ROOTS: ReadonlySet<string> = new Set([...FRAMEWORK_ROOTS, "numpy", "math", "builtins"]);

const IN_FRAMEWORKS = DANGEROUS_NAMES.filter(({ anywhere }) => anywhere !== undefined);

/** Modules of the frameworks that load code, call compilers or access files. */
const DANGEROUS_PARTS: ReadonlySet<string> = new Set(
  IN_FRAMEWORKS.flatMap(({ name, anywhere }) => name && anywhere === "part" ? [name] : []),
);

/** Names that run, load or fetch their argument, in any module. */
const DANGEROUS_FUNCTIONS: ReadonlySet<string> = new Set([
  ...recognizedIn("import").keys(),
  ...recognizedIn("method").keys(),
  ...dangerousBuiltins().map(({ name }) => name),
  ...IN_FRAMEWORKS.flatMap(({ name, anywhere }) => name && anywhere === "name" ? [name] : []),
]);

/** Classifies a name in a module that Keras imports when it loads the configuration (CVE-2025-1550). */
export function classifyReference(module: string, name: string): ReferenceKind {
  const [root = "", ...parts] = module.split(".");
  if (DANGEROUS_FUNCTIONS.has(name)) return "dangerous";
  if (parts.some((part) => DANGEROUS_PARTS.has(part) || modulePart(part))) return "dangerous";
  // What Keras itself offers, such as Lambda, has checks of its own.
  if (FRAMEWORK_ROOTS.has(root) || root === "builtins") return "known";
  if (dangerOf(dottedPath(module, name)) !== undefined) return "dangerous";
  return KNOWN_ROOTS.has(root) ? "known" : "foreign";
}

/** The rule against references to a module, if the table has one. */
export function ruleOfModule(module: string): RuleCode | undefined {
  const [root = ""] = module.split(".", 1);
  return exactEntry(root)?.rule ?? dangerOf(module)?.rule;
}

/** Modules of TensorFlow whose functions access files, Python or models. */
const DANGEROUS_SYMBOL = /(?:^|\.)(?:gfile|saved_model|train|summary|distribute|sysconfig)\./;

/** Whether a TensorFlow symbol that a layer calls, such as `math.add`, does more than compute. */
export function isDangerousSymbol(symbol: string): boolean {
  return DANGEROUS_SYMBOL.test(symbol) ||
    symbol.split(".").some((part) => DANGEROUS_FUNCTIONS.has(part));
}
