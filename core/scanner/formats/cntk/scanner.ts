import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import type { ByteSource } from "../../contract/source.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { checkDictionary, FUNCTIONS, isDictionary } from "./dictionary.ts";

const STRUCTURE = "CNTK Model Structure";
/** `BCN` in UTF-16, the begin of a model of CNTK 1. */
const VERSION_1 = "B\0C\0N\0\0\0";

/** Checks models of CNTK: the functions that a model brings along. */
export const cntkScanner = modelScanner({
  id: "cntk",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [FUNCTIONS]: "The model has no functions of its own",
  },
  matches: ({ source }) => isVersion1(source) || isDictionary(source),
  inspect({ source }, context, checks) {
    if (isVersion1(source)) {
      return checks.add(STRUCTURE, {
        severity: "info",
        message: "Models of CNTK 1 are not read",
        ruleCode: "S902",
        incomplete: "cntk_1",
      });
    }
    const reader = new ProtobufReader(source);
    const functions = checkDictionary(reader, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    context.addMetadata(modelMetadata({
      framework: "cntk",
      indicator: "CNTK dictionary",
      context: { layer_count_estimate: functions, training_framework: "cntk" },
    }));
  },
});

function isVersion1(source: ByteSource): boolean {
  return decodeLatin1(source.read(0, VERSION_1.length)) === VERSION_1;
}
