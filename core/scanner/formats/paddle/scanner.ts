import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { isIrProgram, isProgram } from "./detect.ts";
import { checkIrProgram } from "./ir_walk.ts";
import { FILES, OPERATORS } from "./operators.ts";
import { checkProgram } from "./walk.ts";

const STRUCTURE = "Paddle Program Structure";

/** Checks programs of PaddlePaddle, in protobuf and in the JSON of its intermediate representation. */
export const paddleScanner = modelScanner({
  id: "paddle",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The program was read completely",
    [OPERATORS]: "No operator calls Python, accesses files or the network",
    [FILES]: "No operator names a file outside the model's folder",
  },
  matches: (content) => isProgram(content) || isIrProgram(content),
  inspect(content, context, checks) {
    const isIr = isIrProgram(content);
    const reader = new ProtobufReader(content.source);
    const operators = isIr ? checkIrProgram(content.source, checks) : checkProgram(reader, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (operators === 0) {
      return checks.add(STRUCTURE, {
        severity: "info",
        message: "Not a Paddle program: no operator found",
        ruleCode: "S902",
        incomplete: "no_paddle_program",
      });
    }
    context.addMetadata(modelMetadata({
      framework: "paddle",
      indicator: isIr ? "PIR program" : "ProgramDesc",
      context: { layer_count_estimate: operators, training_framework: "paddle" },
      facts: { node_count: operators },
    }));
  },
});
