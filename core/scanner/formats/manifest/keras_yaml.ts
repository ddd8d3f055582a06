import type { Finding } from "../../contract/checklist.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";

/** Classes of Keras whose configuration has code, or what loads it. */
const WITH_CODE = /^(?:Lambda|__lambda__|PyFunc|LambdaCallback|TFSMLayer|TorchModuleWrapper)$/;

/** What Keras runs of a model in YAML, as it read until version 2.5. */
export function kerasCode({ path, value, position }: DocumentEntry): Finding | undefined {
  if (path.at(-1) !== "class_name" || typeof value !== "string" || !WITH_CODE.test(value)) {
    return undefined;
  }
  return {
    severity: "warning",
    ruleCode: "S1103",
    message: `An object of Keras has code: ${value}`,
    position,
    why: "Keras unmarshals and runs the code when the model is loaded or used",
  };
}
