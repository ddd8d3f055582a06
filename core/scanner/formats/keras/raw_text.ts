import { ruleOfModule } from "../../knowledge/python/dangerous_modules.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { KERAS_CODE, KERAS_MODULE_REFERENCE, KERAS_UNSAFE_DESERIALIZATION } from "./checks.ts";
import { judgeReference } from "./modules.ts";

/** What is found in a text of JSON without reading it as such, its escapes undone. */
export function* checkRawText(text: string): Generator<NamedFinding, void, void> {
  if (!text.includes("enable_unsafe_deserialization")) return;
  yield {
    name: KERAS_UNSAFE_DESERIALIZATION,
    severity: "critical",
    message: "The configuration names enable_unsafe_deserialization",
    ruleCode: "S810",
    why: "When it is loaded, it turns off the safe mode of Keras (CVE-2025-9906)",
  };
}

const WITH_CODE = /"class_name"\s{0,100}:\s{0,100}"(Lambda|__lambda__|PyFunc|TorchModuleWrapper)"/g;
const WITH_MODULE = /"(?:module|fn_module)"\s{0,100}:\s{0,100}"([A-Za-z_][\w.]{0,200})"/g;

/** What is found in a text that is no JSON, which a more lenient reader may take for it. */
export function* checkUnparsedText(text: string): Generator<NamedFinding, void, void> {
  for (const [, name = ""] of text.matchAll(WITH_CODE)) {
    const message = `A configuration that can't be read names "${name}"`;
    yield { name: KERAS_CODE, severity: "warning", message, ruleCode: "S1103" };
  }
  for (const [, module = ""] of text.matchAll(WITH_MODULE)) {
    if (judgeReference(module, "") !== "dangerous") continue;
    yield {
      name: KERAS_MODULE_REFERENCE,
      severity: "critical",
      message: `A configuration that can't be read names the module ${quotedExcerpt(module)}`,
      ruleCode: ruleOfModule(module) ?? "S810",
    };
  }
}
