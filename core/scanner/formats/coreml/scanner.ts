import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { isCoreMl } from "./detect.ts";
import { CUSTOM_CODE, EXTERNAL_FILE, ModelWalk, TEXT } from "./walk.ts";

const STRUCTURE = "Core ML Model Structure";

/** Checks Core ML models: code and files that they need from elsewhere, and texts. */
export const coreMlScanner = modelScanner({
  id: "coreml",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [CUSTOM_CODE]: "No model and no layer needs code of its own",
    [EXTERNAL_FILE]: "Nothing is loaded from outside the model's folder",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: isCoreMl,
  inspect({ source }, context, checks) {
    const reader = new ProtobufReader(source);
    const walk = new ModelWalk(reader, checks);
    walk.model(reader.root);
    checks.addAll(faultFindings(reader, STRUCTURE));
    const { kinds, layers, version } = walk.facts;
    if (kinds.size === 0) {
      return checks.add(STRUCTURE, {
        severity: "info",
        message: "Not a Core ML model: no model found",
        ruleCode: "S902",
        incomplete: "no_coreml_model",
      });
    }
    context.addMetadata(modelMetadata({
      framework: "coreml",
      version: String(version),
      indicator: "CoreML.Specification.Model",
      context: { model_type: [...kinds].join(", "), layer_count_estimate: layers },
    }));
  },
});
