import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { KERAS_CODE, KERAS_MODULE_REFERENCE, KERAS_UNSAFE_DESERIALIZATION } from "./checks.ts";
import { classifyReference, ruleOfModule } from "./modules.ts";

/** Findings in JSON text with its escapes undone, without parsing it. */
export function* checkRawText(text: string): Generator<NamedFinding, void, void> {
  if (!text.includes("enable_unsafe_deserialization")) return;
  yield {
    name: KERAS_UNSAFE_DESERIALIZATION,
    severity: "critical",
    message: "The configuration contains enable_unsafe_deserialization",
    ruleCode: "S810",
    why: "Loading the configuration disables the safe mode of Keras (CVE-2025-9906)",
  };
}

const CODE_CLASS =
  /"class_name"\s{0,100}:\s{0,100}"(Lambda|__lambda__|PyFunc|TorchModuleWrapper)"/g;
const MODULE_KEY = /"(?:module|fn_module)"\s{0,100}:\s{0,100}"([A-Za-z_][\w.]{0,200})"/g;

/** Findings in text that is not valid JSON, but that a more lenient parser might accept. */
export function* checkUnparsedText(text: string): Generator<NamedFinding, void, void> {
  for (const [, name = ""] of text.matchAll(CODE_CLASS)) {
    const message = `An unparsable configuration contains "${name}"`;
    yield { name: KERAS_CODE, severity: "warning", message, ruleCode: "S1103" };
  }
  for (const [, module = ""] of text.matchAll(MODULE_KEY)) {
    if (classifyReference(module, "") !== "dangerous") continue;
    yield {
      name: KERAS_MODULE_REFERENCE,
      severity: "critical",
      message: `An unparsable configuration refers to module ${quotedExcerpt(module)}`,
      ruleCode: ruleOfModule(module) ?? "S810",
    };
  }
}
